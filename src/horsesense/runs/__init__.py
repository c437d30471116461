"""A run: its settings, its directory, and the stages that fill it."""

from typing import Final

REPORT_ITEMS: Final = 100
"""Items that a report shows with every answer, if nobody says how many; `view` shows all."""
