"""
What a client does between a call and its answer, without the network: reads responses, and decides what is tried
again and when.
"""

from __future__ import annotations

import dataclasses
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from .answers import Answer, UnknownFormError, Usage, read_part
from .calls import Call
from .errors import AsofError
from .server import Server

A = TypeVar("A", bound=Answer)

_FIRST_WAIT = 1.0
"""Seconds before the second try, if the refusal names no time. Each further wait is twice as long."""

_TEMPORARY = frozenset([429, 503, 529])
"""Statuses of refusals that are worth a retry. The server charges nothing for them."""

_REDIRECTS = frozenset([301, 302, 303, 307, 308])

_NUMBER = re.compile(r"\d{1,9}(?:\.\d{0,9})?")
_PASSWORD = re.compile(r"//[^?#]*@")


class Tries:
    """The tries of one call, and the time that is left for them."""

    def __init__(self, server: Server, clock: Callable[[], float] = time.monotonic) -> None:
        self._server = server
        self._clock = clock
        self._ends_at = clock() + server.timeout
        self._made = 0

    def seconds_left(self) -> float:
        """
        Returns the seconds that are left.

        Raises:
            AsofError: timed_out
        """
        left = self._ends_at - self._clock()
        if left <= 0:
            raise self.timed_out()
        return left

    def timed_out(self) -> AsofError:
        return AsofError("timed_out", f"{self._server.url} did not answer within {self._server.timeout:g} s.")

    def unreachable(self) -> AsofError:
        return AsofError("connection_failed", f"{self._server.url} can't be reached.")

    def in_time(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Passes on the parts of a body while there is time. A time-out of httpx only limits the wait for each part."""
        for chunk in chunks:
            self.seconds_left()
            yield chunk

    def wait_after(self, failure: AsofError) -> float | None:
        """Returns the seconds to wait before the next try. ``None`` if there is none."""
        self._made += 1
        if failure.status not in _TEMPORARY or self._made >= self._server.max_tries:
            return None
        asked = failure.retry_after
        wait: float = _FIRST_WAIT * 2 ** (self._made - 1) if asked is None else asked
        return None if self._clock() + wait >= self._ends_at else wait


def read_answer(call: Call[A], server: Server, status: int, headers: Mapping[str, str], body: bytes) -> A:
    """
    Reads the response to a call.

    Raises:
        AsofError: The response is a refusal or a redirect, or not from an asof server.
    """
    if status in _REDIRECTS:
        target = _PASSWORD.sub("//…@", headers.get("location", "another address"))
        raise AsofError(
            "redirected",
            f"{server.url} redirects to {target}. Redirects are not followed, because they could send the key to "
            "another server: if that is the server, use its address.",
            status=status,
        )
    request_id = headers.get("x-request-id")

    def unknown(form: str) -> AsofError:
        message = f"The response is not from an asof server: status {status} {form}."
        return AsofError("not_an_answer", message, status=status, request_id=request_id, retry_after=retry_after)

    retry_after = read_retry_after(headers.get("retry-after"), time.time())
    try:
        value = json.loads(body)
    except ValueError as failure:
        raise unknown("without JSON") from failure
    if 200 <= status < 300:
        try:
            return _answer(call, headers, value)
        except (UnknownFormError, ValueError) as failure:
            raise unknown(f"with unknown JSON ({failure})") from failure
    error = value.get("error") if isinstance(value, dict) else None
    if not isinstance(error, str):
        raise unknown("with unknown JSON")
    raise AsofError(
        error,
        str(value.get("message", error)),
        status=status,
        details=value.get("details"),
        request_id=request_id,
        retry_after=retry_after,
    )


def _answer(call: Call[A], headers: Mapping[str, str], value: Any) -> A:
    if call.hidden and isinstance(value, dict):
        value = {name: each for name, each in value.items() if name not in call.hidden}
    answer = read_part(call.answer, value)
    usage, receipt = headers.get("x-asof-usage"), headers.get("x-asof-receipt")
    return dataclasses.replace(
        answer,
        request_id=headers.get("x-request-id"),
        usage=None if usage is None else read_part(Usage, json.loads(usage)),
        receipt=None if receipt is None else json.loads(receipt),
    )


def read_retry_after(value: str | None, now: float) -> float | None:
    """
    Returns a ``Retry-After`` header in seconds (RFC 9110, 10.2.3). ``None`` if it is missing or malformed. Some
    servers send fractions. A negative number is malformed, so it is no reason to repeat a call immediately.

    Args:
        now: The time, seconds since the epoch.
    """
    if value is None:
        return None
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    if not text[:3].isalpha():
        return None
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError):
        return None
