"""`horsesense view`: a run on a local page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.errors import UsageError, install
from horsesense.files import write_whole

if TYPE_CHECKING:
    import socket


def view(
    run: Annotated[
        Path, typer.Argument(help="Run directory, a folder of runs, or a log of another program.")
    ],
    port: int = 0,
    browser: Annotated[bool, typer.Option("--browser", help="Open it in the browser.")] = False,
    prefix: str = "",
) -> None:
    """Show a run on a local page, with search, filters and all items; also while it is asked.

    A folder of runs has an index of them. Runs are read and never changed. Only this machine can
    open the page, and only with the token in the address; Ctrl-C ends it.

    Example: horsesense view audits/exam

    Args:
        port: Port on this machine; 0 takes a free one.
        prefix: Path under which a proxy shows the page, such as /runs.
    """
    try:
        from horsesense.report.view_access import server_of
        from horsesense.report.view_page import app_of
    except ImportError:
        raise UsageError(
            "view needs the packages starlette and uvicorn.", hint=install("view")
        ) from None
    import signal
    from secrets import token_hex
    from tempfile import TemporaryDirectory

    from horsesense.api import open as open_run
    from horsesense.report.viewed import RunFolder, Viewed
    from horsesense.runs.layout import RunLayout
    from horsesense.runs.redacted import refuse_redacted
    from horsesense.side import side

    if side("logs", "is_log")(run):
        run = open_run(run).path
    if run.is_file():  # wrong use, as for report
        refuse_redacted(open_run(run).directory)
    prefix = _prefix(prefix)
    token = token_hex(24)
    several = not RunLayout(run).record.is_file() and RunFolder(run).names()
    app = app_of(RunFolder(run) if several else Viewed(run), token, prefix)
    listening = _listen(port)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}{prefix}/?token={token}"
    typer.echo(f"{address}   (Ctrl-C ends it)")
    with TemporaryDirectory(prefix="horsesense-view-") as folder:
        if browser:
            _open(address, Path(folder))
        # The server ends for this signal too and raises it again: then the folder must go.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        server_of(app).run(sockets=[listening])


def _prefix(given: str) -> str:
    """A prefix of paths, as in "/runs"; UsageError where it is none.

    >>> _prefix("runs/"), _prefix("/")
    ('/runs', '')
    """
    parts = [part for part in given.split("/") if part]
    if not all(re.fullmatch(r"[\w.~-]+", part, re.ASCII) for part in parts):
        raise UsageError(
            f"--prefix {given} is not a path.", hint="Write letters, digits and slashes: /runs/a."
        )
    return "".join(f"/{part}" for part in parts)


def _open(address: str, folder: Path) -> None:
    """Open an address in the browser, by a private file: others see the words of a command."""
    import webbrowser

    page = folder / "open.html"
    write_whole(page, f'<meta http-equiv="refresh" content="0;url={address}">')
    webbrowser.open(page.as_uri())


def _listen(port: int) -> socket.socket:
    """A socket on the loopback interface; UsageError where the port is taken."""
    import socket

    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind(("127.0.0.1", port))
        found.listen()  # an address that is told can be opened
    except (OSError, OverflowError) as error:
        found.close()
        raise UsageError(
            f"Port {port} cannot be used: {error}.", hint="--port 0 takes a free one."
        ) from None
    return found
