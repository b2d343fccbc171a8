"""
Compares two rankings on judged queries: nDCG@10 of each, and whether the difference can be chance.

    python compare_rankings.py queries.jsonl qrels

Needs a server (``asof serve``), and ``pip install asof-client ir-measures``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import ir_measures
from ir_measures import nDCG

from asof_client import Client, Run, paired_randomization, write_trec

MEASURE = nDCG @ 10


def read_queries(path: Path) -> dict[str, dict[str, str]]:
    """Reads queries as JSON lines with ``_id``, ``text`` and optionally ``query_time``."""
    lines = map(json.loads, path.read_text().splitlines())
    return {line.pop("_id"): {"query": line.pop("text"), **line} for line in lines}


def measured(qrels: list[ir_measures.Qrel], run: Run) -> dict[str, float]:
    """Returns the measure of each judged query."""
    return {metric.query_id: metric.value for metric in ir_measures.iter_calc([MEASURE], qrels, run)}


def main() -> None:
    """Searches, measures and compares."""
    parser = argparse.ArgumentParser(description="Compare two rankings on judged queries.")
    parser.add_argument("queries", type=Path, help="JSON lines with _id, text and optionally query_time")
    parser.add_argument("qrels", type=Path, help="judgments in the form of TREC; documents are named by their URLs")
    parser.add_argument("--url", default="http://127.0.0.1:8787", help="the server (default: %(default)s)")
    parser.add_argument("--key", help="an API key, for more queries than callers without a key may send")
    parser.add_argument("--modes", nargs=2, default=["realtime", "pro"], help="the rankings (default: realtime pro)")
    parser.add_argument("--runs", type=Path, help="a folder, to keep the runs as TREC run files")
    arguments = parser.parse_args()

    queries = read_queries(arguments.queries)
    qrels = list(ir_measures.read_trec_qrels(str(arguments.qrels)))
    scores = []
    with Client(arguments.url, key=arguments.key, title="compare_rankings") as client:
        for mode in arguments.modes:
            run = client.run(queries, depth=50, mode=mode)
            scores.append(measured(qrels, run))
            if arguments.runs:
                arguments.runs.mkdir(exist_ok=True)
                write_trec(run, arguments.runs / f"{mode}.run", mode)
            print(f"{mode:10} nDCG@10 {sum(scores[-1].values()) / len(scores[-1]):.4f}")

    found = paired_randomization(*scores)
    print(f"difference {found.difference:+.4f}, 95% interval {found.low:+.4f} to {found.high:+.4f}")
    print(f"better: {found.better} queries, worse: {found.worse}, equal: {found.queries - found.better - found.worse}")
    print(f"p = {found.p:.4f}")


if __name__ == "__main__":
    main()
