"""The local server of `horsesense view`: pages without a script, for this machine alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
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
from horsesense.report import item_html, templates
from horsesense.report.checks import checks_of
from horsesense.report.reasons import reasons_of
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

    def found(request: Request) -> tuple[Viewed | None, str]:
        """The run that is asked for, and where its pages begin."""
        if isinstance(viewed, Viewed):
            return viewed, root
        name = request.path_params["run"]
        return viewed.run(name), f"{root}{quote(name, safe='')}/"

    async def made(request: Request, page: Callable[[Viewed, str], str | None]) -> Response:
        """A page of a run, made beside the event loop; one that cannot be read says why."""

        def make() -> str | None:
            run, begin = found(request)
            return None if run is None else page(run, begin)

        return await told(make)

    async def told(page: Callable[[], str | None]) -> Response:
        if not threads:
            threads.append(CapacityLimiter(THREADS))
        html, status, why = None, 404, "There is no such page."
        try:
            html = await to_thread.run_sync(page, limiter=threads[0])
        except (Exception, *UNREADABLE) as error:  # noqa: BLE001 - told on the page
            status, why = 500, str(UnexpectedError.of(error, "The page"))
        if html is None:
            shown = templates().get_template("view_error.html.j2").render(message=why, root=root)
            return HTMLResponse(shown, status, HEADERS)
        return HTMLResponse(html, headers=HEADERS)

    async def overview(request: Request) -> Response:
        wanted = Wanted.of(request.query_params)
        index = None if isinstance(viewed, Viewed) else root
        return await made(request, lambda run, begin: _overview(run, wanted, begin, index))

    async def item(request: Request) -> Response:
        given = request.path_params["number"]
        number = int(given) if re.fullmatch("[0-9]{1,9}", given) else None
        if number is None:
            return await told(lambda: None)
        return await made(request, lambda run, begin: _item(run, number, begin))

    async def report(request: Request) -> Response:
        return await made(request, lambda run, _: _report(run.directory.layout.report))

    routes: list[BaseRoute] = [
        Route("/", overview),
        Route("/items/{number}", item),
        Route("/report", report),
    ]
    if isinstance(viewed, RunFolder):
        folder = viewed

        async def index(request: Request) -> Response:
            return await told(lambda: _index(folder))

        async def slash(request: Request) -> Response:
            return RedirectResponse(f"{root}{quote(request.path_params['run'], safe='')}/")

        inner = Router(routes, redirect_slashes=False)
        routes = [Route("/", index), Route("/{run}", slash), Mount("/{run}", inner)]
    hosts = ["127.0.0.1", "localhost"]
    guards = [
        Middleware(TrustedHostMiddleware, allowed_hosts=hosts),
        Middleware(Access, token=token, prefix=prefix),
    ]
    # A redirect that a router makes would tell this address, and not that of a proxy.
    pages = Mount("", Router(routes, redirect_slashes=False))
    return Starlette(routes=[pages], middleware=guards)


def _report(path: Path) -> str | None:
    return read_whole(path, inside=True).decode() if path.is_file() else None


def _index(folder: RunFolder) -> str:
    """Every run of a folder in a line, with a link to its page."""
    rows, complete = folder.rows()
    return templates().get_template("view_index.html.j2").render(rows=rows, complete=complete)


def _overview(viewed: Viewed, wanted: Wanted, root: str, index: str | None) -> str:
    progress = viewed.progress()
    results = None if progress and progress.state == "planned" else viewed.results()
    evidence, items = viewed.evidence(), viewed.find(wanted)
    reasons = [] if results is None else reasons_of(results)
    last = max(1, -(-len(items) // PAGE))
    page = min(wanted.page, last)
    numbers = {item.id: number for number, item in enumerate(viewed.items)}

    def link(number: int) -> str:
        kept = {**wanted.__dict__, "page": number}
        return "?" + urlencode({name: value for name, value in kept.items() if value})

    return (
        templates()
        .get_template("view.html.j2")
        .render(
            root=root,
            index=index,
            run=results,
            name=viewed.directory.known.model.name,
            data=viewed.directory.items.name,
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
            total=len(viewed.items),
            shown=[(numbers[i.id], i) for i in items[(page - 1) * PAGE : page * PAGE]],
            page=page,
            last=last,
            previous=link(page - 1) if page > 1 else None,
            following=link(page + 1) if page < last else None,
            has_report=viewed.directory.layout.report.is_file(),
        )
    )


def _item(viewed: Viewed, number: int, root: str) -> str | None:
    if number >= len(viewed.items):
        return None
    results, item = viewed.results(), viewed.items[number]
    evidence = viewed.evidence()
    held = () if evidence is None else evidence.holds.items()
    reasons = tuple(name for name, ids in held if item.id in ids)
    body = None if results is None else item_html(results, item.id, reasons)
    return (
        templates()
        .get_template("view_item.html.j2")
        .render(
            root=root,
            id=item.id,
            name=viewed.directory.known.model.name,
            data=viewed.directory.items.name,
            body=body,
            previous=number - 1 if number else None,
            following=number + 1 if number + 1 < len(viewed.items) else None,
        )
    )
