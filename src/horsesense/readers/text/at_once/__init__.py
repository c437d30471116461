"""Read at once: what a response says in so many words, so that nothing need be weighed."""
