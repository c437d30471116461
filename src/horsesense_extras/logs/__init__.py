"""Logs of other programs, read into one neutral form: an iterator of samples a log."""
