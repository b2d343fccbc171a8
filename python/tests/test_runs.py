"""Runs are what the tools of evaluation read."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import ir_measures
import pytest
from conftest import FERRIES, TICKET, TRAM, Connect, RunningServer, Scripted
from ir_measures import RR, nDCG

from asof_client import AsofError, AsyncClient, Client, Run, frame, write_trec

QUERIES = {"q1": "train ticket", "q2": "ferry timetable"}


def test_a_run_has_the_results_of_each_query_in_their_order_with_their_scores(client: Client) -> None:
    run = client.run(QUERIES, depth=20, mode="realtime")
    for query_id, query in QUERIES.items():
        found = client.search(query, max_results=20, mode="realtime", include=["score"]).results
        assert list(run[query_id]) == [result.url for result in found]
        scores = list(run[query_id].values())
        assert scores == sorted(set(scores), reverse=True)
        assert scores == pytest.approx([result.score for result in found], abs=1e-4)


def test_a_query_has_fields_of_its_own(client: Client) -> None:
    run = client.run({"then": {"query": "tram", "query_time": "2025-03-01"}, "now": "tram"}, sites=["example.com"])
    assert TRAM in run["then"]
    assert TRAM not in run["now"]


@pytest.mark.parametrize("depth", [1, 50, 51, 100, 110, 1000])
def test_a_run_is_as_deep_as_it_is_asked_to_be(client: Client, depth: int) -> None:
    run = client.run({"q": "ferry"}, depth=depth, mode="realtime")
    assert len(run["q"]) == min(depth, FERRIES)
    scores = list(run["q"].values())
    assert scores == sorted(set(scores), reverse=True)


def test_a_page_that_is_looked_up_by_its_url_has_a_score(client: Client) -> None:
    assert client.run({"q": TICKET}) == {"q": {TICKET: 1.0}}


def test_documents_are_named_as_the_caller_names_them(client: Client) -> None:
    run = client.run({"q": "ferry"}, depth=60, name_of=lambda result: result.url.split("/")[2])
    assert list(run["q"]) == ["ferries.example"]


def test_scores_of_a_server_decrease_also_where_it_sends_equal_ones(connect: Connect, scripted: Scripted) -> None:
    results = ",".join(
        f'{{"title": "", "url": "https://a.example/{n}", "score": {score}}}' for n, score in enumerate([9.5, 7, 7, 8])
    )
    scripted.answer(200, f'{{"query": "a", "mode": "pro", "results": [{results}]}}'.encode())
    scores = list(connect(scripted.url, title="tests").run({"q": "a"})["q"].values())
    assert scores[:2] == [9.5, 7]
    assert 6.99 < scores[3] < scores[2] < 7


def test_ir_measures_takes_a_run_and_its_trec_file(client: Client, tmp_path: Path) -> None:
    run = client.run(QUERIES, depth=20)
    qrels = {"q1": {TICKET: 2, TRAM: 1}, "q2": {"https://ferries.example/4": 1}}
    measures = [nDCG @ 10, RR]
    direct = ir_measures.calc_aggregate(measures, qrels, run)
    file = tmp_path / "asof.run"
    write_trec(run, file, "asof")
    read = ir_measures.calc_aggregate(measures, qrels, list(ir_measures.read_trec_run(str(file))))
    assert read == direct
    assert 0 < direct[nDCG @ 10] <= 1


def test_a_trec_file_has_a_line_for_each_document_best_first(tmp_path: Path) -> None:
    write_trec({"q 1": {"b": 0.5, "a c": 2.0}, "q2": {}}, tmp_path / "run", "my tag")
    assert (tmp_path / "run").read_text() == "q+1 Q0 a+c 1 2.0 my+tag\nq+1 Q0 b 2 0.5 my+tag\n"


def test_a_frame_has_the_columns_of_pyterrier() -> None:
    run: Run = {"q1": {"b": 0.5, "a": 2.0}, "q2": {"c": 1.0}}
    assert frame(run).to_dict("list") == {
        "qid": ["q1", "q1", "q2"],
        "docno": ["a", "b", "c"],
        "score": [2.0, 0.5, 1.0],
        "rank": [0, 1, 0],
    }
    assert list(frame({}).columns) == ["qid", "docno", "score", "rank"]


def test_a_run_of_many_queries_is_the_same_at_the_same_time_and_one_after_the_other(
    connect: Connect, server: RunningServer
) -> None:
    many = {f"q{number}": f"ferry {number}" for number in range(40)}
    with Client(server.url, key=server.key) as one_after_the_other:
        assert connect(server.url, key=server.key).run(many) == one_after_the_other.run(many)


def test_a_query_that_fails_ends_a_run(scripted: Scripted) -> None:
    scripted.answer(400, b'{"error": "odd", "message": "It is odd."}')
    scripted.otherwise = (200, {}, b'{"query": "", "mode": "pro", "results": []}')

    async def run_and_search() -> None:
        async with AsyncClient(scripted.url, title="tests") as client:
            with pytest.raises(AsofError, match="odd"):
                await client.run({f"q{number}": f"ferry {number}" for number in range(9)}, concurrency=1)
            await client.search("after")

    asyncio.run(run_and_search())
    assert [json.loads(body)["query"] for *_, body in scripted.asked] == ["ferry 0", "after"]
