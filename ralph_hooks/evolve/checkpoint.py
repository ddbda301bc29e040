"""Checkpoint commits (E13)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ralph_hooks.evolve.order import Order
from ralph_hooks.evolve.qa import Outcome
from ralph_hooks.evolve.seed import Seed


def take(order: Order, seed: Seed, outcomes: Sequence[Outcome], root: str) -> tuple[dict[str, Any] | None, list[str]]:
    """The record of a commit, if one was due, and what is to be told."""
    return None, []
