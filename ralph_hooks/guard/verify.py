"""`verify` (T6): was this very tree green under this very plan, or, for CI, is it now under the base branch's plan."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ralph_hooks.check import once
from ralph_hooks.check.digest.receipt import digest_of_rev
from ralph_hooks.check.verdict import PASSES, Run
from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.guard import notes, told
from ralph_hooks.guard.gone import Gone, gone
from ralph_hooks.ledger import receipts
from ralph_hooks.plan import compile as compiler
from ralph_hooks.plan import compiled, seal
from ralph_hooks.plan.compiled import Plan
from ralph_hooks.plan.inputs import differences, inputs_of
from ralph_hooks.plan.locate import CONFIG, Project, find_project, git_top
from ralph_hooks.process.capture import Captured, capture

BASES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")


@dataclass
class Proof:
    """`ok` with the sentences that say why, or what is missing."""

    ok: bool
    lines: list[str] = field(default_factory=list)
    run: Run | None = None


def by_receipt(project: Project, rev: str) -> Proof:
    """Whether a receipt of this machine says that this revision was green. Raises `RalphError` for an unknown one."""
    try:
        digest = digest_of_rev(project, rev)
    except RalphError as error:
        raise RalphError(error.message, error.hint, EXIT_USAGE) from None
    plan = approved_plan(project, rev)
    try:
        record = receipts.find(project, digest, plan.digest)
        others = record is None and any(digest == one.get("digest") for one in receipts.read(project))
    except receipts.BrokenChainError as error:
        aside = shlex.join(["mv", receipts.path_of(project), receipts.path_of(project) + ".broken"])
        begin = f"a person who knows why begins a new one: `{aside}`, then `ralph-hooks check --force`"
        return Proof(False, [f"the chain of receipts is broken: {error}", begin])
    if record is None and others:
        return Proof(False, [f"`{rev}` was judged on this machine, but under another plan"])
    if record is None:
        missing = f"no run on this machine judged the content of `{rev}`; `ralph-hooks check` makes a receipt"
        return Proof(False, [missing, *notes.claims(project, rev)])
    if not receipts.is_green(record):
        return Proof(False, [f"`{rev}` was {record['verdict']} when it was judged last ({record['by']})"])
    if record["digest"] != digest:
        return Proof(False, [f"`{rev}` was green only with untracked files beside it: commit, ignore or remove them"])
    carried = notes.carry(project, rev, record) if plan.guard.notes else []
    return Proof(True, [f"`{rev}` was {record['verdict']} under this plan ({record['by']})", *carried])


def approved_plan(project: Project, rev: str) -> Plan:
    """The sealed plan, else the plan in the revision, else the one in the tree."""
    note, source = seal.read_note(project, "")
    if note is not None and source == seal.SEALED:
        return compiled.build(note["packed"])
    return plan_at(project, rev) or compiled.plan_for(project)


def plan_at(project: Project, rev: str) -> Plan | None:
    """The plan that a revision's config makes, `None` where it has none."""
    text = file_at(project, rev, project.config_path)
    if text is None:
        return None
    return compiled.build(compiler.compile_text(text, project.config_path, compiled.FORMAT))


def file_at(project: Project, rev: str, path: str) -> str | None:
    """The text of a file in a revision, `None` where it has none."""
    name = os.path.relpath(path, project.top)
    done = git(project, "cat-file", "-p", f"{rev}:{name}")
    return done.out.decode("utf-8", "replace") if done.code == 0 else None


def git(project: Project, *words: str) -> Captured:
    """Run git in the checkout."""
    return capture(["git", *words], cwd=project.top)


def base_of(project: Project, given: str) -> str:
    """The revision whose plan counts. Raises `RalphError` when it is not in this clone."""
    _refuse_without_git(project)
    wanted = given or _from_ci()
    candidates = [wanted] if wanted else list(BASES)
    for candidate in candidates:
        if git(project, "rev-parse", "--verify", "-q", f"{candidate}^{{commit}}").code == 0:
            return candidate
    what = f"the base `{wanted}` is not" if wanted else "no base branch is"
    raise RalphError(f"{what} in this clone, so there is no plan to run", _fetch(project, wanted), EXIT_USAGE)


