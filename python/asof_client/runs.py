"""Runs: the ranked documents of many queries, as ir_measures, ranx, trec_eval and PyTerrier read them."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .answers import Result, SearchAnswer

if TYPE_CHECKING:
    import pandas

Run = dict[str, dict[str, float]]
"""The score of each document of each query: ``{query id: {document id: score}}``, the best document first."""

Queries = Mapping[str, str | Mapping[str, Any]]
"""
By query id the words of a query, or the fields of a search, such as ``{"query": "ferry", "query_time":
"2025-03-01"}``.
"""

NameOf = Callable[[Result], str]
"""Returns the document id of a result."""

_MOST_RESULTS = 50
"""Maximum number of results of one search."""


class Ranking:
    """The ranking of one query: which searches it needs, and the scores of the documents that they find."""

    def __init__(
        self, query: str | Mapping[str, Any], fields: Mapping[str, Any], depth: int, name_of: NameOf | None
    ) -> None:
        asked = {**fields, **({"query": query} if isinstance(query, str) else query)}
        self._fields = {**asked, "include": list({"score", *(asked.get("include") or ())})}
        self._depth = depth
        self._name_of = name_of or (lambda result: result.url)
        self._found = 0
        self._next: str | None = None
        self._is_complete = False
        self.scores: dict[str, float] = {}

    def next_search(self) -> dict[str, Any] | None:
        """Returns the fields of the next search, ``None`` after the last one."""
        left = self._depth - self._found
        if self._is_complete or left <= 0:
            return None
        fields = {**self._fields, "max_results": min(left, _MOST_RESULTS)}
        if self._next is not None:
            return {**fields, "cursor": self._next}
        # The answer to a search with an offset says how to continue.
        return fields if left <= _MOST_RESULTS else {**fields, "offset": 0}

    def take(self, answer: SearchAnswer) -> None:
        """Adds the results of a search. If several results have the same document id, the first one counts."""
        last = min(self.scores.values(), default=math.inf)
        for rank, result in enumerate(answer.results, self._found + 1):
            name = self._name_of(result)
            if name in self.scores:
                continue
            # A page that was looked up by its URL has no score.
            score = 1 / rank if result.score is None else result.score
            # Readers of runs order by score, so equal scores must decrease with the rank.
            last = score if score < last else last - max(1e-6, abs(last) * 1e-9)
            self.scores[name] = last
        self._found += len(answer.results)
        self._next = answer.next
        self._is_complete = answer.next is None


def write_trec(run: Mapping[str, Mapping[str, float]], path: str | os.PathLike[str], tag: str = "asof") -> None:
    """
    Writes a run as TREC run file, for trec_eval and others: lines ``query Q0 document rank score tag``.

    Args:
        run: The score of each document of each query.
        path: The file. One that exists is replaced.
        tag: The name of the system, without white space.
    """
    with Path(path).open("w", encoding="utf-8") as file:
        for query, scores in run.items():
            for rank, (document, score) in enumerate(_ranked(scores), 1):
                file.write(f"{_word(query)} Q0 {_word(document)} {rank} {score!r} {_word(tag)}\n")


def frame(run: Mapping[str, Mapping[str, float]]) -> pandas.DataFrame:
    """
    Returns a run as a frame of pandas with the columns ``qid``, ``docno``, ``score`` and ``rank``, as PyTerrier has
    them. Ranks begin at 0.

    Raises:
        ImportError: pandas is not installed.
    """
    import pandas

    rows = [
        (query, document, score, rank)
        for query, scores in run.items()
        for rank, (document, score) in enumerate(_ranked(scores))
    ]
    return pandas.DataFrame(rows, columns=["qid", "docno", "score", "rank"])


def _ranked(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(scores.items(), key=lambda each: -each[1])


def _word(text: str) -> str:
    """White space separates the columns of a run file."""
    return re.sub(r"\s", "+", text)
