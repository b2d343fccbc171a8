"""Is one ranking better than another, or is the difference chance?"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Comparison:
    """What the measures of the same queries in two rankings say."""

    queries: int
    """Number of queries."""
    difference: float
    """Mean of the second ranking minus mean of the first."""
    low: float
    """Lower end of the 95% interval of the difference, from a bootstrap over queries."""
    high: float
    """Upper end of it."""
    p: float
    """
    The probability of a mean difference at least as large, in either direction, if chance decided which ranking each
    result belongs to.
    """
    better: int
    """Number of queries that the second ranking answers better."""
    worse: int
    """Number of queries that it answers worse."""


def paired_randomization(
    first: Mapping[str, float] | Sequence[float],
    second: Mapping[str, float] | Sequence[float],
    *,
    permutations: int = 100_000,
    resamples: int = 10_000,
    seed: int = 1,
) -> Comparison:
    """
    Compares two rankings by a measure of each query: a two-sided paired randomization test (Smucker, Allan,
    Carterette, CIKM 2007), and a percentile bootstrap of the mean difference.

    Args:
        first: The measure of each query in the first ranking, by query id or in the order of the queries.
        second: The same of the second ranking, with the same ids or in the same order.
        permutations: Number of random exchanges. The smallest possible ``p`` is 1 / (permutations + 1).
        resamples: Number of bootstrap samples.
        seed: The same seed gives the same numbers.

    Raises:
        ValueError: There is no query, or the two do not have the same queries.

    Example:
        >>> paired_randomization({"q1": 0.2, "q2": 0.4}, {"q1": 0.2, "q2": 0.4}).p
        1.0
    """
    differences = _differences(first, second)
    count = len(differences)
    draws = random.Random(seed)
    observed = sum(differences)
    return Comparison(
        queries=count,
        difference=observed / count,
        p=(_as_extreme(differences, observed, permutations, draws) + 1) / (permutations + 1),
        better=sum(difference > 0 for difference in differences),
        worse=sum(difference < 0 for difference in differences),
        **_interval(differences, resamples, draws),
    )


def _differences(
    first: Mapping[str, float] | Sequence[float], second: Mapping[str, float] | Sequence[float]
) -> list[float]:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        if first.keys() != second.keys():
            example = sorted(first.keys() ^ second.keys())[0]
            raise ValueError(f"both rankings must have the same queries, and only one has {example!r}")
        pairs: Iterable[tuple[float, float]] = ((value, second[query]) for query, value in first.items())
    elif isinstance(first, Mapping) or isinstance(second, Mapping):
        raise ValueError("both rankings must be mappings, or both sequences")
    else:
        if len(first) != len(second):
            raise ValueError(f"both rankings must have the same queries, and not {len(first)} and {len(second)}")
        pairs = zip(first, second, strict=True)
    differences = [after - before for before, after in pairs]
    if not differences:
        raise ValueError("there is no query to compare")
    return differences


def _as_extreme(differences: Sequence[float], observed: float, permutations: int, draws: random.Random) -> int:
    """Returns how often the sum is at least as far from 0 if each difference gets a random sign."""
    changed = [difference for difference in differences if difference != 0]
    # A random byte gives signs to eight differences, whose sum is in a table.
    tables = [_signed_sums(changed[start : start + 8]) for start in range(0, len(changed), 8)]
    # Sums of the same numbers in another order differ by rounding.
    least = abs(observed) - 1e-12 * sum(map(abs, changed))
    count = 0
    for _ in range(permutations):
        total = sum(map(list.__getitem__, tables, draws.randbytes(len(tables))))
        if abs(total) >= least:
            count += 1
    return count


def _signed_sums(differences: Sequence[float]) -> list[float]:
    """Returns for each byte the sum of up to eight differences, negated where the byte has a 1."""
    sums = [0.0]
    for difference in differences:
        sums = [total + difference for total in sums] + [total - difference for total in sums]
    return sums * (256 // len(sums))


def _interval(differences: Sequence[float], resamples: int, draws: random.Random) -> dict[str, float]:
    count = len(differences)
    means = sorted(sum(draws.choices(differences, k=count)) / count for _ in range(resamples))
    outside = (1 - _CONFIDENCE) / 2
    return {"low": means[int(outside * resamples)], "high": means[int((1 - outside) * resamples) - 1]}
