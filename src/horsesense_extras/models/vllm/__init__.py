"""Models that vLLM runs in this process: backend, engine, and what is read off an answer."""
