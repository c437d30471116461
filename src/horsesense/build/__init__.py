"""Benchmarks made from benchmarks."""
