"""Local models through transformers."""
