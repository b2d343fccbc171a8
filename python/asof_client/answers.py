"""
The answers of the calls: frozen dataclasses with the field names of the wire. Instants are texts in ISO 8601, UTC,
and can be passed to any ``query_time``. Lists are tuples. A field that the server left out is ``None``.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of an answer."""

    more: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Fields that this version of the package does not know, because the server is newer."""


@dataclass(frozen=True, kw_only=True)
class Usage(Part):
    """The charge of a call with a key."""

    sku: str
    """What was billed: ``search.pro``, ``search.realtime``, ``fetch`` or ``fetch.live``."""
    amount: int
    """Number of calls."""
    credits: int
    """Number of credits that were charged."""
    paid: bool
    """True for purchased credits, false for the free allowance."""


@dataclass(frozen=True, kw_only=True)
class Answer(Part):
    """The answer to a call, with what its headers say."""

    request_id: str | None = field(default=None, repr=False, metadata={"from_header": True})
    """Identifies the request to the operator of the server."""
    usage: Usage | None = field(default=None, repr=False, metadata={"from_header": True})
    """What the call cost. ``None`` if it was free, and without a key."""
    receipt: Mapping[str, Any] | None = field(default=None, repr=False, metadata={"from_header": True})
    """
    The state of the index that a search, passages or a list of URLs was answered from. If the receipts of one request
    are equal, so are the answers.
    """


@dataclass(frozen=True, kw_only=True)
class Citation(Part):
    """A permanent link to a version of a page."""

    url: str
    """Shows the page as it was, as long as the index keeps this version."""
    text: str
    """A line to paste: title, site, publish date if known, instant and link."""


@dataclass(frozen=True, kw_only=True)
class PublishedFrom(Part):
    """Where a publish date was found."""

    source: str
    """Such as ``json-ld``."""
    precision: str
    """Such as ``day``."""


@dataclass(frozen=True, kw_only=True)
class ResultPassage(Part):
    """A part of the page of a result that answers the query."""

    text: str
    """The passage, as it is in the Markdown of the page. At most 2,000 UTF-16 units."""
    start: int
    """Where the passage begins in the Markdown of the page as of the instant, in UTF-16 units."""
    end: int
    """The offset behind it."""
    context: tuple[str, ...]
    """
    What is above the passage, outermost first: the headings of its section, the head of its table, the line that
    introduces it.
    """
    score: float
    """Greater is better. Scores of different queries cannot be compared."""


@dataclass(frozen=True, kw_only=True)
class Result(Part):
    """A page that a search found."""

    title: str
    url: str
    snippet: str | None = None
    """Excerpt with the matched words in ``**…**``. ``None`` if the page has no text."""
    title_highlights: tuple[tuple[int, int], ...] | None = None
    """The matched words of the title: ``[start, end)`` in UTF-16 units."""
    snippet_highlights: tuple[tuple[int, int], ...] | None = None
    """The matched words of the snippet, without their ``**``: ``[start, end)`` in UTF-16 units."""
    content: str | None = None
    """Markdown of the page. Only if the request includes it, or in mode ``realtime_content``."""
    passages: tuple[ResultPassage, ...] | None = None
    """What answers best, in the order of the page. Only if the request includes it."""
    author: str | None = None
    """Only if the request includes it."""
    score: float | None = None
    """
    The score by which the page has its place, greater is better. It never rises from one result to the next. Scores of
    different queries cannot be compared. Only if the request includes it.
    """
    published_at: str | None = None
    published_from: PublishedFrom | None = None
    """Only in explained answers."""
    acquired_at: str | None = None
    """When this text of the page was indexed."""
    last_seen_at: str | None = None
    """When the page was last seen, up to the instant of the answer. Only if the request includes it."""
    fields: Mapping[str, Any] | None = None
    """The fields of the page, by name. An instant is ``{"$date": "…"}``, a text ``{"$text": "…"}``."""
    language: str | None = None
    """The language of the page (ISO 639-1), if known. Only in answers to requests with a language."""
    citation: Citation | None = None
    description: str = field(default="", repr=False)
    """Deprecated, always empty."""


@dataclass(frozen=True, kw_only=True)
class FacetValue(Part):
    """The number of matches that have a value."""

    value: str | float | bool
    """A keyword, number or boolean, or an instant as text. Of a bucket the beginning, such as 10 or ``2025-05-01``."""
    count: int


@dataclass(frozen=True, kw_only=True)
class Total(Part):
    """The number of matches."""

    value: int
    exact: bool
    """False: there are more matches than that."""


@dataclass(frozen=True, kw_only=True)
class Explanation(Part):
    """How an answer came about."""

    timings: Mapping[str, float]
    """Milliseconds of each step, by names such as ``top_k_ms``."""
    scores: tuple[tuple[Mapping[str, Any], ...], ...]
    """For each result the parts of its score, which add up to it."""
    language: str | None = None
    """The language in which the query was analyzed, if it has stems."""


@dataclass(frozen=True, kw_only=True)
class SearchAnswer(Answer):
    """Ranked pages for a query."""

    query: str
    mode: str
    """The ranking that served the request: ``pro`` or ``realtime``."""
    results: tuple[Result, ...]
    """Best first."""
    warning: str | None = None
    """Why the request was not answered as a plain search."""
    facets: Mapping[str, tuple[FacetValue, ...]] | None = None
    """By facet, as the request has it, the values with their numbers of matches. Only if the request has facets."""
    total: Total | None = None
    """Only in answers to requests with facets, sort, offset, cursor or the query ``*``."""
    next: str | None = None
    """Present in answers with a total if there are more results. Pass it as ``cursor``."""
    wizards: tuple[Mapping[str, Any], ...] | None = None
    """Structured answers, if wizards were enabled and one answered."""
    explain: Explanation | None = None


@dataclass(frozen=True, kw_only=True)
class FoundPassage(Part):
    """A part of a page that answers a query."""

    url: str
    title: str
    """The title of the page."""
    text: str
    """The passage, as it is in the Markdown of the page. At most 2,000 UTF-16 units."""
    start: int
    """Where the passage begins in the Markdown of the page as of the instant, in UTF-16 units."""
    end: int
    """The offset behind it."""
    context: tuple[str, ...]
    """
    What is above the passage, outermost first: the headings of its section, the head of its table, the line that
    introduces it.
    """
    score: float
    """Greater is better. Scores of different queries cannot be compared."""
    acquired_at: str
    """When the text of the page was indexed."""
    published_at: str | None = None
    citation: Citation | None = None
    """Only if the request includes it."""


@dataclass(frozen=True, kw_only=True)
class Passages(Answer):
    """The passages that answer a query best, over all pages."""

    query: str
    mode: str
    """The ranking that served the request: ``pro`` or ``realtime``."""
    passages: tuple[FoundPassage, ...]
    """The page with the best passage comes first. The passages of a page are in the order of the page."""
    chars: int
    """Number of UTF-16 units of all passages."""
    tokens: int
    """Estimated number of tokens of all passages."""
    warning: str | None = None
    """Why the request was not answered as a plain search."""


@dataclass(frozen=True, kw_only=True)
class MappedPage(Part):
    """A page of a site."""

    url: str
    title: str
    acquired_at: str
    """When the text of the page was indexed."""
    published_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class SiteMap(Answer):
    """The URLs of a site, or of a part of it."""

    urls: tuple[MappedPage, ...]
    """The last captured first. If the request has words, the best first."""
    next: str | None = None
    """Present if there may be more pages. Pass it as ``cursor``."""
    warning: str | None = None
    """For example, that the index had no pages at all."""


@dataclass(frozen=True, kw_only=True)
class Metadata(Part):
    """What is known of a page in addition to its text."""

    description: str | None = None
    site_name: str | None = None
    lang: str | None = None
    """The language that the page declares, as a tag."""
    kind: str | None = None
    """Such as ``article`` or ``docs``."""
    published_from: PublishedFrom | None = None
    revised_at: str | None = None
    """When these metadata were indexed, if later than the text."""
    last_seen_at: str | None = None
    """When the page was last seen, up to ``query_time``."""
    data: tuple[Mapping[str, Any], ...] | None = None
    """Structured data of the page, as JSON-LD in the vocabulary of schema.org."""


@dataclass(frozen=True, kw_only=True)
class FetchedPage(Answer):
    """A page as Markdown."""

    url: str
    """The URL of the page. After a redirect it differs from the requested one."""
    content: str
    """Extracted Markdown, or the answer to the prompt."""
    title: str
    author: str | None = None
    published_at: str | None = None
    acquired_at: str | None = None
    """When this text of the page was indexed. ``None`` for a live fetch."""
    superseded_at: str | None = None
    """
    When this version stopped being current. ``None`` if it is current, without ``query_time``, and in a view of the
    past, because it is the only field about what came later.
    """
    fields: Mapping[str, Any] | None = None
    """The fields of the page, by name."""
    metadata: Metadata | None = None
    """Only if the request includes it."""
    citation: Citation | None = None
    description: str = field(default="", repr=False)
    """Deprecated, always empty."""


@dataclass(frozen=True, kw_only=True)
class CrawledPage(Part):
    """A page that a crawl of an organization has read."""

    url: str
    title: str
    content: str
    """Extracted Markdown, up to 50,000 characters."""
    truncated: bool
    """True if the page has more content."""
    acquired_at: str
    """When this text was indexed or, without ``query_time``, fetched from its site."""
    author: str | None = None
    published_at: str | None = None
    fields: Mapping[str, Any] | None = None
    """The fields of the page, by name."""
    metadata: Metadata | None = None


@dataclass(frozen=True, kw_only=True)
class CrawlJob(Answer):
    """A crawl of an organization."""

    id: str
    state: str
    """``running``, ``completed``, ``cancelled`` or ``failed``. Its pages can be read in every state."""
    source: str
    """``index`` for the pages that the index had at ``query_time``, ``site`` for those of now."""
    limit: int
    delivered: int
    """The number of pages so far. Each was charged."""
    failed: int
    """The number of pages so far that could not be read. They cost nothing."""
    made_at: str
    expires_at: str
    """When the crawl and its pages are deleted."""
    url: str | None = None
    """Where the crawl started. ``None`` for a list of pages."""
    query_time: str | None = None
    """The instant of a crawl of the index."""
    ended_at: str | None = None
    failure: str | None = None
    """Why the crawl failed."""


@dataclass(frozen=True, kw_only=True)
class CrawlJobPages(CrawlJob):
    """A crawl of an organization with some of its pages."""

    pages: tuple[CrawledPage, ...]
    next: str | None = None
    """Present if there are more, or may be because the crawl is running. Pass it as ``cursor``."""


@dataclass(frozen=True, kw_only=True)
class CrawlJobs(Answer):
    """The last crawls of an organization."""

    crawls: tuple[CrawlJob, ...]


@dataclass(frozen=True, kw_only=True)
class UnreadPage(Part):
    """A page that a crawl could not read."""

    url: str
    error: str
    """Such as ``target_not_found`` or ``robots_disallowed``."""
    message: str
    at: str


@dataclass(frozen=True, kw_only=True)
class CrawlJobErrors(Answer):
    """The pages that a crawl could not read, oldest first."""

    errors: tuple[UnreadPage, ...]
    next: str | None = None


@dataclass(frozen=True, kw_only=True)
class Page(Answer):
    """All that the index has of a page."""

    url: str
    """The URL under which the page is stored."""
    title: str
    content: str
    """Extracted Markdown."""
    truncated: bool
    """True if the page has more content."""
    acquired_at: str
    """When this text was indexed."""
    last_seen_at: str
    """When the page was last seen, up to ``query_time``."""
    author: str | None = None
    description: str | None = None
    site_name: str | None = None
    lang: str | None = None
    """The language that the page declares, as a tag."""
    kind: str | None = None
    """Such as ``article`` or ``docs``."""
    published_at: str | None = None
    published_from: PublishedFrom | None = None
    revised_at: str | None = None
    """When these metadata were indexed, if later than the text."""
    data: tuple[Mapping[str, Any], ...] | None = None
    """Structured data of the page, as JSON-LD in the vocabulary of schema.org."""
    fields: Mapping[str, Any] | None = None
    """The fields of the page, by name."""
    citation: Citation | None = None


@dataclass(frozen=True, kw_only=True)
class Version(Part):
    """A version of a page."""

    kind: str
    """``capture``: the text changed. ``revision``: only metadata or markup changed. ``removal``: the page was gone."""
    at: str
    """When the version began."""
    last_seen_at: str
    """When the page was last seen unchanged."""
    title: str
    changed: tuple[str, ...]
    """
    The parts that differ from the previous version, such as ``text``. Empty for the first version and for a removal.
    """
    superseded_at: str | None = None
    """When the next version began. ``None`` for the last one."""
    published_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class History(Answer):
    """The versions of a page, oldest first."""

    url: str
    """The URL under which the page is stored."""
    versions: tuple[Version, ...]
    next: str | None = None
    """Present if there are more versions. Pass it as ``after``."""


@dataclass(frozen=True, kw_only=True)
class Passage(Part):
    """A part of a page."""

    text: str
    """Without Markdown marks, at most 10,000 UTF-16 units."""
    start: int
    """Where the passage begins in the Markdown of the page, in UTF-16 units."""
    end: int
    """The offset behind it."""


@dataclass(frozen=True, kw_only=True)
class Difference(Part):
    """A place where a page has other words than a quote."""

    quote: str
    page: str
    contradicts: str | None = None
    """``number``, ``unit``, ``name``, ``date``, ``negation`` or ``sign``. ``None`` if only the words differ."""


@dataclass(frozen=True, kw_only=True)
class Span(Part):
    """A time during which a page had a quote."""

    from_: str
    until: str | None = None
    """``None`` if the page still has the quote."""


@dataclass(frozen=True, kw_only=True)
class Verdict(Part):
    """The judgment of one quote."""

    verdict: str
    """
    ``verbatim``, ``contradicted`` (another number, unit, name, date or sign, or a negation), ``reworded``, ``gone``
    or ``unknown_page``.
    """
    url: str
    """The URL under which the page is stored."""
    instant: str
    """The instant of the answer."""
    stood: tuple[Span, ...]
    """When the page had the quote verbatim, oldest first."""
    acquired_at: str | None = None
    """When the text was indexed by which the quote was judged."""
    last_seen_at: str | None = None
    passage: Passage | None = None
    differences: tuple[Difference, ...] | None = None
    read_from: str | None = None
    """Present if the history is too long to be read whole: ``stood`` begins at the earliest here."""


@dataclass(frozen=True, kw_only=True)
class Verification(Answer):
    """The verdicts on quotes, in the order of the request."""

    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, kw_only=True)
class ValueOrigin(Part):
    """Where a value is on a page."""

    path: str
    """Where the value is in ``values``: a JSON Pointer."""
    kind: str
    """
    The source: ``data`` (structured data of the page), ``field`` (a field of the corpus), ``page`` (a fact about the
    page, such as its author), ``label`` (a table, list or line with a label) or ``model`` (the language model).
    """
    name: str
    """The path of properties, or the name of the field, the fact or the label."""
    quote: str
    """The passage of the Markdown that states the value. :meth:`Client.verify` finds it verbatim."""
    start: int
    """Where the quote begins in the Markdown of the page, in UTF-16 units."""
    end: int
    """The offset behind it."""


@dataclass(frozen=True, kw_only=True)
class MissingValue(Part):
    """A value that is unknown."""

    path: str
    """Where the value would be in ``values``: a JSON Pointer."""
    reason: str
    """
    ``not_found`` (no source has a value), ``no_quote`` (a source has one, and the text of the page does not state it),
    ``type`` (it does not fit the schema) or ``conflict`` (one source has several).
    """
    declared: str | float | bool | None = None
    """What the source has, if the reason is ``no_quote``. Nothing on the page proves it."""


@dataclass(frozen=True, kw_only=True)
class PageValues(Part):
    """The values of one page."""

    url: str
    """The URL under which the page is stored."""
    values: Mapping[str, Any] | None
    """
    The values of the schema, with ``None`` for each that is unknown. ``None`` if the index does not have the page.
    """
    from_: tuple[ValueOrigin, ...]
    """One for each value."""
    missing: tuple[MissingValue, ...]
    """The values that are unknown."""
    acquired_at: str | None = None
    """When the text that was read was indexed."""
    error: str | None = None
    """``not_indexed`` if the index does not have the page."""


@dataclass(frozen=True, kw_only=True)
class Extraction(Answer):
    """The values of pages, in the order of the URLs of the request."""

    results: tuple[PageValues, ...]


@dataclass(frozen=True, kw_only=True)
class Thanks(Answer):
    """Feedback was stored."""

    message: str


@dataclass(frozen=True, kw_only=True)
class Bin(Part):
    """The captures of an interval of time."""

    at: str
    """When the bin begins."""
    ends_at: str
    """When the next bin begins."""
    captures: int


@dataclass(frozen=True, kw_only=True)
class Captures(Answer):
    """The captures of the index by the time at which they were acquired."""

    captures: int
    """Number of captures, superseded ones included."""
    urls: int
    """Number of URLs."""
    interval: str
    """The length of a bin: ``minute``, ``hour``, ``day``, ``week``, ``month`` or ``year``, in UTC."""
    bins: tuple[Bin, ...]
    """The bins with captures, oldest first."""
    sealed_at: str | None = None
    """Present if the index is sealed: nothing that came later is shown."""


@dataclass(frozen=True, kw_only=True)
class FieldOfPages(Part):
    """A field that pages have."""

    name: str
    type: str
    pages: int
    """Number of pages that have the field."""
    examples: tuple[FacetValue, ...]
    """The values that most pages have."""


@dataclass(frozen=True, kw_only=True)
class FieldsOfPages(Answer):
    """The fields that pages have, by name."""

    fields: tuple[FieldOfPages, ...]


@dataclass(frozen=True, kw_only=True)
class Suggestion(Part):
    """A completion of what was typed."""

    kind: str
    """``title`` or ``site``."""
    text: str
    url: str | None = None
    """The page of a title."""


@dataclass(frozen=True, kw_only=True)
class Suggestions(Answer):
    """Completions, best first."""

    suggestions: tuple[Suggestion, ...]


@dataclass(frozen=True, kw_only=True)
class AdditionFailure(Part):
    """A record that was not added."""

    code: str
    message: str
    line: int | None = None
    """The number of the record, from 1. ``None`` if several records have the address."""
    url: str | None = None


@dataclass(frozen=True, kw_only=True)
class AdditionWarning(Part):
    """A value that was left out or shortened. Its record was added."""

    url: str
    field: str
    message: str
    line: int | None = None


@dataclass(frozen=True, kw_only=True)
class AdditionReport(Answer):
    """What an addition of pages did."""

    read: int = 0
    """Number of records, valid or not."""
    added: int = 0
    """Number of versions with new text."""
    revised: int = 0
    """Number of pages with the text that the index has, and other metadata."""
    unchanged: int = 0
    """Number of pages that the index has as they are."""
    removed: int = 0
    """Number of removals."""
    failed: int = 0
    """Number of records that were not added."""
    failures: tuple[AdditionFailure, ...] = ()
    """The first 100 records of each request that were not added."""
    warnings: tuple[AdditionWarning, ...] = ()
    """The first 100 values of each request that were left out or shortened."""
    unknown_fields: tuple[str, ...] = ()
    """Fields that are not known, and were ignored."""


@dataclass(frozen=True, kw_only=True)
class DeletionFailure(Part):
    """An address that is not valid."""

    url: str
    message: str
    code: str


@dataclass(frozen=True, kw_only=True)
class DeletionReport(Answer):
    """What a removal or a purge did."""

    pages: int
    """Number of pages that were removed or purged."""
    captures: int
    """Number of versions that were purged. 0 for a removal."""
    failed: int
    """Number of addresses of the list that are not valid."""
    failures: tuple[DeletionFailure, ...]
    """The first 100 of them."""
    finished: bool
    """False: the time was up. The same request deletes the rest."""


@dataclass(frozen=True, kw_only=True)
class CrawlName(Answer):
    """The crawl that was started or stopped."""

    name: str


@dataclass(frozen=True, kw_only=True)
class CrawlFailure(Part):
    """A page that a crawl could not read."""

    url: str
    code: str
    message: str
    found_on: str | None
    """The page with the link. ``None`` for a URL where the crawl starts."""


@dataclass(frozen=True, kw_only=True)
class CrawlReport(Part):
    """The counts of a crawl."""

    fetched: int
    stored: int
    unchanged: int
    revised: int
    duplicates: int
    removed: int
    noindex: int
    fresh: int
    rendered: int
    bytes: int
    skipped_by_robots: int
    without_text: int
    without_text_urls: tuple[str, ...]
    replaced_characters: int
    replaced_urls: tuple[str, ...]
    failed: Mapping[str, int]
    """Number of pages that failed, by error code."""
    sitemaps_failed: int
    statuses: Mapping[str, int]
    """Number of answers, by HTTP status."""
    duration_ms: float
    pending: int
    known: Mapping[str, int]
    """Number of known URLs in each state."""
    finished: bool
    failures: tuple[CrawlFailure, ...]


@dataclass(frozen=True, kw_only=True)
class Crawl(Part):
    """The last crawl of a name."""

    name: str
    state: str
    """``running``, ``stopping``, ``finished``, ``stopped``, ``interrupted`` or ``failed``."""
    watch: bool
    can_resume: bool
    started_at: str
    ended_at: str | None
    failure: str | None
    report: CrawlReport | None


@dataclass(frozen=True, kw_only=True)
class Crawls(Answer):
    """The last crawl of each name, newest first."""

    crawls: tuple[Crawl, ...]


@dataclass(frozen=True, kw_only=True)
class RelevanceAsOf(Answer):
    """How searches rank pages."""

    relevance: Mapping[str, Any]
    """``weights``, ``synonyms``, ``stop_words`` and ``rules``, as far as they are set."""
    since: str | None = None
    """Since when it holds. ``None`` if none was set by then."""


P = TypeVar("P", bound=Part)


class UnknownFormError(Exception):
    """A value of an answer does not have the form that the contract says."""


def read_part(cls: type[P], value: object) -> P:
    """
    Reads a part of an answer from JSON. Values are not checked any further than is needed to read them.

    Raises:
        UnknownFormError: A field is missing, or an object or a list is something else.
    """
    if not isinstance(value, dict):
        raise UnknownFormError(f"{cls.__name__} is not an object")
    form = _form_of(cls)
    known = {name: read(value[wire]) for wire, (name, read) in form.readers.items() if wire in value}
    missing = [name for name in form.required if name not in known]
    if missing:
        raise UnknownFormError(f"{cls.__name__} has no {missing[0]}")
    return cls(**known, more={name: each for name, each in value.items() if name not in form.readers})


def wire_name(attribute: str) -> str:
    """Returns the name that a field has on the wire. Words of Python have an underscore at the end."""
    return attribute.rstrip("_")


Reader = Callable[[Any], Any]


@dataclass(frozen=True)
class _Form:
    """How a class is read."""

    readers: Mapping[str, tuple[str, Reader]]
    """By name on the wire the attribute, and the reader of its value."""
    required: tuple[str, ...]
    """The attributes that have no default."""


_forms: dict[type[Part], _Form] = {}


def _form_of(cls: type[Part]) -> _Form:
    form = _forms.get(cls)
    if form is None:
        hints = typing.get_type_hints(cls)
        own = [each for each in dataclasses.fields(cls) if each.name != "more" and "from_header" not in each.metadata]
        required = (each.name for each in own if each.default is each.default_factory is dataclasses.MISSING)
        readers = {wire_name(each.name): (each.name, _reader_of(hints[each.name])) for each in own}
        form = _forms[cls] = _Form(readers, tuple(required))
    return form


def _reader_of(hint: Any) -> Reader:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, type) and issubclass(hint, Part):
        return partial(read_part, hint)
    if origin in (typing.Union, types.UnionType) and type(None) in arguments:
        inner = [each for each in arguments if each is not type(None)]
        read = _reader_of(inner[0])
        return lambda value: None if value is None else read(value)
    if origin is tuple:
        return partial(_read_tuple, _reader_of(arguments[0]))
    if origin is Mapping:
        return partial(_read_mapping, _reader_of(arguments[1]))
    return lambda value: value


def _read_tuple(read: Reader, value: object) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise UnknownFormError("a list is something else")
    return tuple(read(each) for each in value)


def _read_mapping(read: Reader, value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise UnknownFormError("an object is something else")
    return {name: read(each) for name, each in value.items()}
