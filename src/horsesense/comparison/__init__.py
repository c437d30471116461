"""Several runs side by side: paired differences, ranks, and whether the order survives."""
