"""Simulated models whose truth is known."""
