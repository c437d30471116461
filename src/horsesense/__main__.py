"""`python -m horsesense` is the command line."""

from horsesense.cli import main

main()
