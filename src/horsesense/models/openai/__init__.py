"""Models behind a server that speaks the OpenAI protocol."""
