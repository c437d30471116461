"""What the numbers of a run allow to be said: what its score is made of, and the verdict."""
