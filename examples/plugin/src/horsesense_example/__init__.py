"""One plug-in of each kind; `pyproject.toml` names them as entry points."""
