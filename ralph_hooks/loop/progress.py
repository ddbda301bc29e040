"""Rules that end a loop which goes nowhere (F15). Each takes the rounds so far, oldest first; pure.

A new rule is one function here and one row in `RULES`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a round left the tree. `digest` is "" where content cannot be told; such a round equals no other.

    `verdict` is "" where nothing was checked, as before the first round; it contradicts no verdict. `failing`
    identifies the set of failing tests; `count` is how many fail, `None` when nobody counted.
    """

    digest: str
    verdict: str
    failing: str = ""
    count: int | None = None


def no_progress(rounds: Sequence[Standing], window: int) -> bool:
    """The last `window` rounds all left the content and the verdict of the round before them."""
    last = rounds[-window - 1 :]
    if len(last) < window + 1 or not last[0].digest:
        return False
    verdicts = {one.verdict for one in last if one.verdict}
    return len({one.digest for one in last}) == 1 and len(verdicts) == 1


def oscillation(rounds: Sequence[Standing], window: int) -> bool:
    """Content and failing set have gone twice through the same cycle of 2 to `window` rounds."""
    states = [(one.digest, one.failing) for one in rounds]
    for period in range(2, window + 1):
        now, before = states[-period:], states[-2 * period : -period]
        if len(before) == period and now == before and len(set(now)) > 1 and all(digest for digest, _ in now):
            return True
    return False


def regression(rounds: Sequence[Standing], window: int) -> bool:
    """The failing count has risen strictly over the last `window` rounds."""
    counts = [one.count for one in rounds[-window:]]
    if len(counts) < window:
        return False
    return all(a is not None and b is not None and a < b for a, b in pairwise(counts))


# option: (rule, least window, what it says of itself)
RULES: dict[str, tuple[Callable[[Sequence[Standing], int], bool], int, str]] = {
    "no_progress": (no_progress, 1, "{n} in a row changed neither content nor verdict (--no-progress {window})"),
    "oscillation": (oscillation, 2, "content and failing tests go round in a circle (--oscillation {window})"),
    "regression": (regression, 2, "the number of failing tests rose over {n} (--regression {window})"),
}


def memory(windows: Sequence[int]) -> int:
    """How many rounds the rules with these windows have to look back on."""
    return 2 * max([0, *windows]) + 1
