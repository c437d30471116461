"""`horsesense view`: a run on a local page."""

from __future__ import annotations

import socket
from typing import Annotated

import typer

from horsesense.cli.options import RunPath
from horsesense.errors import UsageError, install


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(view)


def view(
    run: RunPath,
    port: Annotated[int, typer.Option(help="Port on this machine; 0 takes a free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser", help="Open it in the browser.")] = False,
) -> None:
    """Show a run on a local page, with search, filters and all items; also while it is asked.

    The run is read and never changed. Only this machine can open the page; Ctrl-C ends it.

    Example: horsesense view audits/exam
    """
    try:
        import uvicorn

        from horsesense.report.view_page import app_of
    except ImportError:
        raise UsageError(
            "view needs the packages starlette and uvicorn.",
            hint=install("view"),
        ) from None
    from horsesense.report.viewed import Viewed

    app = app_of(Viewed(run))
    listening = _listen(port)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/"
    typer.echo(f"{address}   (Ctrl-C ends it)")
    if browser:
        import webbrowser

        webbrowser.open(address)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


def _listen(port: int) -> socket.socket:
    """A socket on the loopback interface; UsageError where the port is taken."""
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
