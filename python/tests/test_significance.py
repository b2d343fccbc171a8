"""The test of significance agrees with an enumeration of all exchanges."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest

from asof_client import paired_randomization


def exact_p(differences: Sequence[float]) -> float:
    """The share of all choices of signs whose sum is at least as far from 0."""
    observed = abs(sum(differences))
    signed = [
        abs(sum(sign * each for sign, each in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    return sum(total >= observed - 1e-9 for total in signed) / len(signed)


@pytest.mark.parametrize(
    "differences",
    [
        [1.0],
        [0.1, 0.2],
        [0.1, 0.1, 0.1, 0.1],
        [0.3, -0.1, 0.2, 0.0, 0.0, 0.05],
        [0.1, 0.2, -0.3],
        [random.Random(7).gauss(0.1, 0.3) for _ in range(9)],
        [random.Random(8).gauss(0.1, 0.2) for _ in range(12)],
        [random.Random(9).choice([-0.5, 0.0, 0.5, 0.5]) for _ in range(12)],
    ],
)
def test_p_is_that_of_all_exchanges(differences: list[float]) -> None:
    first = [0.5] * len(differences)
    second = [0.5 + each for each in differences]
    found = paired_randomization(first, second)
    # Five standard deviations of a share of 100,000.
    assert found.p == pytest.approx(exact_p(differences), abs=0.008)
    assert paired_randomization(second, first).p == pytest.approx(found.p, abs=0.008)


def test_the_smallest_p_is_that_of_the_number_of_permutations() -> None:
    found = paired_randomization([0.0] * 64, [0.5] * 64, permutations=999)
    assert found.p == 1 / 1000


def test_equal_rankings_do_not_differ() -> None:
    found = paired_randomization([0.1, 0.9, 0.3], [0.1, 0.9, 0.3])
    assert (found.p, found.difference, found.low, found.high, found.better, found.worse) == (1, 0, 0, 0, 0, 0)


def test_queries_are_paired_by_their_ids() -> None:
    found = paired_randomization({"a": 0.0, "b": 1.0}, {"b": 1.0, "a": 0.5})
    assert (found.queries, found.difference, found.better, found.worse) == (2, 0.25, 1, 0)


def test_the_interval_holds_the_difference_as_often_as_it_says() -> None:
    draws = random.Random(3)
    held = 0
    for seed in range(200):
        differences = [draws.gauss(0.05, 0.2) for _ in range(60)]
        found = paired_randomization([0.0] * 60, differences, permutations=1, resamples=400, seed=seed)
        assert found.low <= found.difference <= found.high
        held += found.low <= 0.05 <= found.high
    assert 180 <= held <= 199


def test_the_same_seed_gives_the_same_numbers() -> None:
    first, second = [0.1, 0.5, 0.2, 0.9], [0.3, 0.4, 0.4, 0.9]
    assert paired_randomization(first, second, seed=5) == paired_randomization(first, second, seed=5)
    assert paired_randomization(first, second, seed=5).p != paired_randomization(first, second, seed=6).p


def test_rankings_of_other_queries_are_refused() -> None:
    with pytest.raises(ValueError, match="only one has 'b'"):
        paired_randomization({"a": 1.0}, {"a": 1.0, "b": 0.0})
    with pytest.raises(ValueError, match="not 1 and 2"):
        paired_randomization([1.0], [1.0, 0.0])
    with pytest.raises(ValueError, match="both rankings must be mappings"):
        paired_randomization([1.0], {"a": 1.0})
    with pytest.raises(ValueError, match="no query"):
        paired_randomization([], [])
