"""Every call, by both clients, on a real server."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest
from conftest import ADMIN_TOKEN, CHAIR, FERRIES, TICKET, TRAM, Connect, RunningServer, Scripted

from asof_client import AsofError, Client


def test_a_search_finds_the_page_of_now(client: Client) -> None:
    answer = client.search("train ticket", max_results=3)
    first = answer.results[0]
    assert (first.url, first.title, first.acquired_at) == (TICKET, "Tickets", "2025-06-10T00:00:00.000Z")
    assert first.snippet == "The **train** **ticket** costs 25 euros."
    assert first.fields == {"price": 25}
    assert (answer.query, answer.mode) == ("train ticket", "pro")
    assert (first.score, first.content, dict(first.more)) == (None, None, {})


def test_a_search_finds_the_page_of_the_past(client: Client) -> None:
    for instant in ("2025-03-01", date(2025, 3, 1), datetime(2025, 3, 1, 12, tzinfo=timezone(timedelta(hours=2)))):
        answer = client.search("train ticket", query_time=instant)
        assert answer.results[0].snippet == "The **train** **ticket** costs 20 euros."


def test_a_call_with_a_key_says_what_it_cost_and_what_it_was_made_from(client: Client, keyless: Client) -> None:
    answer = client.search("train", mode="realtime")
    assert answer.usage is not None
    assert (answer.usage.sku, answer.usage.amount, answer.usage.paid) == ("search.realtime", 1, False)
    assert answer.receipt is not None
    assert answer.receipt["profile"] == "bm25f"
    assert answer.request_id is not None
    free = keyless.search("train")
    assert free.usage is None
    assert free.receipt is not None


def test_lists_filters_and_facets_are_sent(client: Client) -> None:
    answer = client.search(
        "*", sites=["example.com"], filter={"price": {"lt": 30}}, facets=["price:10"], sort="price:asc", offset=0
    )
    assert [result.url for result in answer.results] == [TICKET]
    assert answer.facets is not None
    assert [(each.value, each.count) for each in answer.facets["price:10"]] == [(20, 1)]
    assert answer.total is not None
    assert (answer.total.value, answer.total.exact) == (1, True)


def test_a_search_includes_what_it_is_asked_to(client: Client) -> None:
    include = ["author", "content", "last_seen_at", "score"]
    answer = client.search("train", include=include, content_max_chars=9, strict=True)
    first = answer.results[0]
    assert (first.content, first.author, first.last_seen_at) == ("The train", None, "2025-06-10T00:00:00.000Z")
    assert first.score is not None
    assert first.score > 0


def test_an_explained_search_has_timings_and_scores(client: Client) -> None:
    answer = client.search("train", explain=True)
    assert answer.explain is not None
    assert answer.explain.timings["total_ms"] >= 0
    assert sum(part["score"] for part in answer.explain.scores[0]) > 0


def test_passages_are_parts_of_pages_as_large_as_they_may_be(client: Client, keyless: Client) -> None:
    answer = client.passages("chair price", max_chars=180, max_per_page=1, sites=["shop.example"], include=["citation"])
    (passage,) = answer.passages
    assert (passage.url, passage.context) == (CHAIR, ("Chair",))
    assert passage.text == "Price: 15 €\n\nIt is by **Jane**."
    assert client.fetch(CHAIR).content[passage.start : passage.end] == passage.text
    assert (answer.query, answer.mode, answer.chars) == ("chair price", "pro", len(passage.text))
    assert passage.score > 0 < answer.tokens
    assert passage.citation is not None
    assert "/memento/20250620000000000/" in passage.citation.url
    assert answer.usage is not None
    assert answer.usage.sku == "search.pro"
    free = keyless.passages("ferry river", max_tokens=50)
    assert free.passages != ()
    assert (free.tokens <= 50, free.usage, free.receipt is None) == (True, None, False)
    with pytest.raises(AsofError) as failure:
        client.passages("chair", max_tokens=1, max_per_page=0)
    assert failure.value.status == 400
    assert sorted(each["path"] for each in failure.value.details) == ["max_per_page", "max_tokens"]


def test_a_map_lists_the_urls_of_a_site_in_parts(client: Client, keyless: Client) -> None:
    whole = client.map("https://ferries.example/")
    assert (len(whole.urls), whole.next) == (FERRIES, None)
    first = whole.urls[0]
    assert (first.title, first.acquired_at, first.published_at) == ("Ferry 0", "2025-01-01T00:00:00.000Z", None)
    assert whole.usage is not None
    assert whole.usage.sku == "search.realtime"
    start = keyless.map("https://ferries.example/", limit=100)
    rest = keyless.map("https://ferries.example/", limit=100, cursor=start.next)
    assert (*start.urls, *rest.urls) == whole.urls
    assert [each.url for each in client.map("https://example.com/", search="train ticket").urls] == [TICKET]
    assert client.map("https://example/").urls == ()
    assert len(client.map("https://example/", include_subdomains=True, limit=200).urls) > FERRIES
    with pytest.raises(AsofError) as failure:
        client.map("https://example.com/", cursor=start.next)
    assert (failure.value.status, [each["path"] for each in failure.value.details]) == (400, ["cursor"])


def test_a_map_is_continued_as_of_its_instant(admin: Client, client: Client) -> None:
    site = "https://mapped.example"
    try:
        admin.add_pages({"url": f"{site}/{number}", "text": f"Page {number}."} for number in range(3))
        start = client.map(site, limit=2)
        admin.add_pages([{"url": f"{site}/new", "text": "A new page."}])
        rest = client.map(site, limit=2, cursor=start.next)
        assert sorted(each.url for each in (*start.urls, *rest.urls)) == [f"{site}/{number}" for number in range(3)]
        assert len(client.map(site).urls) == 4
    finally:
        admin.purge_pages(site="mapped.example")


def test_values_of_pages_have_the_quotes_that_state_them(client: Client, keyless: Client) -> None:
    schema = {"type": "object", "properties": {"price": {"type": "number"}, "weight": {"type": "number"}}}
    absent = "https://shop.example/none"
    answer = client.extract([CHAIR, absent, TICKET], schema)
    chair, none, ticket = answer.results
    assert (chair.url, chair.values, chair.error) == (CHAIR, {"price": 15, "weight": None}, None)
    (origin,) = chair.from_
    assert (origin.path, origin.kind, origin.name, origin.quote) == ("/price", "label", "Price", "15 €")
    assert client.fetch(CHAIR).content[origin.start : origin.end] == origin.quote
    assert [(each.path, each.reason, each.declared) for each in chair.missing] == [("/weight", "not_found", None)]
    assert (none.url, none.values, none.from_, none.error) == (absent, None, (), "not_indexed")
    # The page has a field with this price, and no words that say that it is one.
    assert [(each.reason, each.declared) for each in ticket.missing] == [("no_quote", 25), ("not_found", None)]
    assert answer.usage is not None
    assert (answer.usage.sku, answer.usage.amount) == ("fetch", 1)
    past = keyless.extract([CHAIR], schema, query_time="2025-03-01").results[0]
    assert (past.values, past.acquired_at) == ({"price": 12, "weight": None}, "2025-01-20T00:00:00.000Z")


def test_values_of_no_page_and_schemas_that_are_not_supported_are_errors(client: Client) -> None:
    with pytest.raises(AsofError) as failure:
        client.extract([CHAIR], {"type": "object", "properties": {"a": {"type": "string"}}}, query_time="2024-01-01")
    assert (failure.value.status, failure.value.error) == (404, "not_indexed")
    with pytest.raises(AsofError) as failure:
        client.extract([CHAIR], {"type": "object", "properties": {"a": {"$ref": "#"}}}, model=True)
    assert failure.value.status == 400
    assert sorted(each["path"] for each in failure.value.details) == ["model", "schema.properties.a.$ref"]


def test_a_fetch_reads_the_page_of_now_and_of_the_past(client: Client) -> None:
    now = client.fetch(TICKET, include=["citation", "metadata"])
    assert (now.content, now.title) == ("The train ticket costs 25 euros.", "Tickets")
    assert now.superseded_at is None
    assert now.citation is not None
    assert "/memento/" in now.citation.url
    assert now.metadata is not None
    assert now.metadata.last_seen_at == "2025-06-10T00:00:00.000Z"
    past = client.fetch(TICKET, query_time="2025-03-01", max_chars=9, live=False)
    assert (past.content, past.superseded_at) == ("The train", "2025-06-10T00:00:00.000Z")
    assert past.published_at == "2025-01-09T00:00:00.000Z"


def test_quotes_are_verified(client: Client) -> None:
    verdicts = client.verify(
        [
            {"url": TICKET, "quote": "costs 20 euros"},
            {"url": TICKET, "quote": "costs 20 euros", "query_time": date(2025, 3, 1)},
        ]
    ).verdicts
    assert [each.verdict for each in verdicts] == ["contradicted", "verbatim"]
    assert verdicts[0].differences is not None
    difference = verdicts[0].differences[0]
    assert (difference.quote, difference.page, difference.contradicts) == ("20", "25", "number")
    span = verdicts[0].stood[0]
    assert (span.from_, span.until) == ("2025-01-10T00:00:00.000Z", "2025-06-10T00:00:00.000Z")
    assert verdicts[1].passage is not None
    assert verdicts[1].passage.text == "costs 20 euros"


def test_a_history_is_read_in_parts(client: Client) -> None:
    first = client.history(TRAM, limit=1)
    assert [(each.kind, each.at) for each in first.versions] == [("capture", "2025-02-01T00:00:00.000Z")]
    rest = client.history(TRAM, after=first.next)
    assert [(each.kind, each.at) for each in rest.versions] == [("removal", "2025-08-01T00:00:00.000Z")]
    assert rest.next is None


def test_what_is_free_for_everybody_is_answered_with_a_key_and_without(client: Client, keyless: Client) -> None:
    for caller in (client, keyless):
        page = caller.page(TICKET)
        assert (page.content, page.truncated) == ("The train ticket costs 25 euros.", False)
        assert [each.text for each in caller.suggest("Tick").suggestions] == ["Tickets"]
        assert [(each.name, each.type, each.pages) for each in caller.fields().fields] == [("price", "number", 1)]
        captures = caller.captures(max_bins=10)
        assert sum(each.captures for each in captures.bins) == captures.captures > captures.urls > 100
        assert captures.interval in {"month", "year"}


def test_feedback_is_taken_from_callers_with_a_key(client: Client, keyless: Client) -> None:
    assert "1 judgment" in client.feedback("train", {TICKET: 5}, feedback_text="good").message
    with pytest.raises(AsofError) as failure:
        keyless.feedback("train", {TICKET: 5})
    assert (failure.value.status, failure.value.error) == (401, "unauthorized")


def test_an_error_names_each_wrong_field(client: Client) -> None:
    unknown: dict[str, Any] = {"max_result": 3}
    with pytest.raises(AsofError) as failure:
        client.search("train", max_results=99, **unknown)
    assert (failure.value.status, failure.value.error) == (400, "invalid_request")
    assert sorted(each["path"] for each in failure.value.details) == ["max_result", "max_results"]
    assert failure.value.request_id is not None
    assert "max_result" in str(failure.value)


def test_a_page_that_is_not_indexed_is_an_error(client: Client) -> None:
    with pytest.raises(AsofError) as failure:
        client.fetch(TICKET, query_time="2024-01-01")
    assert (failure.value.status, failure.value.error) == (404, "not_indexed")


def test_a_wrong_key_is_an_error(connect: Connect, server: RunningServer) -> None:
    with pytest.raises(AsofError) as failure:
        connect(server.url, key="asof_wrong").search("train")
    assert (failure.value.status, failure.value.error) == (401, "unauthorized")


def test_relevance_is_set_as_a_whole(admin: Client) -> None:
    assert admin.set_relevance({"synonyms": [["tram", "streetcar"]]}).since is not None
    assert admin.relevance().relevance["synonyms"] == [["tram", "streetcar"]]
    assert admin.set_relevance({}).relevance == {}
    assert admin.relevance(query_time="2025-01-01").since is None


def test_pages_are_removed_and_purged(admin: Client, client: Client) -> None:
    url = "https://removed.example/page"
    assert admin.add_pages([{"url": url, "text": "A page.", "acquired_at": "2025-01-01"}]).added == 1
    assert admin.remove_pages(urls=[url], dry_run=True).pages == 1
    assert admin.remove_pages(urls=[url]).pages == 1
    assert client.history(url).versions[-1].kind == "removal"
    purged = admin.purge_pages(prefix="https://removed.example/")
    assert (purged.captures, purged.finished) == (1, True)
    with pytest.raises(AsofError) as failure:
        client.history(url)
    assert failure.value.error == "not_indexed"


def test_a_site_is_crawled_as_of_an_instant(client: Client) -> None:
    past = client.as_of("2025-03-01")
    job = past.start_crawl_job(urls=[TICKET, "https://gone.example/"])
    while job.state == "running":
        time.sleep(0.05)
        job = client.crawl_job(job.id)
    whole = client.crawl_job(job.id)
    assert (whole.state, whole.source, whole.delivered, whole.failed) == ("completed", "index", 1, 1)
    assert (whole.query_time, whole.next) == ("2025-03-01T00:00:00.000Z", None)
    assert whole.pages[0].content == client.fetch(TICKET, query_time="2025-03-01").content
    assert client.crawl_job(job.id, cursor="1").pages == ()
    assert [each.error for each in client.crawl_job_errors(job.id).errors] == ["not_indexed"]
    assert client.cancel_crawl_job(job.id).state == "completed"
    assert job.id in [each.id for each in client.crawl_jobs()]
    with pytest.raises(AsofError) as failure:
        client.crawl_job("../search")
    assert failure.value.status == 404


def test_crawls_are_started_listed_and_stopped(admin: Client, scripted: Scripted) -> None:
    with pytest.raises(AsofError) as failure:
        admin.start_crawl(max_pages=1)
    assert failure.value.status == 400
    page = b"<html><title>Crawled</title><body><article><p>A page that a crawl has read.</p></article></body></html>"
    scripted.otherwise = (200, {"Content-Type": "text/html"}, page)
    name = admin.start_crawl(urls=[f"{scripted.url}/"], watch=True, delay_ms=0).name
    while True:
        crawl = next(each for each in admin.crawls() if each.name == name)
        # A page is counted as fetched before it is stored.
        report = crawl.report
        if report is not None and report.stored + report.unchanged + report.duplicates > 0:
            break
        time.sleep(0.1)
    assert (crawl.state, crawl.watch, crawl.failure) == ("running", True, None)
    assert report.fetched == 1
    assert admin.stop_crawl(name).name == name
    assert next(each for each in admin.crawls() if each.name == name).state in {"stopping", "stopped"}


def test_the_admin_token_is_only_sent_where_it_is_needed(connect: Connect, server: RunningServer) -> None:
    both = connect(server.url, key=server.key, admin_token=ADMIN_TOKEN)
    assert both.search("train").usage is not None
    assert both.relevance().relevance == {}
    with pytest.raises(ValueError, match="admin_token is required"):
        connect(server.url, key=server.key).relevance()


def test_threads_share_a_client(server: RunningServer) -> None:
    with Client(server.url, key=server.key) as client, ThreadPoolExecutor(8) as threads:
        urls = [f"https://ferries.example/{number}" for number in range(100)]
        titles = list(threads.map(lambda url: client.fetch(url).title, urls))
    assert titles == [f"Ferry {number}" for number in range(100)]
