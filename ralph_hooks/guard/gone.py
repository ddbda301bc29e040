"""Tests that this branch took away (T4, T6): what the base runs against what the tree runs, by the ratchet's rule.

The base's suite is run once more, where the tree differs from it. A renamed or moved test is no deletion. Where the
base cannot be run, that is said, and only deleted files with a test's name count.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from ralph_hooks.check import base as scratch
from ralph_hooks.check import ratchet
from ralph_hooks.check.identity import new_run_id
from ralph_hooks.check.probe import names_test
from ralph_hooks.check.run import Plot, run_checks
from ralph_hooks.check.verdict import GREEN, RED, CheckResult, Run
from ralph_hooks.check.watch import Watch
from ralph_hooks.plan.compiled import Plan
from ralph_hooks.plan.locate import Project
from ralph_hooks.process.capture import capture

SHOWN = 10


@dataclass
class Gone:
    """`losses` are sentences about tests that are not run any more; `notes` about what could not be compared."""

    losses: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def gone(project: Project, plan: Plan, base: str, run: Run) -> Gone:
    """What `run` on the tree no longer runs of what the branch's beginning runs."""
    commit, aside = _beginning(project, base)
    if plan.guard.ratchet == "off" or not _changed(project, commit):
        return Gone()
    before, why = _run_base(project, plan, commit)
    if why:
        files = _deleted(project, commit)
        told = [f"the test files {_some(files)} are deleted"] if files else []
        return Gone(told, [f"which tests the base runs is unknown: {why}", *aside])
    return Gone(list(_compared(before, run.checks)), [*aside, *_by_number(project, commit, before)])


def _beginning(project: Project, base: str) -> tuple[str, list[str]]:
    """The commit where the branch left its base; the base itself, which is said, in a clone too shallow to know."""
    done = capture(["git", "merge-base", "HEAD", base], cwd=project.top)
    if done.code == 0:
        return done.out.decode().strip(), []
    tip = capture(["git", "rev-parse", "--verify", f"{base}^{{commit}}"], cwd=project.top)
    said = f"no commit of `{base}` is in this branch's history here, so `{base}` itself was compared"
    shallow = capture(["git", "rev-parse", "--is-shallow-repository"], cwd=project.top).out.strip() == b"true"
    return tip.out.decode().strip(), [said + (": `git fetch --unshallow` gets the rest" if shallow else "")]


def _changed(project: Project, commit: str) -> bool:
    """Whether the tree differs at all: any file can hold tests, or keep some from being run."""
    differs = capture(["git", "diff", "--quiet", "--no-ext-diff", commit], cwd=project.top).code != 0
    new = capture(["git", "ls-files", "--others", "--exclude-standard"], cwd=project.top).out
    return differs or bool(new.strip())


def _by_number(project: Project, commit: str, before: list[CheckResult]) -> list[str]:
    """Deleted test files that others may have filled up in number, where the runner names no tests."""
    counted = [one.name for one in before if (there := ratchet.baseline(one.evidence)) and not there["ids"]]
    deleted = _deleted(project, commit) if counted else []
    if not deleted:
        return []
    verb = "is" if len(deleted) == 1 else "are"
    which = f"the check `{counted[0]}` names no tests: only their number was compared"
    return [f"{_some(deleted)} {verb} deleted, and {which}"]


def _some(names: list[str]) -> str:
    more = f" (+{len(names) - SHOWN} more)" if len(names) > SHOWN else ""
    return ", ".join(f"`{name}`" for name in names[:SHOWN]) + more


def _deleted(project: Project, commit: str) -> list[str]:
    """Deleted files that are named like tests; a renamed one is not deleted."""
    words = ["git", "diff", "--name-only", "-z", "--find-renames", "--diff-filter=D", commit]
    names = [os.fsdecode(name) for name in capture(words, cwd=project.top).out.split(b"\0") if name]
    return [name for name in names if names_test(name)]


def _run_base(project: Project, plan: Plan, commit: str) -> tuple[list[CheckResult], str]:
    """The checks' results in a scratch clone of the commit, or why there are none."""
    setup = list(plan.guard.baseline_setup)
    try:
        with scratch.clone_at(project.top, commit, link=not setup) as top:
            root = os.path.normpath(os.path.join(top, os.path.relpath(project.root, project.top)))
            plot = Plot(root, new_run_id(), os.path.join(project.state, "logs", "base"), None)
            if setup and (failed := scratch.set_up(setup, plot, Watch())):
                return [], failed
            results = run_checks(plan.check, plot, Watch())
    except OSError as error:
        return [], str(error)
    odd = next((result for result in results if result.verdict not in (GREEN, RED)), None)
    return results, f"the check `{odd.name}` is {odd.verdict} there ({odd.why})" if odd else ""


def _compared(before: list[CheckResult], now: list[CheckResult]) -> Iterator[str]:
    known = {result.name: result for result in before}
    for result in now:
        there = known.get(result.name)
        lost = ratchet.losses(ratchet.baseline(there.evidence), result.evidence, "the base") if there else []
        yield from (f"check `{result.name}`: {loss}" for loss in lost)
