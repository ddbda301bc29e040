"""The open and done items of a loop's `plan.md`: a list of `- [ ]` and `- [x]` that the agent keeps."""

from __future__ import annotations

from dataclasses import dataclass

from ralph_hooks import files

MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Items:
    """`open` are the texts of the open items, in the plan's order; `done` is how many are ticked."""

    open: tuple[str, ...] = ()
    done: int = 0


def items_in(text: str) -> Items:
    """The items in this Markdown text, at any depth."""
    open_items = []
    done = 0
    for line in text.splitlines():
        mark, _, words = line.strip().partition(" ")
        box, rest = words[:3].lower(), words[3:].strip()
        if mark in ("-", "*", "+") and box == "[ ]":
            open_items.append(rest)
        elif mark in ("-", "*", "+") and box == "[x]":
            done += 1
    return Items(tuple(open_items), done)


def items_of(path: str) -> Items:
    """The items of a plan file; none when it cannot be read."""
    data = files.read_bytes_or_none(path)
    return items_in((data or b"")[:MOST_BYTES].decode("utf-8", "replace"))
