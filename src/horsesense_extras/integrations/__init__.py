"""Other harnesses: what a run becomes for them, and horsesense inside them."""
