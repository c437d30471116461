"""The local server of `horsesense view`: pages without a script, for this machine alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router

from horsesense.errors import UnexpectedError
from horsesense.files import read_whole
from horsesense.report import item_html
from horsesense.report.checks import checks_of
from horsesense.report.reasons import reasons_of
from horsesense.report.rendering import page
from horsesense.report.score_bar import NAMES, headline, score_bar
from horsesense.report.view_access import HEADERS, Access
from horsesense.report.viewed import PAGE, RunFolder, Viewed, Wanted
from horsesense.runs.parts import UNREADABLE

if TYPE_CHECKING:
    from starlette.requests import Request

THREADS = 4
"""Pages that are made together."""
REFRESH = 5
"""Seconds after which the page of a run in progress is loaded again."""


def app_of(viewed: Viewed | RunFolder, token: str, prefix: str = "") -> Starlette:
    """The pages of a run, or of all runs in a folder with an index, for those who have the token.

    Only requests that name this machine as their host are answered, so that no other site's page
    can read them. Links begin with `prefix`, as in "/runs".
    """
    threads: list[CapacityLimiter] = []  # made within the loop that it belongs to
    root = f"{prefix}/"

    async def told(made: Callable[[Request], str | None], request: Request) -> Response:
        """A page, made beside the event loop; one that cannot be read says why."""
        if not threads:
            threads.append(CapacityLimiter(THREADS))
        html, status, why = None, 404, "There is no such page."
        try:
            html = await to_thread.run_sync(made, request, limiter=threads[0])
        except (Exception, *UNREADABLE) as error:  # noqa: BLE001 - told on the page
            status, why = 500, str(UnexpectedError.of(error, "The page"))
        if html is None:
            return HTMLResponse(page("view_error.html", message=why, root=root), status, HEADERS)
        return HTMLResponse(html, headers=HEADERS)

    def of_run(path: str, made: Callable[[Viewed, Request, str], str | None]) -> Route:
        """A page of the run that is asked for; it is told where the run's pages begin."""

        def found(request: Request) -> str | None:
            if isinstance(viewed, Viewed):
                return made(viewed, request, root)
            run = viewed.run(name := request.path_params["run"])
            return None if run is None else made(run, request, f"{root}{quote(name, safe='')}/")

        return Route(path, partial(told, found))

    index = root if isinstance(viewed, RunFolder) else None
    routes: list[BaseRoute] = [
        of_run("/", partial(_overview, index=index)),
        of_run("/items/{number}", _item),
        of_run("/report", _report),
    ]
    if isinstance(viewed, RunFolder):
        folder = viewed

        async def slash(request: Request) -> Response:
            return RedirectResponse(f"{root}{quote(request.path_params['run'], safe='')}/")

        inner = Router(routes, redirect_slashes=False)
        shown = partial(told, lambda _: _index(folder))
        routes = [Route("/", shown), Route("/{run}", slash), Mount("/{run}", inner)]
    hosts = ["127.0.0.1", "localhost"]
    guards = [
        Middleware(TrustedHostMiddleware, allowed_hosts=hosts),
        Middleware(Access, token=token, prefix=prefix),
    ]
    # A redirect that a router makes would tell this address, and not that of a proxy.
    pages = Mount("", Router(routes, redirect_slashes=False))
    return Starlette(routes=[pages], middleware=guards)


def _report(viewed: Viewed, _: Request, __: str) -> str | None:
    path = viewed.directory.layout.report
    return read_whole(path, inside=True).decode() if path.is_file() else None


def _index(folder: RunFolder) -> str:
    """Every run of a folder in a line, with a link to its page."""
    rows, complete = folder.rows()
    return page("view_index.html", rows=rows, complete=complete)


def _overview(viewed: Viewed, request: Request, root: str, index: str | None) -> str:
    wanted = Wanted.of(request.query_params)
    progress = viewed.progress()
    results = None if progress and progress.state == "planned" else viewed.results()
    evidence, items = viewed.evidence(), viewed.find(wanted)
    reasons = [] if results is None else reasons_of(results)
    last = max(1, -(-len(items) // PAGE))
    number = min(wanted.page, last)
    places = {item.id: place for place, item in enumerate(viewed.items)}

    def link(number: int) -> str | None:
        kept = {**wanted.__dict__, "page": number}
        query = urlencode({name: value for name, value in kept.items() if value})
        return f"?{query}" if 1 <= number <= last else None

    return page(
        "view.html",
        root=root,
        index=index,
        run=results,
        viewed=viewed,
        headline=[] if results is None else headline(results),
        bar=None if results is None else score_bar(results),
        checks=None if results is None else checks_of(results, reasons, {}),
        parts={},
        progress=progress,
        refresh=REFRESH if progress and progress.state in ("planned", "begun") else None,
        evidence=evidence,
        names=NAMES,
        subjects=sorted({item.subject for item in viewed.items if item.subject}),
        wanted=wanted,
        found=len(items),
        shown=[(places[i.id], i) for i in items[(number - 1) * PAGE : number * PAGE]],
        page=number,
        last=last,
        previous=link(number - 1),
        following=link(number + 1),
    )


def _item(viewed: Viewed, request: Request, root: str) -> str | None:
    given = request.path_params["number"]
    if not re.fullmatch("[0-9]{1,9}", given) or int(given) >= len(viewed.items):
        return None
    results, item, evidence = viewed.results(), viewed.items[int(given)], viewed.evidence()
    held = () if evidence is None else evidence.holds.items()
    reasons = tuple(name for name, ids in held if item.id in ids)
    body = None if results is None else item_html(results, item.id, reasons)
    return page(
        "view_item.html", root=root, viewed=viewed, id=item.id, number=int(given), body=body
    )
