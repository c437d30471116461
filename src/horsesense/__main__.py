"""`python -m horsesense` is the command line, and so is the script `horsesense`.

It is ready for Ctrl-C before anything that takes time to import.
"""

from __future__ import annotations

import os
import signal
from typing import NoReturn

from horsesense.errors import ExitCode


def main() -> NoReturn:
    """Run the command line and exit with its code; 130 where it is stopped before it began."""
    before = signal.signal(signal.SIGINT, _stop)
    from horsesense.cli import main as command_line

    signal.signal(signal.SIGINT, before)
    command_line()


def _stop(*_: object) -> NoReturn:
    """Nothing has begun that would have to be ended."""
    os.write(2, b"horsesense: Stopped.\n")
    os._exit(ExitCode.INTERRUPTED)


if __name__ == "__main__":
    main()
