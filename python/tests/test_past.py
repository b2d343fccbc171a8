"""Views of the past and sealed clients show nothing later, and refuse what would."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

import pytest
from conftest import ADMIN_TOKEN, CHAIR, TICKET, TRAM, Connect, RunningServer

from asof_client import AsofError, AsyncClient, Client

PRICE = {"type": "object", "properties": {"price": {"type": "number"}}}


def test_every_call_of_a_view_is_as_of_its_instant(connect: Connect, server: RunningServer) -> None:
    client = connect(server.url, key=server.key, admin_token=ADMIN_TOKEN)
    past = client.as_of("2025-03-01")
    assert past.search("train ticket").results[0].snippet == "The **train** **ticket** costs 20 euros."
    assert past.passages("train ticket").passages[0].text == "The train ticket costs 20 euros."
    assert past.fetch(TICKET).content == "The train ticket costs 20 euros."
    assert past.extract([CHAIR], PRICE).results[0].values == {"price": 12}
    assert past.page(TICKET).fields == {"price": 20}
    assert past.verify([{"url": TICKET, "quote": "costs 20 euros"}]).verdicts[0].verdict == "verbatim"
    assert [each.kind for each in past.history(TRAM).versions] == ["capture"]
    assert past.history(TICKET).versions[0].superseded_at is None
    assert [each.text for each in past.suggest("Tram").suggestions] == ["Tram"]
    assert past.fields().fields[0].examples[0].value == 20
    assert past.run({"q": "train"}) == past.run({"q": {"query": "train", "query_time": "2025-03-01"}})
    assert client.fetch(TICKET).content == "The train ticket costs 25 euros."


def test_a_view_maps_the_pages_of_its_instant_in_parts(client: Client) -> None:
    past = client.as_of("2025-03-01")
    start = past.map("https://example.com/", limit=1)
    rest = past.map("https://example.com/", limit=1, cursor=start.next)
    assert [each.url for each in (*start.urls, *rest.urls)] == [TRAM, TICKET]
    assert [each.url for each in client.map("https://example.com/").urls] == [TICKET]
    with pytest.raises(AsofError) as failure:
        client.as_of("2025-03-02").map("https://example.com/", limit=1, cursor=start.next)
    assert (failure.value.status, [each["path"] for each in failure.value.details]) == (400, ["cursor"])


def test_a_view_does_not_say_when_a_version_ended(client: Client) -> None:
    assert client.fetch(TICKET, query_time="2025-03-01").superseded_at == "2025-06-10T00:00:00.000Z"
    page = client.as_of("2025-03-01").fetch(TICKET)
    assert (page.superseded_at, dict(page.more)) == (None, {})


Ask = Callable[[Client], object]


@pytest.mark.parametrize(
    "ask",
    [
        lambda past: past.search("train", query_time="2025-03-02"),
        lambda past: past.passages("train", query_time="2025-03-02"),
        lambda past: past.map("https://example.com/", query_time="7d"),
        lambda past: past.extract([TICKET], PRICE, query_time="2025-03-02"),
        lambda past: past.fetch(TICKET, query_time="7d"),
        lambda past: past.fetch(TICKET, live=True),
        lambda past: past.verify([{"url": TICKET, "quote": "a", "query_time": "2026-01-01"}]),
        lambda past: past.run({"q": {"query": "train", "query_time": "2025-04-01"}}),
        lambda past: past.as_of("2025-04-01"),
        lambda past: past.captures(),
        lambda past: past.feedback("train", {TICKET: 5}),
        lambda past: past.relevance(),
        lambda past: past.add_pages([{"url": TICKET, "text": "new"}]),
        lambda past: past.remove_pages(urls=[TICKET]),
    ],
)
def test_a_view_refuses_other_instants_and_what_is_about_now(connect: Connect, server: RunningServer, ask: Ask) -> None:
    past = connect(server.url, key=server.key, admin_token=ADMIN_TOKEN).as_of("2025-03-01")
    with pytest.raises(ValueError, match="as of 2025-03-01"):
        ask(past)


def test_a_view_takes_its_own_instant(client: Client) -> None:
    past = client.as_of(datetime(2025, 3, 1, tzinfo=timezone.utc))
    assert past.search("train", query_time=datetime(2025, 3, 1, tzinfo=timezone.utc)).results != ()
    assert past.as_of("2025-03-01T00:00:00.000+00:00").search("train").results != ()


@pytest.mark.parametrize("moving", ["7d", "90min", "2w", "1mo", " 1y "])
def test_a_view_needs_a_fixed_instant(client: Client, moving: str) -> None:
    with pytest.raises(ValueError, match="fixed instant"):
        client.as_of(moving)


def test_an_instant_has_a_time_zone_and_a_known_type(client: Client) -> None:
    with pytest.raises(ValueError, match="time zone"):
        client.search("train", query_time=datetime(2025, 3, 1))  # noqa: DTZ001
    number: Any = 1_740_787_200
    with pytest.raises(TypeError, match="not int"):
        client.as_of(number)


def test_the_end_of_a_view_leaves_its_client_open(server: RunningServer) -> None:
    with Client(server.url, key=server.key) as client:
        with client.as_of("2025-03-01") as past:
            assert past.search("train").results
        assert client.search("train").results
    with pytest.raises(RuntimeError, match="closed"):
        client.search("train")


async def use_view(server: RunningServer) -> None:
    async with AsyncClient(server.url, key=server.key) as client:
        async with client.as_of("2025-03-01") as past:
            assert (await past.search("train")).results
        assert (await client.search("train")).results
    with pytest.raises(RuntimeError, match="closed"):
        await client.search("train")


def test_the_end_of_an_asynchronous_view_leaves_its_client_open(server: RunningServer) -> None:
    import asyncio

    asyncio.run(use_view(server))


def test_a_sealed_client_sees_nothing_later(connect: Connect, server: RunningServer) -> None:
    sealed = connect(server.url, title="tests", admin_token=ADMIN_TOKEN).sealed(server.sealed_key)
    assert sealed.search("train ticket").results[0].snippet == "The **train** **ticket** costs 20 euros."
    assert sealed.passages("train ticket").passages[0].text == "The train ticket costs 20 euros."
    assert [each.url for each in sealed.map("https://example.com/").urls] == [TRAM, TICKET]
    assert sealed.extract([CHAIR], PRICE).results[0].values == {"price": 12}
    assert sealed.fetch(TICKET).content == "The train ticket costs 20 euros."
    assert [each.kind for each in sealed.history(TRAM).versions] == ["capture"]
    with pytest.raises(AsofError) as failure:
        sealed.search("train", query_time="2025-06-11")
    assert failure.value.status == 400
    with pytest.raises(AsofError) as failure:
        sealed.fetch(TICKET, live=True)
    assert failure.value.status == 400


@pytest.mark.parametrize(
    "ask",
    [
        lambda sealed: sealed.page(TICKET),
        lambda sealed: sealed.suggest("Tick"),
        lambda sealed: sealed.fields(),
        lambda sealed: sealed.captures(),
        lambda sealed: sealed.as_of("2025-02-01").page(TICKET),
    ],
)
def test_a_sealed_client_refuses_calls_that_a_key_does_not_seal(
    connect: Connect, server: RunningServer, ask: Ask
) -> None:
    sealed = connect(server.url, title="tests").sealed(server.sealed_key)
    with pytest.raises(ValueError, match="does not seal"):
        ask(sealed)


def test_a_sealed_client_has_no_admin_token(connect: Connect, server: RunningServer) -> None:
    sealed = connect(server.url, title="tests", admin_token=ADMIN_TOKEN).sealed(server.sealed_key)
    with pytest.raises(ValueError, match="admin_token is required"):
        sealed.add_pages([{"url": TICKET, "text": "new"}])
