"""Side programs of horsesense: what no audit needs.

Each reaches the core through its public modules alone, and the core finds it by the entry points in
`pyproject.toml`; nothing in the core imports this package.
"""
