"""The text of a new `ralph-hooks.toml`: short, commented, only what differs from the defaults (I4)."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass

from ralph_hooks.install.detect import Proposal
from ralph_hooks.plan.config import Check

HEAD = """\
# What decides whether an agent may end its turn. A person approves this file; `ralph-hooks check` runs it by hand.
# Every key and its default: `ralph-hooks schema`, docs/config.md
"""
DEFAULT = Check(run=["true"])
BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


@dataclass(frozen=True, slots=True)
class Row:
    """One check as it is written: the proposal, its name, and its timeout in seconds."""

    proposal: Proposal
    name: str
    timeout_s: int


def named(proposals: Sequence[Proposal]) -> list[tuple[str, Proposal]]:
    """A name for each: what it is for, told apart by the tool and then by number."""
    found: dict[str, Proposal] = {}
    for proposal in proposals:
        for name in (proposal.name or proposal.kind, f"{proposal.kind}-{proposal.ecosystem}"):
            if name not in found:
                break
        else:
            name = f"{name}-{len(found) + 1}"
        found[name] = proposal
    return list(found.items())


def render(rows: Sequence[Row], memory_inputs: Sequence[str] = ()) -> str:
    """The whole file."""
    parts = [HEAD, *(_check(row) for row in rows)]
    if memory_inputs:
        comment = "# Ignored by git, but they decide too: a remembered green no longer holds when one of them changes."
        parts.append(f"[gate]\n{comment}\nmemory_inputs = {_toml(list(memory_inputs))}\n")
    return "\n".join(parts)


def _check(row: Row) -> str:
    proposal = row.proposal
    lines = ["[[check]]", f"name = {_toml(row.name)}", f"run = {_run(proposal)}"]
    lines[1:1] = [f"# {_comment(proposal)}"]
    for key, value, default in (
        ("cwd", proposal.cwd, DEFAULT.cwd),
        ("timeout_s", row.timeout_s, int(DEFAULT.timeout_s)),
        ("paths", list(proposal.paths), DEFAULT.paths),
        ("junit", proposal.junit, DEFAULT.junit),
        ("min_tests", proposal.min_tests, DEFAULT.min_tests),
    ):
        if value != default:
            lines.append(f"{key} = {_toml(value)}")
    return "\n".join(lines) + "\n"


def _comment(proposal: Proposal) -> str:
    words = f"Chosen because {proposal.why}" if proposal.why else "Given by hand"
    return f"{words}; {proposal.note}." if proposal.note else f"{words}."


def _run(proposal: Proposal) -> str:
    return _toml(proposal.run if isinstance(proposal.run, str) else list(proposal.run))


def _toml(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    # JSON's escapes are TOML's, but for DEL, which TOML wants escaped
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f") if isinstance(value, str) else str(value)


def memory_inputs(root: str, ignored: Sequence[str]) -> list[str]:
    """Ignored settings files beside those that are watched anyway."""
    from ralph_hooks.check.digest.inputs import SETTINGS

    return sorted(
        name
        for name in ignored
        if name.startswith(".env") and name not in SETTINGS and os.path.isfile(os.path.join(root, name))
    )
