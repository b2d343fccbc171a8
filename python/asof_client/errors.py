"""The error of a failed call."""

from __future__ import annotations

from typing import Any


class AsofError(Exception):
    """The server refused a call, or did not answer it. ``str(error)`` is the message."""

    status: int | None
    """HTTP status. ``None`` if there was no answer."""
    error: str
    """
    The stable string of the API, such as ``invalid_request``, ``not_indexed`` or ``rate_limited``. Without an answer
    ``connection_failed`` or ``timed_out``. ``redirected`` if the server answers with a redirect, ``not_an_answer`` if
    the answer is not from an asof server.
    """
    details: Any
    """The ``details`` of the answer. For a 400 a list of ``{"path", "reason"}``, one for each invalid field."""
    request_id: str | None
    """Identifies the request to the operator of the server."""
    retry_after: float | None
    """The ``Retry-After`` of the answer, seconds."""

    def __init__(
        self,
        error: str,
        message: str,
        *,
        status: int | None = None,
        details: Any = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.error = error
        self.status = status
        self.details = details
        self.request_id = request_id
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors travel between processes, for example out of a pool of workers.
        return (_restored, (self.error, str(self), self.__dict__))


def _restored(error: str, message: str, facts: dict[str, Any]) -> AsofError:
    restored = AsofError(error, message)
    restored.__dict__.update(facts)
    return restored
