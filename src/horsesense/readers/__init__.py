"""Readers: what does a response say? Each gives one reading per variant, with rule and span."""
