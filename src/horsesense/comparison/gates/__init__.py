"""Gates for continuous integration: what a run must reach, and what it must not lose."""