def _refuse_without_git(project: Project) -> None:
    """There may be none, or git may not trust it: in a container the checkout is often somebody else's."""
    done = git(project, "rev-parse", "--git-dir")
    if done.code == 0:
        return
    if git_top(project.top) is None:
        raise RalphError(f"`{project.top}` is no git repository", "git init", EXIT_USAGE)
    words = (done.err.decode("utf-8", "replace").strip().splitlines() or [done.words])[0].removeprefix("fatal: ")
    trust = shlex.join(["git", "config", "--global", "--add", "safe.directory", project.top])
    raise RalphError(
        f"git refuses `{project.top}`: {words}", trust if "ownership" in words else "git status", EXIT_USAGE
    )


def _fetch(project: Project, wanted: str) -> str:
    """What brings a base into this clone; a plain `git fetch` of a shallow one leaves no name behind."""
    remote, _, branch = wanted.partition("/")
    known = git(project, "remote").out.decode("utf-8", "replace").split()
    if branch and remote in known:
        return f"`git fetch --depth=1 {remote} {branch}:refs/remotes/{wanted}` (in GitHub Actions: `fetch-depth: 0`)"
    return "`git branch --all` shows what is here; name one: `ralph-hooks verify --run --base REV`"


def _from_ci() -> str:
    """The branch that a pull or merge request goes to, as CI services say it."""
    for name in ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "BITBUCKET_PR_DESTINATION_BRANCH"):
        if os.environ.get(name):
            return f"origin/{os.environ[name]}"
    return ""


def without_config(start: str, given: str) -> Project | None:
    """The project of a tree whose config a branch took away, while the base still has it; else `None`."""
    top = git_top(start)
    if top is None or find_project(start) is not None:
        return None
    places = [start]
    while places[-1] != top:
        places.append(os.path.dirname(places[-1]))
    projects = [Project(place, top, os.path.join(place, CONFIG)) for place in places]
    try:
        base = base_of(projects[0], given)
    except RalphError:
        return None  # then there is no project: that is what has to be said
    return next((one for one in projects if file_at(one, base, one.config_path) is not None), None)


def by_run(project: Project, base: str, *, accept: bool) -> Proof:
    """Run the base's checks on the tree as it is, remembering nothing."""
    plan = plan_at(project, base)
    said = [f"plan: `{base}`"]
    if plan is None:
        plan = compiled.plan_for(project)
        said = [f"plan: the tree's own, since `{base}` has no config"]
    if not plan.check:
        return Proof(False, [*said, "the plan has no check"])
    changes, hooks = against(project, plan, base)
    changed = [] if accept else changes
    asides = [*told.config_change(project, plan, base), *hooks]
    run = once.judge(project, plan, force=True)
    receipts.add(project, plan.digest, run, by="verify --run")
    lost = Gone() if accept or run.verdict not in PASSES else gone(project, plan, base, run)
    changed += lost.losses
    lines = [*said, f"verdict: {run.verdict}", *(f"changed since `{base}`: {change}" for change in changed)]
    if changed:
        lines.append("a person who has looked at that says so with `--accept-changes`")
    return Proof(run.verdict in PASSES and not changed, [*lines, *lost.notes, *asides], run)


def against(project: Project, plan: Plan, base: str) -> tuple[list[str], list[str]]:
    """Scripts, targets and runner settings of the checks that are not what they are in the base; and our hooks."""
    if git(project, "rev-parse", "-q", "--verify", f"{base}^{{tree}}").code != 0:
        return [], []
    now = {check.name: inputs_of(check, project.root) for check in plan.check}
    with tree_of(project, base) as root:
        before = {check.name: inputs_of(check, root) for check in plan.check}
        return differences(before, now), told.hook_changes(project, root, base)


@contextmanager
def tree_of(project: Project, rev: str) -> Iterator[str]:
    """The project root as it is in a revision, in a scratch directory; nothing of the checkout is touched."""
    place = tempfile.mkdtemp(prefix="ralph-hooks-base-")
    try:
        archive = os.path.join(place, "base.tar")
        done = git(project, "archive", "--format=tar", "-o", archive, rev)
        if done.code != 0:
            raise RalphError(f"`{rev}` cannot be read: {done.err.decode('utf-8', 'replace').strip()}")
        shutil.unpack_archive(archive, os.path.join(place, "tree"), filter="data")
        yield os.path.normpath(os.path.join(place, "tree", os.path.relpath(project.root, project.top)))
    finally:
        shutil.rmtree(place, ignore_errors=True)
