"""How a server is addressed: its URL, who calls, and the HTTP request of each call."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import version
from typing import Any, TypedDict
from urllib.parse import urlencode, urlsplit

from .calls import Call
from .fields import instant_text

USER_AGENT = f"asof-client/{version('asof-client')}"

_HEADER_TEXT = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")


class HttpRequest(TypedDict):
    """The arguments of ``httpx.Client.build_request``."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None


@dataclass(frozen=True)
class Server:
    """
    A server, and who calls it.

    Raises:
        ValueError: The URL is not the http or https URL of a server, there is nobody who calls, or a text cannot be
            in a header.
    """

    url: str
    key: str | None = field(repr=False)
    title: str | None
    admin_token: str | None = field(repr=False)
    max_tries: int
    timeout: float

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.username is not None or parts.password is not None:
            raise ValueError("url must not contain a user name or password: they would be in logs and messages")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"url must be the http or https URL of a server, not {self.url!r}")
        if self.key is None and self.title is None and self.admin_token is None:
            raise ValueError("title is required without a key: name your application")
        for name, text in (("key", self.key), ("title", self.title), ("admin_token", self.admin_token)):
            if text is not None and not _HEADER_TEXT.fullmatch(text):
                raise ValueError(f"{name} must be printable ASCII")
        if self.max_tries < 1:
            raise ValueError("max_tries must be at least 1")
        if not 0 < self.timeout < float("inf"):
            raise ValueError("timeout must be a number of seconds above 0")

    def request(self, call: Call[Any]) -> HttpRequest:
        """
        Returns the HTTP request of a call.

        Raises:
            ValueError: The call needs the admin token, and there is none.
        """
        url = self.url.rstrip("/") + call.path
        headers = {"Accept": "application/json", "User-Agent": USER_AGENT, **self._caller(call)}
        in_query = call.method in {"GET", "DELETE"} or call.lines is not None
        if in_query and call.fields:
            url = f"{url}?{urlencode({name: _query_text(each) for name, each in call.fields.items()})}"
        content = call.lines
        if call.lines is not None:
            headers["Content-Type"] = "application/x-ndjson"
        elif not in_query:
            headers["Content-Type"] = "application/json"
            content = json_bytes(call.fields)
        return {"method": call.method, "url": url, "headers": headers, "content": content}

    def _caller(self, call: Call[Any]) -> Mapping[str, str]:
        if call.is_administration:
            if self.admin_token is None:
                raise ValueError("admin_token is required for administration")
            return {"Authorization": f"Bearer {self.admin_token}"}
        # Some calls of callers with a key have routes for everybody, which ask for the name of an application.
        named = {"X-Service-Title": self.title or "asof-client"}
        return named if self.key is None else {**named, "X-API-Key": self.key}


def json_bytes(value: object) -> bytes:
    """
    Returns a value as JSON. An instant in it becomes a text.

    Raises:
        ValueError: A number is not finite.
        TypeError: JSON has no such value.
    """
    return json.dumps(value, default=_json_value, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()


def _json_value(value: object) -> object:
    if isinstance(value, date):
        return instant_text(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (Sequence, set, frozenset)):
        return list(value)
    raise TypeError(f"JSON has no {type(value).__name__}")


def _query_text(value: Any) -> str:
    """Returns a value as query strings have it: lists with commas, objects as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, (Sequence, set, frozenset)):
        return ",".join(map(_query_text, value))
    return json_bytes(value).decode()
