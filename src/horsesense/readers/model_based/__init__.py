"""Readers that are models: trained ones, and judges."""
