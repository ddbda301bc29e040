"""What a branch did to the gate itself (T6, T12): its config and our hooks, against the base's.

Both are told and decide nothing: what ran is the base's plan. But what is merged is what counts from then on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from ralph_hooks import files
from ralph_hooks.errors import RalphError
from ralph_hooks.install import settings
from ralph_hooks.install.approve import facts_of
from ralph_hooks.plan import compile as compiler
from ralph_hooks.plan import compiled
from ralph_hooks.plan.compiled import Plan
from ralph_hooks.plan.locate import Project


def config_change(project: Project, plan: Plan, base: str) -> list[str]:
    """One sentence when the tree's config makes another plan than `plan`, that of the base."""
    if _digest(project.config_path) == plan.digest:
        return []
    name = os.path.relpath(project.config_path, project.root)
    return [f"`{name}` is not what it is in `{base}`: the plan of `{base}` ran, the new one counts once it is merged"]


def _digest(path: str) -> str:
    try:
        text = (files.read_bytes_or_none(path) or b"").decode("utf-8", "replace")
        return compiled.build(compiler.compile_text(text, path, compiled.FORMAT)).digest
    except RalphError:
        return ""


def hook_changes(project: Project, base_root: str, base: str) -> list[str]:
    """Sentences about settings files in the repository that fire our hooks less than those of the base."""
    return [line for client in settings.CLIENTS for line in _of_client(client, project.root, base_root, base)]


def _of_client(client: str, root: str, base_root: str, base: str) -> Iterator[str]:
    for now, then in zip(settings.layers(client, root), settings.layers(client, base_root), strict=False):
        if not _inside(then.path, base_root) or not _inside(now.path, root):
            continue
        name = os.path.relpath(now.path, root)
        before, after = facts_of(then), facts_of(now)
        if after["disabled"] and not before["disabled"]:
            yield f"`{name}` sets `disableAllHooks`, so no hook runs in a session here"
        if "Stop" in _places(before) and "Stop" not in _places(after):
            yield f"`{name}` lacks our Stop hook, which `{base}` has"


def _places(facts: dict[str, list[list[str]]]) -> set[str]:
    return {place for place, _ in facts["entries"]}


def _inside(path: str, root: str) -> bool:
    return os.path.commonpath([path, root]) == root
