"""Training of readers on annotated replies: `train_reader(Plan(...), out)`."""
