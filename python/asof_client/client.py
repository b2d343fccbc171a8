"""The client that waits for each answer."""

from __future__ import annotations

import copy
import dataclasses
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import httpx

from .additions import Additions
from .answers import (
    AdditionReport,
    Answer,
    Captures,
    Crawl,
    CrawlJob,
    CrawlJobErrors,
    CrawlJobPages,
    CrawlName,
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
from .calls import Call, Calls
from .errors import AsofError
from .exchange import Tries, read_answer
from .fields import (
    CrawlFields,
    CrawlJobFields,
    DeletionFields,
    ExtractFields,
    FetchFields,
    FieldsFields,
    HistoryFields,
    Instant,
    MapFields,
    PageFields,
    PassagesFields,
    Quote,
    SearchFields,
    SuggestFields,
)
from .runs import NameOf, Queries, Ranking, Run
from .server import Server

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

A = TypeVar("A", bound=Answer)


class Client:
    """
    A client of an asof server.

    Every call may raise :class:`AsofError`, which has a ``status`` if the server answered. A call that is answered
    429, 503 or 529 is made again after its ``Retry-After``, within ``max_tries`` and ``timeout``; nothing was charged
    for it. Other failures are not repeated. Redirects are not followed, so that a key is sent nowhere else. The
    server checks the fields of requests, and a 400 names each wrong one in ``details``.

    A client can be used by several threads. Close it, or use it in a ``with`` statement.

    Args:
        url: URL of the server. It may have a path.
        key: API key. Without it calls are made on the routes for everybody, within the rate limit of an address.
        title: Name of your application. Required without a key.
        admin_token: Admin token, for the calls of administration only.
        max_tries: Maximum number of tries of one call, including the first one.
        timeout: Seconds for one call with its tries.
        http: The client of httpx that is used, for example with a proxy. It is not closed. Default: a new one.
        sleep: Waits before a retry, for a number of seconds.

    Raises:
        ValueError: The URL is not that of a server or has a password, key, title and admin token are all missing, or
            a value is out of range.

    Example:
        >>> with Client("http://127.0.0.1:8787", title="my study") as client:
        ...     for result in client.search("connection pool", max_results=3).results:
        ...         print(result.title, result.url)
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        title: str | None = None,
        admin_token: str | None = None,
        max_tries: int = 3,
        timeout: float = 90.0,
        http: httpx.Client | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._server = Server(url, key, title, admin_token, max_tries, timeout)
        self._calls = Calls(has_key=key is not None)
        self._owns_http = http is None
        self._http = httpx.Client() if http is None else http
        self._sleep = sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections. A view does nothing, because it shares those of its client."""
        if self._owns_http:
            self._http.close()

    def as_of(self, at: Instant) -> Self:
        """
        Returns a view of the index as it was at an instant. Every call of the view has this ``query_time``. A call
        that names another instant, or that is about the index of now, raises ValueError before anything is sent.

        The view shares the connections of this client. It can be used in a ``with`` statement.

        Args:
            at: A fixed instant: a date, a timestamp, an epoch, a ``date``, or a ``datetime`` with a time zone. Not a
                span such as ``7d``.

        Example:
            >>> with client.as_of("2025-03-01") as past:
            ...     past.search("train ticket")
        """
        return self._view(calls=self._calls.as_of(at))

    def sealed(self, key: str) -> Self:
        """
        Returns a client that makes every call with a sealed key, for code that must not see anything later than the
        seal. The server refuses later instants. The client has no admin token, and calls that are answered without a
        key raise ValueError: ``page``, ``suggest``, ``fields`` and ``captures``.

        Args:
            key: A key that was created with ``asof key create --sealed-at``.
        """
        server = dataclasses.replace(self._server, key=key, admin_token=None)
        return self._view(server=server, calls=Calls(has_key=True, at=self._calls.at, is_sealed=True))

    def with_timeout(self, seconds: float) -> Self:
        """Returns this client with another time for each call."""
        return self._view(server=dataclasses.replace(self._server, timeout=seconds))

    def search(self, query: str, **fields: Unpack[SearchFields]) -> SearchAnswer:
        """
        Searches. Costs one credit with a key.

        Args:
            query: Words, ``"phrases"``, ``-exclusions``, ``site:domain``, the URL of a page, or ``*`` for all pages.
                Up to 2,048 characters.
            fields: Of :class:`SearchFields`, such as ``query_time="2025-03-01"``, ``mode="realtime"`` or
                ``max_results=50``.
        """
        return self._send(self._calls.search(query, fields))

    def passages(self, query: str, **fields: Unpack[PassagesFields]) -> Passages:
        """
        Finds the passages that answer a query best, over all pages, until a number of characters or tokens is reached:
        an answer for the context window of a model. Costs one credit with a key.

        Args:
            query: As that of :meth:`search`. The page of a URL is only looked up in the index.
            fields: Of :class:`PassagesFields`, such as ``max_tokens=1_000``, ``max_per_page=2`` or
                ``query_time="2025-03-01"``.
        """
        return self._send(self._calls.passages(query, fields))

    def map(self, url: str, **fields: Unpack[MapFields]) -> SiteMap:
        """
        Lists the URLs of a site, or of a part of it. Nothing is fetched. Costs one credit with a key, however many
        URLs there are.

        Args:
            url: A site, such as ``https://example.com/``, or the beginning of a part of it:
                ``https://example.com/docs`` means ``/docs`` and what is below it, with http or https.
            fields: Of :class:`MapFields`, such as ``search="pools"``, ``limit=5_000`` or ``cursor=answer.next``.

        Raises:
            AsofError: ``invalid_request`` (400) if the cursor is that of another request.
        """
        return self._send(self._calls.map(url, fields))

    def fetch(self, url: str, **fields: Unpack[FetchFields]) -> FetchedPage:
        """
        Reads one page as Markdown. Costs one credit with a key.

        Args:
            url: URL of the page.
            fields: Of :class:`FetchFields`, such as ``query_time="2025-03-01"``, ``max_chars=10_000`` or ``live=True``.

        Raises:
            AsofError: ``not_indexed`` (404) if the index does not have the page, or did not have it then.
        """
        return self._send(self._calls.fetch(url, fields))

    def verify(self, quotes: Iterable[Quote]) -> Verification:
        """
        Judges whether pages have quotes, and since when. Costs as much as one fetch.

        Args:
            quotes: Up to 100, such as ``{"url": "https://example.com/", "quote": "costs 20 euros", "query_time":
                "2025-03-01"}``.
        """
        return self._send(self._calls.verify(quotes))

    def extract(self, urls: Sequence[str], schema: Mapping[str, Any], **fields: Unpack[ExtractFields]) -> Extraction:
        """
        Reads the values of a JSON Schema from pages, each with the passage that states it. What no passage states is
        ``None``. Costs as much as one fetch, however many pages there are.

        Args:
            urls: The URLs of 1 to 20 pages.
            schema: The JSON Schema of the values of one page, such as ``{"type": "object", "properties": {"price":
                {"type": "number"}}}``. Up to 64 properties, in up to 4 objects in one another, without references,
                alternatives and regular expressions.
            fields: Of :class:`ExtractFields`: ``query_time`` and ``model``.

        Raises:
            AsofError: ``not_indexed`` (404) if the index has none of the pages, or had none of them then. A page that
                is missing while others are not has this as its ``error``.
        """
        return self._send(self._calls.extract(urls, schema, fields))

    def history(self, url: str, **fields: Unpack[HistoryFields]) -> History:
        """
        Lists the versions of a page, oldest first, and what each changed. Free.

        Args:
            url: URL of the page.
            fields: Of :class:`HistoryFields`: ``limit``, ``after`` and ``query_time``.

        Raises:
            AsofError: ``not_indexed`` (404) if the index never had the page.
        """
        return self._send(self._calls.history(url, fields))

    def page(self, url: str, **fields: Unpack[PageFields]) -> Page:
        """
        Reads all that the index has of a page: Markdown, metadata, structured data and fields. Free, within the rate
        limit of an address.

        Args:
            url: URL of the page.
            fields: Of :class:`PageFields`: ``query_time``, ``max_chars`` and ``include``.

        Raises:
            AsofError: ``not_indexed`` (404) if the index does not have the page, or did not have it then.
        """
        return self._send(self._calls.page(url, fields))

    def suggest(self, q: str, **fields: Unpack[SuggestFields]) -> Suggestions:
        """
        Completes what somebody types, by titles and sites. Free, within the rate limit of an address.

        Args:
            q: What was typed so far, up to 200 characters.
            fields: Of :class:`SuggestFields`: ``limit`` and ``query_time``.
        """
        return self._send(self._calls.suggest(q, fields))

    def fields(self, **fields: Unpack[FieldsFields]) -> FieldsOfPages:
        """
        Lists the fields that pages have. Free, within the rate limit of an address.

        Args:
            fields: Of :class:`FieldsFields`: ``query_time`` and ``max_examples``.
        """
        return self._send(self._calls.fields(fields))

    def captures(self, *, max_bins: int | None = None) -> Captures:
        """
        Counts the captures of the index by the time at which they were acquired. Free, within the rate limit of an
        address.

        Args:
            max_bins: The histogram has the finest interval of the calendar that needs at most this many bins, 10 to
                2,000. Default 400.
        """
        return self._send(self._calls.captures(max_bins))

    def feedback(self, query: str, feedback: Mapping[str, int], *, feedback_text: str | None = None) -> Thanks:
        """
        Stores how relevant pages were to a query. Free, and needs a key.

        Args:
            query: The query, as it was sent.
            feedback: By URL 1 (low relevance) to 5 (perfect match), or 0 if the content did not load. Up to 200.
            feedback_text: A comment of up to 10,000 characters.
        """
        return self._send(self._calls.feedback(query, feedback, feedback_text))

    def run(
        self,
        queries: Queries,
        *,
        depth: int = 50,
        name_of: NameOf | None = None,
        **fields: Unpack[SearchFields],
    ) -> Run:
        """
        Searches many queries, and returns the run: ``{query id: {document id: score}}``, as ir_measures and ranx take
        it.

        Scores are those of the server. Equal ones are changed so that they decrease with the rank, because tools of
        evaluation order by score.

        Args:
            queries: By query id the words of a query, or the fields of a search, such as ``{"query": "ferry",
                "query_time": "2025-03-01"}``.
            depth: Maximum number of documents of each query. More than 50 need a search for each 50.
            name_of: Returns the document id of a result. Default: its URL.
            fields: Of :class:`SearchFields`, for all queries.
        """
        run: Run = {}
        for query_id, query in queries.items():
            ranking = Ranking(query, fields, depth, name_of)
            while (search := ranking.next_search()) is not None:
                ranking.take(self.search(**search))
            run[query_id] = ranking.scores
        return run

    def add_pages(self, records: Iterable[Mapping[str, Any] | str], *, base_url: str | None = None) -> AdditionReport:
        """
        Adds pages, removals and sightings. Needs the admin token.

        Records are sent in requests of 8 MiB, so an iterator of any length can be given, such as a generator or an
        open file of JSON lines. The pages of a request are on disk when it was answered. The same records again
        change nothing: if a request fails, make the call again.

        Args:
            records: Records as ``asof import`` reads them from JSON lines, such as ``{"url": "…", "text": "…",
                "acquired_at": "2025-01-10"}``, or its lines.
            base_url: The base of relative addresses in records.

        Returns:
            The sum over all requests. Records that are not valid are in ``failures``, and the others were added.
        """
        additions = Additions()
        for record in records:
            if (batch := additions.add(record)) is not None:
                additions.count(batch, self._send(self._calls.add_pages(batch, base_url)))
        if (batch := additions.rest()) is not None:
            additions.count(batch, self._send(self._calls.add_pages(batch, base_url)))
        return additions.report

    def remove_pages(self, **fields: Unpack[DeletionFields]) -> DeletionReport:
        """
        Removes pages from now on, or from ``at`` on. Needs the admin token. While ``finished`` of the answer is
        false, the same call removes the rest.

        Args:
            fields: Of :class:`DeletionFields`, such as ``urls=[…]`` or ``prefix="https://example.com/old/"``.
        """
        return self._send(self._calls.remove_pages(fields))

    def purge_pages(self, **fields: Unpack[DeletionFields]) -> DeletionReport:
        """
        Deletes every version of pages from all of time, otherwise like :meth:`remove_pages`.

        Args:
            fields: Of :class:`DeletionFields`.
        """
        return self._send(self._calls.purge_pages(fields))

    def start_crawl_job(self, **fields: Unpack[CrawlJobFields]) -> CrawlJob:
        """
        Starts a crawl of a site for the organization of the key, as of now or of an instant. It runs in the
        background, reserves a credit for each page of its ``limit``, and charges one for each page that it reads.

        Args:
            fields: Of :class:`CrawlJobFields`, such as ``url="https://docs.example.com/guide"`` and ``limit=200``.
        """
        return self._send(self._calls.start_crawl_job(fields))

    def crawl_job(self, id: str, *, cursor: str | None = None) -> CrawlJobPages:
        """
        Returns a crawl of the organization with some of its pages.

        Args:
            id: The id that :meth:`start_crawl_job` returned.
            cursor: The ``next`` of the answer before. While the crawl is running, there is always a ``next``.
        """
        return self._send(self._calls.crawl_job(id, cursor))

    def crawl_job_errors(self, id: str, *, cursor: str | None = None) -> CrawlJobErrors:
        """Lists the pages that a crawl of the organization could not read."""
        return self._send(self._calls.crawl_job_errors(id, cursor))

    def cancel_crawl_job(self, id: str) -> CrawlJob:
        """Cancels a crawl of the organization. What it has read stays."""
        return self._send(self._calls.cancel_crawl_job(id))

    def crawl_jobs(self) -> tuple[CrawlJob, ...]:
        """Lists the last 100 crawls of the organization, newest first."""
        return self._send(self._calls.crawl_jobs()).crawls

    def start_crawl(self, **fields: Unpack[CrawlFields]) -> CrawlName:
        """
        Starts a crawl, which the server runs in the background. Needs the admin token.

        Args:
            fields: Of :class:`CrawlFields`, such as ``urls=["https://docs.example.com/"]``.
        """
        return self._send(self._calls.start_crawl(fields))

    def stop_crawl(self, name: str) -> CrawlName:
        """
        Stops a running crawl once its captures are stored. Needs the admin token.

        Args:
            name: The name that :meth:`start_crawl` returned.
        """
        return self._send(self._calls.stop_crawl(name))

    def crawls(self) -> tuple[Crawl, ...]:
        """Lists the last crawl of each name, newest first. Needs the admin token."""
        return self._send(self._calls.crawls()).crawls

    def relevance(self, *, query_time: Instant | None = None) -> RelevanceAsOf:
        """
        Returns how searches rank pages. Needs the admin token.

        Args:
            query_time: The relevance that held at this instant. Default: now.
        """
        return self._send(self._calls.relevance(query_time))

    def set_relevance(self, relevance: Mapping[str, Any]) -> RelevanceAsOf:
        """
        Sets how searches rank pages from now on, as a whole. Needs the admin token.

        Args:
            relevance: ``weights``, ``synonyms``, ``stop_words`` and ``rules``. ``{}`` sets none.
        """
        return self._send(self._calls.set_relevance(relevance))

    def _view(self, *, server: Server | None = None, calls: Calls | None = None) -> Self:
        view = copy.copy(self)
        view._server = server or self._server
        view._calls = calls or self._calls
        view._owns_http = False
        return view

    def _send(self, call: Call[A]) -> A:
        tries = Tries(self._server)
        while True:
            try:
                return self._try(call, tries)
            except AsofError as failure:
                wait = tries.wait_after(failure)
                if wait is None:
                    raise
            self._sleep(wait)

    def _try(self, call: Call[A], tries: Tries) -> A:
        request = self._http.build_request(**self._server.request(call), timeout=tries.seconds_left())
        try:
            response = self._http.send(request, stream=True, follow_redirects=False)
            with closing(response):
                body = b"".join(tries.in_time(response.iter_bytes()))
        except httpx.TimeoutException as failure:
            raise tries.timed_out() from failure
        except httpx.RequestError as failure:
            raise tries.unreachable() from failure
        return read_answer(call, self._server, response.status_code, response.headers, body)
