"""The local server of `horsesense view`: pages without a script, for this machine alone."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route

from horsesense.errors import HorsesenseError
from horsesense.report import item_html, templates
from horsesense.report.checks import checks_of
from horsesense.report.reasons import reasons_of
from horsesense.report.score_bar import NAMES, headline, score_bar
from horsesense.report.viewed import PAGE, Viewed, Wanted

if TYPE_CHECKING:
    from starlette.requests import Request

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
REFRESH = 5
"""Seconds after which the page of a run in progress is loaded again."""


def app_of(viewed: Viewed) -> Starlette:
    """The pages of a run.

    Only requests that name this machine as their host are answered, so that no other site's page
    can read them.
    """

    async def overview(request: Request) -> Response:
        return await _made(_overview, viewed, Wanted.of(request.query_params))

    async def item(request: Request) -> Response:
        return await _made(_item, viewed, request.path_params["number"])

    async def report(request: Request) -> Response:
        path = viewed.directory.layout.report
        if not path.is_file():
            return HTMLResponse("There is no report yet.", 404, HEADERS)
        return FileResponse(path, headers=HEADERS, media_type="text/html")

    routes = [
        Route("/", overview),
        Route("/items/{number:int}", item),
        Route("/report", report),
    ]
    hosts = ["127.0.0.1", "localhost"]
    return Starlette(
        routes=routes, middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=hosts)]
    )


async def _made(page: object, *args: object) -> Response:
    """A page made beside the event loop; a run that cannot be read says why."""
    assert callable(page)
    try:
        html = await run_in_threadpool(page, *args)
    except HorsesenseError as error:
        return HTMLResponse(_error(str(error)), 500, HEADERS)
    if html is None:
        return HTMLResponse(_error("There is no such page."), 404, HEADERS)
    return HTMLResponse(html, headers=HEADERS)


def _error(message: str) -> str:
    return templates().get_template("view_error.html.j2").render(message=message)


def _overview(viewed: Viewed, wanted: Wanted) -> str:
    results, progress = viewed.results(), viewed.progress()
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
            run=results,
            name=viewed.directory.known.model.name,
            data=viewed.directory.items.name,
            headline=[] if results is None else headline(results),
            bar=None if results is None else score_bar(results),
            checks=None if results is None else checks_of(results, reasons, {}),
            parts={},
            progress=progress,
            refresh=REFRESH if progress is not None and progress.state == "begun" else None,
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


def _item(viewed: Viewed, number: int) -> str | None:
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
            id=item.id,
            name=viewed.directory.known.model.name,
            data=viewed.directory.items.name,
            body=body,
            previous=number - 1 if number else None,
            following=number + 1 if number + 1 < len(viewed.items) else None,
        )
    )
