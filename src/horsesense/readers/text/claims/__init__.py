"""Claims: which options a response names, what it says of them, and which of it stands."""
