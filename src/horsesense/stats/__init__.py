"""Statistics on bare arrays: intervals, tests, multiplicity, power. Nothing here knows a model."""
