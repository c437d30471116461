"""Names and addresses of servers: refused where they hold what must not be sent or stored."""

from __future__ import annotations

import re
from urllib.request import getproxies, proxy_bypass

from yarl import URL

from horsesense.errors import UsageError
from horsesense.models.openai.api_key import GIVEN, is_loopback

_MORE = re.compile("[@?#;=&%]")
"""Signs of a decoded path with which it says more than where something lies."""


def check_name(name: str) -> None:
    """Refuse a name that holds an address: it would be sent to another server, and stored.

    After an @ may stand a version (`text@001`), which is no name of a host. Nothing of what is
    refused is shown, since it may hold a password.
    """
    _, at, version = name.partition("@")
    if "://" in name or "?" in name or "#" in name:
        what = "an address or a query"
    elif at and not re.fullmatch(r"\d[\w-]*", version):
        what = "an address without http:// or https://"
    elif not name or not name.isprintable():
        what = "no name, or one with characters that cannot be shown"
    else:
        return
    raise UsageError(
        f"The name of the model contains {what}.", hint="Write http:NAME@http://HOST:PORT/v1."
    )


def checked(address: str) -> URL:
    """The address; it is not shown where it may hold a password."""
    hint = "Write http://HOST:PORT/v1."
    try:
        url = URL(address.rstrip("/"))
        (url.host or "").encode("idna")  # what it is looked up as
        address.encode()
    except ValueError:
        raise UsageError("The address of the model is not one.", hint=hint) from None
    if url.scheme not in ("http", "https") or not url.host or re.search(r"\s", url.host):
        raise UsageError("The address of the model is not one.", hint=hint)
    if url.user or url.password or url.query_string or url.fragment or _MORE.search(url.path):
        raise UsageError(
            "The address of the model contains a user name, a password, a query or parameters.",
            hint=f"Addresses are stored with the run. Put a key into {GIVEN} instead.",
        )
    return url


def proxy_of(url: URL) -> str | None:
    """The proxy that the environment names for `url`, looked up once and not at each request."""
    host = url.host or ""
    if is_loopback(host) or proxy_bypass(host) or proxy_bypass(f"{host}:{url.port}"):
        return None
    return getproxies().get(url.scheme)
