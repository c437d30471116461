"""Training of readers on annotated replies."""
