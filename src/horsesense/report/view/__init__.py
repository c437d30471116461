"""`horsesense view`: a run on a local page, read and never written; also while it is asked."""
