"""Models: whatever answers a request."""
