"""Grades of generations, and whether they fall (E6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

LETTERS = {"A": 1.0, "B": 0.75, "C": 0.5, "D": 0.25, "F": 0.0}


def value(grade: object) -> float | None:
    """A grade in [0, 1] or a letter A-F as a number; `None` for everything else."""
    if isinstance(grade, str):
        return LETTERS.get(grade.strip().upper())
    if isinstance(grade, bool) or not isinstance(grade, (int, float)):
        return None
    return float(grade) if math.isfinite(grade) and 0 <= grade <= 1 else None


def regressing(grades: Sequence[object], window: int) -> bool:
    """Whether the last `window` grades fall strictly; one that is none, or equal, breaks the row."""
    last = [value(grade) for grade in grades[-window:]]
    if len(last) < window:
        return False
    return all(a is not None and b is not None and a > b for a, b in pairwise(last))


def honest(score: float | None, total: int | None, before: int | None) -> tuple[float | None, str]:
    """The grade of a generation, and what is to be told: fewer tests than before is no better grade, but none."""
    if total is not None and before is not None and total < before:
        return None, f"the number of tests fell from {before} to {total}, so this generation has no grade"
    return score, ""
