"""
The fields of requests, with the names of the wire. The server checks them: it answers an unknown field, or a wrong
value, with a 400 that names it. ``None`` means that a field is not given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, TypedDict

Instant = str | datetime | date
"""
An instant: a date (``2026-01-31``, the start of the day in UTC), a timestamp (``2026-01-31T10:00Z``), a Unix epoch as
text, a span back from now (``90min``, ``2h``, ``7d``, ``2w``, ``1mo``, ``1y``), a ``date``, or a ``datetime`` with a
time zone.
"""


class SearchFields(TypedDict, total=False):
    """What a search can have in addition to its query."""

    mode: str
    """``pro`` (default) ranks best, ``realtime`` answers fastest. ``realtime_content`` and ``webql`` need a key."""
    query_time: Instant | None
    """Answer as of this instant. Default: now."""
    max_results: int
    """1 to 50. Default 10."""
    snippet_max_length: int | None
    """180 to 10,000 characters. Default 600."""
    site: str | None
    """Results are on this domain or its subdomains."""
    sites: Sequence[str] | None
    """
    Results are on one of up to 100 domains or their subdomains. A domain may have a path: ``example.com/docs`` means
    ``/docs`` and what is below it.
    """
    exclude_sites: Sequence[str] | None
    """Results are on none of up to 100 domains, which may have a path too."""
    filter: Mapping[str, Any] | None
    """Conditions on the fields of pages, such as ``{"price": {"lt": 20}}``."""
    acquired_after: Instant | None
    acquired_before: Instant | None
    published_after: Instant | None
    published_before: Instant | None
    language: str | None
    """The language of the query, as a tag such as ``de``. Default: detected."""
    typing: bool | None
    """True also finds words that begin like the last one. Default false."""
    weights: Mapping[str, Any] | None
    """``{"title": 6, "fields": {"brand": 2}}``: how much the parts of a page count."""
    facets: Sequence[str] | None
    """Up to 32 counts over all matches, such as ``tags`` or ``published_at:year``."""
    max_facet_values: int | None
    """1 to 1,000 values of each facet. Default 100."""
    sort: str | None
    """Such as ``price:asc,published_at:desc``. Default ``score``."""
    offset: int | None
    """Number of first results to leave out, up to 10,000."""
    cursor: str | None
    """The ``next`` of the previous answer."""
    enable_wizards: bool | None
    include: Sequence[str] | None
    """Parts of each result: ``author``, ``citation`` (a permanent link), ``content``, ``last_seen_at``, ``passages``,
    ``score``."""
    content_max_chars: int | None
    """The content is cut after this many characters, 1 to 50,000. Default 10,000."""
    passages_max_chars: int | None
    """The passages of a result together have at most this many UTF-16 units, 180 to 10,000. Default 600."""
    passage_max_chars: int | None
    """Each passage of a result has at most this many UTF-16 units, 180 to 2,000. Default 2,000."""
    passages_query: str | None
    """Words that the passages of results are to answer. Default: the query."""
    strict: bool | None
    """True finds only what is written: no word is corrected, and quoted words have no other form. Default false."""
    explain: bool | None
    """True adds timings and the parts of each score."""


class PassagesFields(TypedDict, total=False):
    """What a request for passages can have in addition to its query."""

    mode: str
    """``pro`` (default) ranks best, ``realtime`` answers fastest. ``webql`` needs a key."""
    max_chars: int | None
    """All passages together have at most this many UTF-16 units, 180 to 50,000."""
    max_tokens: int | None
    """
    All passages together have at most this many tokens, 50 to 50,000, by an estimate that fits all tokenizers. Default
    2,000, unless ``max_chars`` is given.
    """
    max_per_page: int | None
    """1 to 100 passages of one page. Default: any number."""
    query_time: Instant | None
    """Answer as of this instant. Default: now."""
    site: str | None
    """Passages are from this domain or its subdomains."""
    sites: Sequence[str] | None
    """Passages are from one of up to 100 domains, which may have a path, as in a search."""
    exclude_sites: Sequence[str] | None
    """Passages are from none of up to 100 domains, which may have a path too."""
    filter: Mapping[str, Any] | None
    """Conditions on the fields of pages, such as ``{"price": {"lt": 20}}``."""
    acquired_after: Instant | None
    acquired_before: Instant | None
    published_after: Instant | None
    published_before: Instant | None
    language: str | None
    """The language of the query, as a tag such as ``de``. Default: detected."""
    weights: Mapping[str, Any] | None
    """``{"title": 6, "fields": {"brand": 2}}``: how much the parts of a page count."""
    strict: bool | None
    """True finds only what is written, as in a search. Default false."""
    include: Sequence[str] | None
    """``["citation"]`` adds a permanent link to each passage."""


class MapFields(TypedDict, total=False):
    """What a request for the URLs of a site can have in addition to the site."""

    search: str | None
    """Only pages with these words, the best first. Default: all pages, the last captured first."""
    include_subdomains: bool
    """True also lists the pages of subdomains. Default false."""
    limit: int
    """Number of URLs, 1 to 5,000. Default 1,000."""
    cursor: str | None
    """The ``next`` of the previous answer to the same request. The answer continues it, as of its instant."""
    query_time: Instant | None
    """The pages that the index had at this instant. Default: now."""


class CrawlJobFields(TypedDict, total=False):
    """A crawl for the organization of a key. Exactly one of ``url`` and ``urls`` is given."""

    url: str
    """Where the crawl starts. It reads the pages below this URL, on the same host."""
    urls: Sequence[str]
    """Reads exactly these pages instead, of any hosts."""
    entire_host: bool
    """True for all pages of the host. Default false."""
    limit: int
    """Maximum number of pages, of which the server may allow fewer. Default 100."""
    max_depth: int
    """Maximum number of links between ``url`` and a page; in the index, of path segments below ``url``."""
    include: Sequence[str]
    """Only pages whose path starts with one of these patterns, such as ``/docs/*/install``."""
    exclude: Sequence[str]
    """No page whose path starts with one of these patterns."""
    query_time: Instant | None
    """The pages that the index had at this instant. No site is asked. Default: the pages of now, from the site."""


class FetchFields(TypedDict, total=False):
    """What a fetch can have in addition to its URL."""

    query_time: Instant | None
    """The page as the index had it at this instant. Not with ``live``."""
    max_chars: int
    """The content is cut after this many characters. Default 50,000, at most 1,000,000."""
    live: bool
    """True fetches the page from its site. Default false: only from the index."""
    prompt: str | None
    """An instruction such as ``list the prices``: the content is then only the answer to it."""
    include: Sequence[str] | None
    """``citation`` adds a permanent link, and ``metadata`` what is known of the page in addition to its text."""


class PageFields(TypedDict, total=False):
    """What a request of a whole page can have in addition to its URL."""

    query_time: Instant | None
    """The page as the index had it at this instant. Default: now."""
    max_chars: int
    """The content is cut after this many characters. Default 50,000, at most 1,000,000."""
    include: Sequence[str] | None
    """``["citation"]`` adds a permanent link."""


class HistoryFields(TypedDict, total=False):
    """What a request of a page's history can have in addition to its URL."""

    query_time: Instant | None
    """Only what had happened by this instant. Default: now."""
    limit: int
    """Number of versions, 1 to 1,000. Default 100."""
    after: str | None
    """The ``next`` of the previous answer."""


class _Quoted(TypedDict):
    url: str
    quote: str


class Quote(_Quoted, total=False):
    """
    A quote to verify: ``url`` of the page, ``quote`` with at most 2,000 characters, and ``query_time`` if it is
    judged as of then.
    """

    query_time: Instant | None


class ExtractFields(TypedDict, total=False):
    """What an extraction of values can have in addition to its URLs and its schema."""

    query_time: Instant | None
    """The pages as the index had them at this instant. Default: now."""
    model: bool
    """
    True lets the language model of the server look for the values that are still missing. It only chooses passages of
    the page. Default false. A server without such a model answers 400.
    """


class SuggestFields(TypedDict, total=False):
    """What a request of suggestions can have in addition to what was typed."""

    limit: int
    """1 to 50. Default 10."""
    query_time: Instant | None
    """Suggest the titles that were current at this instant. Default: now."""


class FieldsFields(TypedDict, total=False):
    """What a request of the fields of pages can have."""

    query_time: Instant | None
    """The fields of the pages that were current at this instant. Default: now."""
    max_examples: int
    """0 to 20. Default 5."""


class DeletionFields(TypedDict, total=False):
    """
    Which pages are removed or purged: ``urls``, ``all``, or ``site``, ``prefix`` and ``filter``, of which a page must
    fulfill all that are given.
    """

    urls: Sequence[str] | None
    """Up to 10,000 addresses."""
    site: str | None
    prefix: str | None
    filter: Mapping[str, Any] | None
    all: bool | None
    at: Instant | None
    """An instant of the past: pages are selected as they were then, and a removal is recorded at this time."""
    dry_run: bool
    """True changes nothing. Default false."""


class CrawlFields(TypedDict, total=False):
    """What a crawl visits, and its limits. Exactly one of ``urls`` and ``corpus`` is given."""

    urls: Sequence[str] | None
    """Where the crawl starts. Their hosts are its scope."""
    corpus: Mapping[str, Any] | None
    """A corpus definition."""
    max_pages: int | None
    max_depth: int | None
    """Maximum number of links from a start to a page. Default: that of the corpus, or else 32."""
    delay_ms: int | None
    """Minimum pause between two requests to one host, milliseconds. Default: that of the corpus, or else 1,000."""
    concurrency: int | None
    """Maximum number of concurrent requests, each to another host. Default: that of the corpus, or else 16."""
    watch: bool | None
    """True keeps the crawl running, and visits pages again when they are due. Default false."""


def instant_text(value: Instant) -> str:
    """
    Returns an instant as the server reads it.

    Raises:
        ValueError: A ``datetime`` has no time zone.
        TypeError: The value is something else than an instant.
    """
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(
                f"{value.isoformat()} has no time zone: use datetime.now(timezone.utc) or .replace(tzinfo=timezone.utc)"
            )
        return value.isoformat(timespec="milliseconds")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        return value
    raise TypeError(f"an instant is a str, a date or a datetime, not {type(value).__name__}")
