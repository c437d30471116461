"""Respondents: whatever answers a request."""
