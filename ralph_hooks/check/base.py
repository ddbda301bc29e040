"""The baseline (T5): which tests fail at the merge-base already, measured in a scratch clone of it.

The clone borrows the checkout's objects and its dependency directories; nothing is written to the checkout. Where the
clone would test the checkout's own code (`check/probe.py`), the baseline is unknown, and unknown excuses nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ralph_hooks import files
from ralph_hooks.check import probe
from ralph_hooks.check.dependencies import link_dependencies
from ralph_hooks.check.identity import new_run_id
from ralph_hooks.check.lock import Busy, CheckoutLock
from ralph_hooks.check.run import Plot, Watch, run_checks
from ralph_hooks.check.verdict import GREEN, RED, CheckResult
from ralph_hooks.plan.config import Check
from ralph_hooks.process.capture import capture

if TYPE_CHECKING:
    from ralph_hooks.plan.compiled import Plan
    from ralph_hooks.plan.locate import Project

FILE = "base.json"
GIT_SECONDS, CLONE_SECONDS = 60.0, 300.0
BASES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")


@dataclass
class Baseline:
    """Ids that fail at the merge-base `commit`; `unknown` says why there are none to go by."""

    commit: str = ""
    ids: list[str] = field(default_factory=list)
    unknown: str = ""


def baseline_of(project: Project, plan: Plan, watch: Watch, deadline: float | None) -> Baseline:
    """The baseline of this plan at the merge-base, from memory or measured now."""
    commit = merge_base(project, deadline)
    if not commit:
        return Baseline(unknown="there is no merge-base with a base branch")
    known = _load(project, commit, plan.digest)
    if known is not None:
        return known
    try:
        with CheckoutLock(project.checkout, new_run_id(), deadline, watch.cancel):
            found = _measure(project, plan, commit, (watch, deadline))
    except (Busy, OSError) as error:
        return Baseline(commit, unknown=str(error))
    _save(project, plan.digest, found)
    return found


def merge_base(project: Project, deadline: float | None = None) -> str:
    """The commit where this branch left its base; "" when there is none, or git did not say in time."""
    for name in BASES:
        done = capture(["git", "merge-base", "HEAD", name], cwd=project.top, timeout=_left(deadline, GIT_SECONDS))
        if done.code == 0:
            return done.out.decode().strip()
    return ""


def _left(deadline: float | None, most: float) -> float:
    """Seconds for the next git: a baseline must not cost the gate its deadline."""
    return most if deadline is None else min(most, max(0.05, deadline - time.monotonic()))


def _measure(project: Project, plan: Plan, commit: str, around: tuple[Watch, float | None]) -> Baseline:
    watch, deadline = around
    setup = list(plan.guard.baseline_setup)
    with clone_at(project.top, commit, link=not setup, deadline=deadline) as top:
        if not setup and (leak := probe.leads_back(project.top, top)):
            return Baseline(commit, unknown=f"`{leak}` leads back into the checkout; set `[guard] baseline_setup`")
        root = os.path.normpath(os.path.join(top, os.path.relpath(project.root, project.top)))
        plot = Plot(root, new_run_id(), os.path.join(project.state, "logs", "baseline"), deadline)
        quiet = Watch()
        quiet.cancel = watch.cancel
        if setup and (failed := set_up(setup, plot, quiet)):
            return Baseline(commit, unknown=failed)
        results = run_checks(plan.check, plot, quiet)
        found = _judged(commit, results)
        if not found.ids or setup:
            return found
        code = probe.changed_code(project.top, top, commit, _left(deadline, GIT_SECONDS))
        why = probe.elsewhere(top, code, results, lambda: run_checks(plan.check, plot, quiet))
        return Baseline(commit, unknown=why) if why else found


def set_up(argv: list[str], plot: Plot, watch: Watch) -> str:
    """As a check, so that the gate's deadline and a signal end it too; "" when it is done."""
    (result,) = run_checks([Check(run=argv, name="baseline_setup", format="none")], plot, watch)
    return "" if result.verdict == GREEN else f"`baseline_setup` failed ({result.why})"


def _judged(commit: str, results: list[CheckResult]) -> Baseline:
    ids: list[str] = []
    for result in results:
        named = [failure.id for failure in result.evidence.failures] if result.evidence else []
        if result.verdict not in (GREEN, RED) or (result.verdict == RED and not named):
            return Baseline(commit, unknown=f"the check `{result.name}` is {result.verdict} there and names no test")
        ids += named
    return Baseline(commit, ids)


@contextmanager
def clone_at(top: str, commit: str, *, link: bool = True, deadline: float | None = None) -> Iterator[str]:
    """A scratch clone with this commit checked out. Raises `OSError`."""
    base = tempfile.mkdtemp(prefix="ralph-hooks-base-")
    copy = os.path.join(base, os.path.basename(os.path.realpath(top)) or "project")
    try:
        _git(["clone", "--quiet", "--shared", "--no-checkout", top, copy], base, deadline)
        if os.path.exists(os.path.join(copy, ".git", "shallow")):
            _lend(top, copy, deadline)
        words = ["-c", "advice.detachedHead=false", "checkout", "--quiet", "--detach", commit]
        _git(words, copy, deadline)
        if link:
            listed = capture(["git", "ls-files", "-z"], cwd=copy, timeout=_left(deadline, GIT_SECONDS))
            if listed.code != 0:  # without its dependencies the base fails tests that it does not
                raise OSError("git did not list the merge-base's files")
            link_dependencies(top, copy, [os.fsdecode(name) for name in listed.out.split(b"\0")])
        yield copy
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _git(words: list[str], cwd: str, deadline: float | None) -> str:
    done = capture(["git", *words], cwd=cwd, timeout=_left(deadline, CLONE_SECONDS))
    if done.code != 0:
        why = done.words or done.err.decode("utf-8", "replace").strip()
        raise OSError(f"the merge-base cannot be checked out: {why}")
    return os.fsdecode(done.out).rstrip("\n")


def _lend(top: str, copy: str, deadline: float | None) -> None:
    """Of a shallow repository git clones the branches alone, and lends nothing: the base may be in a remote's."""
    objects, shallow = (
        os.path.join(top, _git(["rev-parse", "--git-path", name], top, deadline)) for name in ("objects", "shallow")
    )
    lent = os.path.join(copy, ".git", "objects", "info", "alternates")
    files.append_line(lent, os.fsencode(os.path.realpath(objects)))
    shutil.copyfile(shallow, os.path.join(copy, ".git", "shallow"))


def _load(project: Project, commit: str, plan_digest: str) -> Baseline | None:
    try:
        data: dict[str, Any] = json.loads(files.read_bytes_or_none(os.path.join(project.state, FILE)) or b"")
        if data["commit"] != commit or data["plan"] != plan_digest:
            return None
        return Baseline(commit, [str(test) for test in data["ids"]], str(data["unknown"]))
    except (ValueError, KeyError, TypeError):
        return None


def _save(project: Project, plan_digest: str, found: Baseline) -> None:
    data = {"commit": found.commit, "plan": plan_digest, "ids": found.ids, "unknown": found.unknown}
    try:
        files.write_state(os.path.join(project.state, FILE), json.dumps(data).encode())
    except OSError:
        pass  # measured again, then
