"""Placeholder."""

from __future__ import annotations

from ralph_hooks.check.verdict import Evidence


def matches(words: list[str]) -> bool:
    return words[0] == "jest" or words[:2] == ["react-scripts", "test"]


def parse(text: str) -> Evidence | None:
    return None
