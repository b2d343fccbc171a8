"""Records become requests of a size that the server takes, and one report."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timezone
from typing import Any

import pytest
from conftest import ADMIN_TOKEN, RunningServer

from asof_client import AdditionReport, AsyncClient, Client
from asof_client.additions import Additions


def records(count: int, site: str) -> Iterator[dict[str, Any]]:
    for number in range(count):
        yield {
            "url": f"https://{site}.example/{number}",
            "text": f"Page {number}.",
            "acquired_at": datetime(2025, 1, 1, tzinfo=timezone.utc),
        }


def test_an_iterator_of_records_is_added(admin: Client, client: Client) -> None:
    report = admin.add_pages(records(20, "iterator"))
    # Both kinds of clients add the same records, and the second one changes nothing.
    assert (report.read, report.added + report.unchanged, report.failures) == (20, 20, ())
    assert client.fetch("https://iterator.example/19").acquired_at == "2025-01-01T00:00:00.000Z"


def test_lines_of_a_file_are_added(admin: Client, tmp_path: Any) -> None:
    file = tmp_path / "pages.jsonl"
    file.write_text("\n".join(json.dumps({"url": f"/{n}", "text": f"Line {n}."}) for n in range(3)) + "\n\n{oops\n")
    with file.open() as lines:
        report = admin.add_pages(lines, base_url="https://lines.example/")
    assert (report.added + report.unchanged, report.failed) == (3, 1)
    assert [each.line for each in report.failures] == [5]


def test_nothing_is_sent_for_no_records(admin: Client) -> None:
    assert admin.add_pages([]) == AdditionReport()


def test_an_asynchronous_iterator_is_added(server: RunningServer) -> None:
    async def pages() -> AsyncIterator[dict[str, Any]]:
        for record in records(3, "asynchronous"):
            yield record

    async def add() -> AdditionReport:
        async with AsyncClient(server.url, admin_token=ADMIN_TOKEN) as client:
            return await client.add_pages(pages())

    assert asyncio.run(add()).added == 3


def test_reports_of_batches_are_added_up_with_the_numbers_of_all_lines(server: RunningServer) -> None:
    given = [json.dumps({"url": f"https://batches.example/{n}", "text": "x"}) for n in range(5)]
    given[3] = "{"
    given[4] = '{"url": "https://batches.example/4", "text": "x", "novelty": 1}'
    additions = Additions(batch_bytes=100)
    batches = [batch for record in given if (batch := additions.add(record)) is not None]
    last = additions.rest()
    assert last is not None
    assert [batch.count(b"\n") + 1 for batch in (*batches, last)] == [2, 2, 1]
    with Client(server.url, admin_token=ADMIN_TOKEN) as client:
        for batch in (*batches, last):
            additions.count(batch, client.add_pages(batch.decode().split("\n")))
    report = additions.report
    assert (report.read, report.added, report.failed) == (5, 4, 1)
    assert [each.line for each in report.failures] == [4]
    assert report.unknown_fields == ("novelty",)


def test_a_record_that_is_larger_than_a_batch_is_sent_without_others() -> None:
    additions = Additions(batch_bytes=10)
    assert additions.add("{}") is None
    assert additions.add("x" * 50) == b"{}"
    assert additions.add("{}") == b"x" * 50
    assert additions.rest() == b"{}"
    assert additions.rest() is None


def test_a_value_that_json_does_not_have_is_refused(admin: Client) -> None:
    with pytest.raises(TypeError, match="object"):
        admin.add_pages([{"url": "https://a.example/", "text": object()}])
    with pytest.raises(ValueError, match="Out of range float"):
        admin.add_pages([{"url": "https://a.example/", "fields": {"price": float("nan")}}])
