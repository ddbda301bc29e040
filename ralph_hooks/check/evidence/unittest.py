"""Placeholder."""

from __future__ import annotations

from ralph_hooks.check.verdict import Evidence


def matches(words: list[str]) -> bool:
    return (
        words[0] in ("unittest", "nose2", "trial")
        or words[:2] == ["django", "test"]
        or ("manage.py" in [w.rpartition("/")[2] for w in words[:2]] and "test" in words[1:3])
    )


def parse(text: str) -> Evidence | None:
    return None
