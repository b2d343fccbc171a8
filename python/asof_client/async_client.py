"""The client for programs that use asyncio."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
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


class AsyncClient:
    """
    :class:`Client` for programs that use asyncio: the same arguments, calls and errors. Its calls are awaited.

    Cancel a call by cancelling its task. Close the client, or use it in an ``async with`` statement.

    Example:
        >>> async with AsyncClient("http://127.0.0.1:8787", title="my study") as client:
        ...     answer = await client.search("connection pool", max_results=3)
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
        http: httpx.AsyncClient | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._server = Server(url, key, title, admin_token, max_tries, timeout)
        self._calls = Calls(has_key=key is not None)
        self._owns_http = http is None
        self._http = httpx.AsyncClient() if http is None else http
        self._sleep = sleep

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """See :meth:`Client.close`."""
        if self._owns_http:
            await self._http.aclose()

    def as_of(self, at: Instant) -> Self:
        """See :meth:`Client.as_of`."""
        return self._view(calls=self._calls.as_of(at))

    def sealed(self, key: str) -> Self:
        """See :meth:`Client.sealed`."""
        server = dataclasses.replace(self._server, key=key, admin_token=None)
        return self._view(server=server, calls=Calls(has_key=True, at=self._calls.at, is_sealed=True))

    def with_timeout(self, seconds: float) -> Self:
        """See :meth:`Client.with_timeout`."""
        return self._view(server=dataclasses.replace(self._server, timeout=seconds))

    async def search(self, query: str, **fields: Unpack[SearchFields]) -> SearchAnswer:
        """See :meth:`Client.search`."""
        return await self._send(self._calls.search(query, fields))

    async def passages(self, query: str, **fields: Unpack[PassagesFields]) -> Passages:
        """See :meth:`Client.passages`."""
        return await self._send(self._calls.passages(query, fields))

    async def map(self, url: str, **fields: Unpack[MapFields]) -> SiteMap:
        """See :meth:`Client.map`."""
        return await self._send(self._calls.map(url, fields))

    async def fetch(self, url: str, **fields: Unpack[FetchFields]) -> FetchedPage:
        """See :meth:`Client.fetch`."""
        return await self._send(self._calls.fetch(url, fields))

    async def verify(self, quotes: Iterable[Quote]) -> Verification:
        """See :meth:`Client.verify`."""
        return await self._send(self._calls.verify(quotes))

    async def extract(
        self, urls: Sequence[str], schema: Mapping[str, Any], **fields: Unpack[ExtractFields]
    ) -> Extraction:
        """See :meth:`Client.extract`."""
        return await self._send(self._calls.extract(urls, schema, fields))

    async def history(self, url: str, **fields: Unpack[HistoryFields]) -> History:
        """See :meth:`Client.history`."""
        return await self._send(self._calls.history(url, fields))

    async def page(self, url: str, **fields: Unpack[PageFields]) -> Page:
        """See :meth:`Client.page`."""
        return await self._send(self._calls.page(url, fields))

    async def suggest(self, q: str, **fields: Unpack[SuggestFields]) -> Suggestions:
        """See :meth:`Client.suggest`."""
        return await self._send(self._calls.suggest(q, fields))

    async def fields(self, **fields: Unpack[FieldsFields]) -> FieldsOfPages:
        """See :meth:`Client.fields`."""
        return await self._send(self._calls.fields(fields))

    async def captures(self, *, max_bins: int | None = None) -> Captures:
        """See :meth:`Client.captures`."""
        return await self._send(self._calls.captures(max_bins))

    async def feedback(self, query: str, feedback: Mapping[str, int], *, feedback_text: str | None = None) -> Thanks:
        """See :meth:`Client.feedback`."""
        return await self._send(self._calls.feedback(query, feedback, feedback_text))

    async def run(
        self,
        queries: Queries,
        *,
        depth: int = 50,
        name_of: NameOf | None = None,
        concurrency: int = 8,
        **fields: Unpack[SearchFields],
    ) -> Run:
        """
        See :meth:`Client.run`.

        Args:
            queries: As there.
            depth: As there.
            name_of: As there.
            concurrency: Maximum number of queries at the same time.
            fields: As there.
        """
        places = asyncio.Semaphore(concurrency)

        async def scores(query: str | Mapping[str, Any]) -> dict[str, float]:
            ranking = Ranking(query, fields, depth, name_of)
            async with places:
                while (search := ranking.next_search()) is not None:
                    ranking.take(await self.search(**search))
            return ranking.scores

        tasks = [asyncio.create_task(scores(query)) for query in queries.values()]
        try:
            found = await asyncio.gather(*tasks)
        except BaseException:
            # Otherwise the searches that are left would be made, and charged, for nobody.
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise
        return dict(zip(queries, found, strict=True))

    async def add_pages(
        self,
        records: Iterable[Mapping[str, Any] | str] | AsyncIterable[Mapping[str, Any] | str],
        *,
        base_url: str | None = None,
    ) -> AdditionReport:
        """See :meth:`Client.add_pages`. The records can also come from an asynchronous iterator."""
        additions = Additions()
        async for record in _each(records):
            if (batch := additions.add(record)) is not None:
                additions.count(batch, await self._send(self._calls.add_pages(batch, base_url)))
        if (batch := additions.rest()) is not None:
            additions.count(batch, await self._send(self._calls.add_pages(batch, base_url)))
        return additions.report

    async def remove_pages(self, **fields: Unpack[DeletionFields]) -> DeletionReport:
        """See :meth:`Client.remove_pages`."""
        return await self._send(self._calls.remove_pages(fields))

    async def purge_pages(self, **fields: Unpack[DeletionFields]) -> DeletionReport:
        """See :meth:`Client.purge_pages`."""
        return await self._send(self._calls.purge_pages(fields))

    async def start_crawl_job(self, **fields: Unpack[CrawlJobFields]) -> CrawlJob:
        """See :meth:`Client.start_crawl_job`."""
        return await self._send(self._calls.start_crawl_job(fields))

    async def crawl_job(self, id: str, *, cursor: str | None = None) -> CrawlJobPages:
        """See :meth:`Client.crawl_job`."""
        return await self._send(self._calls.crawl_job(id, cursor))

    async def crawl_job_errors(self, id: str, *, cursor: str | None = None) -> CrawlJobErrors:
        """See :meth:`Client.crawl_job_errors`."""
        return await self._send(self._calls.crawl_job_errors(id, cursor))

    async def cancel_crawl_job(self, id: str) -> CrawlJob:
        """See :meth:`Client.cancel_crawl_job`."""
        return await self._send(self._calls.cancel_crawl_job(id))

    async def crawl_jobs(self) -> tuple[CrawlJob, ...]:
        """See :meth:`Client.crawl_jobs`."""
        return (await self._send(self._calls.crawl_jobs())).crawls

    async def start_crawl(self, **fields: Unpack[CrawlFields]) -> CrawlName:
        """See :meth:`Client.start_crawl`."""
        return await self._send(self._calls.start_crawl(fields))

    async def stop_crawl(self, name: str) -> CrawlName:
        """See :meth:`Client.stop_crawl`."""
        return await self._send(self._calls.stop_crawl(name))

    async def crawls(self) -> tuple[Crawl, ...]:
        """See :meth:`Client.crawls`."""
        return (await self._send(self._calls.crawls())).crawls

    async def relevance(self, *, query_time: Instant | None = None) -> RelevanceAsOf:
        """See :meth:`Client.relevance`."""
        return await self._send(self._calls.relevance(query_time))

    async def set_relevance(self, relevance: Mapping[str, Any]) -> RelevanceAsOf:
        """See :meth:`Client.set_relevance`."""
        return await self._send(self._calls.set_relevance(relevance))

    def _view(self, *, server: Server | None = None, calls: Calls | None = None) -> Self:
        view = copy.copy(self)
        view._server = server or self._server
        view._calls = calls or self._calls
        view._owns_http = False
        return view

    async def _send(self, call: Call[A]) -> A:
        tries = Tries(self._server)
        while True:
            try:
                return await self._try(call, tries)
            except AsofError as failure:
                wait = tries.wait_after(failure)
                if wait is None:
                    raise
            await self._sleep(wait)

    async def _try(self, call: Call[A], tries: Tries) -> A:
        left = tries.seconds_left()
        request = self._http.build_request(**self._server.request(call), timeout=left)
        try:
            response = await asyncio.wait_for(self._http.send(request, follow_redirects=False), left)
        except (httpx.TimeoutException, asyncio.TimeoutError) as failure:
            raise tries.timed_out() from failure
        except httpx.RequestError as failure:
            raise tries.unreachable() from failure
        return read_answer(call, self._server, response.status_code, response.headers, response.content)


async def _each(
    records: Iterable[Mapping[str, Any] | str] | AsyncIterable[Mapping[str, Any] | str],
) -> AsyncIterator[Mapping[str, Any] | str]:
    if isinstance(records, AsyncIterable):
        async for record in records:
            yield record
    else:
        for record in records:
            yield record
