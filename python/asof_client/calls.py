"""How each call is sent, and how its answer is read, whether the client waits for it or not."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Generic, TypeVar, cast
from urllib.parse import quote

from .answers import (
    AdditionReport,
    Answer,
    Captures,
    CrawlJob,
    CrawlJobErrors,
    CrawlJobPages,
    CrawlJobs,
    CrawlName,
    Crawls,
    DeletionReport,
    Extraction,
    FetchedPage,
    FieldsOfPages,
    History,
    Page,
    Passages,
    RelevanceAsOf,
    SearchAnswer,
    SiteMap,
    Suggestions,
    Thanks,
    Verification,
)
from .fields import Instant, Quote, instant_text

A = TypeVar("A", bound=Answer)


@dataclass(frozen=True)
class Call(Generic[A]):
    """A call that was built and not yet sent."""

    method: str
    path: str
    answer: type[A]
    fields: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """The fields that are given, as values of JSON. In the body of a POST or PUT, in the query string otherwise."""
    lines: bytes | None = None
    """JSON lines. The fields are then in the query string."""
    is_administration: bool = False
    """True if the call is made with the admin token."""
    hidden: frozenset[str] = frozenset()
    """Fields of the answer that are not read."""


# The units of the server (core/dates/delta.ts).
_SPAN = re.compile(r"\s*\d+(?:min|h|d|w|mo|y)\s*")


@dataclass(frozen=True)
class Calls:
    """Builds calls for one caller."""

    has_key: bool
    at: str | None = None
    """The instant of a view of the past."""
    is_sealed: bool = False
    """True if every call must be made with the sealed key."""

    def as_of(self, at: Instant) -> Calls:
        """
        Returns the builder of calls as of an instant.

        Raises:
            ValueError: The instant is relative to now, or it is not that of this view.
        """
        text = instant_text(at)
        if _SPAN.fullmatch(text):
            raise ValueError(f"a view of the past needs a fixed instant, and {text} moves with the clock")
        if self.at is not None and text != self.at:
            raise ValueError(f"this view is as of {self.at}, not as of {text}")
        return dataclasses.replace(self, at=text)

    def search(self, query: str, fields: Mapping[str, Any]) -> Call[SearchAnswer]:
        return Call("POST", self._paid_path("search"), SearchAnswer, self._timed({"query": query, **fields}))

    def passages(self, query: str, fields: Mapping[str, Any]) -> Call[Passages]:
        return Call("POST", self._paid_path("passages"), Passages, self._timed({"query": query, **fields}))

    def map(self, url: str, fields: Mapping[str, Any]) -> Call[SiteMap]:
        return Call("POST", self._paid_path("map"), SiteMap, self._timed({"url": url, **fields}))

    def fetch(self, url: str, fields: Mapping[str, Any]) -> Call[FetchedPage]:
        if self.at is not None and fields.get("live"):
            raise ValueError(f"this view is as of {self.at}, and a live fetch reads the page of now")
        # The only field about what came later.
        hidden = frozenset[str]() if self.at is None else frozenset(["superseded_at"])
        path = self._paid_path("fetch")
        return Call("GET", path, FetchedPage, self._timed({"url": url, **fields}), hidden=hidden)

    def verify(self, quotes: Iterable[Quote]) -> Call[Verification]:
        timed = [self._timed(cast("Mapping[str, Any]", quote)) for quote in quotes]
        return Call("POST", self._paid_path("verify"), Verification, {"quotes": timed})

    def extract(self, urls: Sequence[str], schema: Mapping[str, Any], fields: Mapping[str, Any]) -> Call[Extraction]:
        given = self._timed({"urls": urls, "schema": schema, **fields})
        return Call("POST", self._paid_path("extract"), Extraction, given)

    def history(self, url: str, fields: Mapping[str, Any]) -> Call[History]:
        return Call("GET", self._paid_path("history"), History, self._timed({"url": url, **fields}))

    def page(self, url: str, fields: Mapping[str, Any]) -> Call[Page]:
        self._refuse_sealed("page")
        return Call("GET", "/v1/page", Page, self._timed({"url": url, **fields}))

    def suggest(self, q: str, fields: Mapping[str, Any]) -> Call[Suggestions]:
        self._refuse_sealed("suggest")
        return Call("GET", "/v1/suggest", Suggestions, self._timed({"q": q, **fields}))

    def fields(self, fields: Mapping[str, Any]) -> Call[FieldsOfPages]:
        self._refuse_sealed("fields")
        return Call("GET", "/v1/fields", FieldsOfPages, self._timed(fields))

    def captures(self, max_bins: int | None) -> Call[Captures]:
        self._refuse_sealed("captures")
        self._refuse_past("captures")
        return Call("GET", "/v1/captures", Captures, _given({"max_bins": max_bins}))

    def feedback(self, query: str, feedback: Mapping[str, int], feedback_text: str | None) -> Call[Thanks]:
        self._refuse_past("feedback")
        fields = {"query": query, "feedback": dict(feedback), "feedback_text": feedback_text}
        return Call("POST", "/v1/feedback", Thanks, _given(fields))

    def start_crawl_job(self, fields: Mapping[str, Any]) -> Call[CrawlJob]:
        return Call("POST", "/v1/crawls", CrawlJob, self._timed(fields))

    def crawl_job(self, id: str, cursor: str | None) -> Call[CrawlJobPages]:
        return Call("GET", _job_path(id), CrawlJobPages, _given({"cursor": cursor}))

    def crawl_job_errors(self, id: str, cursor: str | None) -> Call[CrawlJobErrors]:
        return Call("GET", f"{_job_path(id)}/errors", CrawlJobErrors, _given({"cursor": cursor}))

    def cancel_crawl_job(self, id: str) -> Call[CrawlJob]:
        return Call("DELETE", _job_path(id), CrawlJob)

    def crawl_jobs(self) -> Call[CrawlJobs]:
        return Call("GET", "/v1/crawls", CrawlJobs)

    def add_pages(self, lines: bytes, base_url: str | None) -> Call[AdditionReport]:
        fields = _given({"base_url": base_url})
        return self._administration("POST", "pages/add", AdditionReport, fields, lines)

    def remove_pages(self, fields: Mapping[str, Any]) -> Call[DeletionReport]:
        return self._administration("POST", "pages/remove", DeletionReport, _given(fields))

    def purge_pages(self, fields: Mapping[str, Any]) -> Call[DeletionReport]:
        return self._administration("POST", "pages/purge", DeletionReport, _given(fields))

    def start_crawl(self, fields: Mapping[str, Any]) -> Call[CrawlName]:
        return self._administration("POST", "crawls/start", CrawlName, _given(fields))

    def stop_crawl(self, name: str) -> Call[CrawlName]:
        return self._administration("POST", "crawls/stop", CrawlName, {"name": name})

    def crawls(self) -> Call[Crawls]:
        return self._administration("GET", "crawls/list", Crawls, {})

    def relevance(self, query_time: Instant | None) -> Call[RelevanceAsOf]:
        return self._administration("GET", "relevance", RelevanceAsOf, _given({"query_time": query_time}))

    def set_relevance(self, relevance: Mapping[str, Any]) -> Call[RelevanceAsOf]:
        return self._administration("PUT", "relevance", RelevanceAsOf, relevance)

    def _paid_path(self, name: str) -> str:
        return f"/v1/{name}" if self.has_key else f"/v1/{name}/public"

    def _timed(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        given = _given(fields)
        if self.at is None:
            return given
        if given.get("query_time", self.at) != self.at:
            raise ValueError(f"this view is as of {self.at}, not as of {given['query_time']}")
        return {**given, "query_time": self.at}

    def _refuse_past(self, name: str) -> None:
        if self.at is not None:
            raise ValueError(f"{name} is about the index of now, and this view is as of {self.at}")

    def _refuse_sealed(self, name: str) -> None:
        if self.is_sealed:
            raise ValueError(f"{name} is answered without a key, so a sealed key does not seal it")

    def _administration(
        self, method: str, act: str, answer: type[A], fields: Mapping[str, Any], lines: bytes | None = None
    ) -> Call[A]:
        self._refuse_past("administration")
        return Call(method, f"/admin/{act}", answer, fields, lines, is_administration=True)


def _job_path(id: str) -> str:
    return f"/v1/crawls/{quote(id, safe='')}"


def _given(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the fields that are given, as values of JSON."""
    return {
        name: instant_text(each) if isinstance(each, date) else each
        for name, each in fields.items()
        if each is not None
    }
