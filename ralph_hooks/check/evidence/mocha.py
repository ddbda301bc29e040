"""Placeholder."""

from __future__ import annotations

from ralph_hooks.check.verdict import Evidence


def matches(words: list[str]) -> bool:
    return words[0] in ("mocha", "_mocha")


def parse(text: str) -> Evidence | None:
    return None
