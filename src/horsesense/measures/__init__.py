"""Measures: statistics of the cells of a run."""
