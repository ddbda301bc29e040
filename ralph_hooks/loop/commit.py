"""`--commit green` (F20): the tree of a green round as a commit, made beside the person's index and branch state.

A temporary index, a commit object, one compare-and-swap of the branch. What was staged, stashed or untracked by a
person stays what it was; nothing is ever reset, cleaned, stashed or deleted.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass

from ralph_hooks import files
from ralph_hooks.gate.report import Report
from ralph_hooks.loop import index
from ralph_hooks.loop.call import RefusedError
from ralph_hooks.loop.git import Git, GitError
from ralph_hooks.loop.hooks import run_hook
from ralph_hooks.loop.verify import Judged

NOT_OURS = ":(exclude,glob)**/.ralph/**"
UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer")
TRIES = 3
OLDEST = (2, 20)
HAS_SPARSE = (2, 34)
NOTHING = "nothing to commit"
Again = Callable[[], Judged]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What came of it: the commit, or why there is none. `judged` is the last verdict on the tree."""

    judged: Judged
    commit: str = ""
    why: str = ""
    note: str = ""


class Committer:
    """Commits green rounds of one run to one branch.

    `place` is the loop's directory relative to the top level, `linked` are paths there that are never committed.
    """

    def __init__(self, top: str, branch: str, place: str, scratch: str, linked: tuple[str, ...] = ()) -> None:
        self._git = Git(top)
        self._scratch = scratch
        self._place = place
        self._linked = linked
        self._ref = f"refs/heads/{branch}" if branch else ""
        self._round_start = self._git.head()
        index.keep_promise(self._git, scratch)

    def refuse(self, *, own: bool) -> None:
        """Refuse to begin on what a commit would carry away, unless all that is here is the loop's own.

        Raises `RefusedError`.
        """
        git = self._git
        if git.version < OLDEST:
            found, oldest = (".".join(map(str, one)) for one in (git.version, OLDEST))
            raise RefusedError(
                f"--commit needs git {oldest} or newer, and this is git {found}", "upgrade git, or leave --commit out"
            )
        for name in UNDER_WAY:
            if os.path.exists(os.path.join(git.top, git.line("rev-parse", "--git-path", name))):
                raise RefusedError(
                    f"`{git.top}` is in the middle of a merge or rebase ({name})", "`git status` says how to end it"
                )
        if self._ref and not git.ask("check-ref-format", "--branch", self._ref.removeprefix("refs/heads/")):
            raise RefusedError(f"`{self._ref}` cannot be a branch", "a name as in --branch ralph/night")
        if self._ref and self._ref != git.head()[0] and self._ref in self._elsewhere():
            raise RefusedError(f"`{self._ref}` is checked out in another worktree")
        dirty = [] if own else self._dirty()
        if dirty:
            shown = ", ".join(dirty[:3]) + (f" (+{len(dirty) - 3})" if len(dirty) > 3 else "")
            hint = "commit them first, or work beside them with --isolate"
            raise RefusedError(f"--commit would carry away changes that are here already: {shown}", hint)

    def begin_round(self) -> None:
        """Note where HEAD is; a round that ends elsewhere is not committed."""
        self._round_start = self._git.head()

    def commit(self, subject: str, body: str, judged: Judged, again: Again) -> Made:
        """Commit the tree, if it is green and stays so. `again` runs the gate on what a commit hook changed."""
        try:
            return self._commit(f"{subject}\n\n{body}\n", judged, again)
        except GitError as error:
            return Made(judged=judged, why=error.message)
        except OSError as error:
            return Made(judged=judged, why=f"{error.filename}: {error.strerror}")
        finally:
            for leftover in ("index", "index.lock"):
                files.remove(os.path.join(self._scratch, leftover))

    def _commit(self, message: str, judged: Judged, again: Again) -> Made:
        branch, head = self._git.head()
        if (branch, head) != self._round_start:
            was, now = self._round_start, (branch, head)
            return Made(judged=judged, why=f"HEAD moved during the round, from {_short(was)} to {_short(now)}")
        ref = self._ref or branch
        old = head if ref == branch else self._git.commit(ref) or head
        staged, tree = self._stage(old)
        for _ in range(TRIES):
            if old and tree == self._git.line("rev-parse", f"{old}^{{tree}}"):
                return Made(judged=judged, why=NOTHING)
            refused = run_hook(staged, "pre-commit")
            _, after = self._stage(old)
            if after == tree and refused:
                return Made(judged=judged, why=f"the pre-commit hook refused: {refused}")
            if after == tree:
                return self._finish(staged, (ref, old, tree), message, judged)
            judged, tree = again(), after
            if not judged.green:
                return Made(
                    judged=judged, why=f"a commit hook changed files, and then the checks said {judged.verdict}"
                )
        return Made(judged=judged, why="the pre-commit hook changes files again and again")

    def _finish(self, staged: Git, place: tuple[str, str, str], message: str, judged: Judged) -> Made:
        ref, old, tree = place
        path = os.path.join(self._scratch, "COMMIT_EDITMSG")
        files.write_atomic(path, message.encode("utf-8", "replace"))
        for name, more in (("prepare-commit-msg", [path, "message"]), ("commit-msg", [path])):
            refused = run_hook(staged, name, *more)
            if refused:
                return Made(judged=judged, why=f"the {name} hook refused: {refused}")
        sign = ["-S"] if self._git.ask("config", "--type=bool", "commit.gpgSign") == "true" else []
        new = self._git.line("commit-tree", tree, *(["-p", old] if old else []), *sign, "-F", path)
        first = message.partition("\n")[0]
        swap = ["--no-deref", ref] if ref == "HEAD" else [ref]
        current = ref == self._git.head()[0]
        known = self._git.commit(ref)
        if current:
            index.promise(self._scratch, old, new)
        self._git.run("update-ref", "-m", f"commit: {first}", *swap, new, (known and old) or "0" * len(new))
        problem = index.keep_promise(self._git, self._scratch)
        run_hook(self._git, "post-commit")
        return Made(judged=judged, commit=new, note=problem)

    def _stage(self, base: str) -> tuple[Git, str]:
        """The work tree on top of `base` in an index of our own; the tree that this makes."""
        path = os.path.join(self._scratch, "index")
        git = Git(self._git.top, path)
        real = os.path.join(git.top, self._git.line("rev-parse", "--git-path", "index"))
        files.make_dirs(self._scratch)
        if not os.path.exists(path):
            if os.path.exists(real):
                shutil.copy2(real, path)  # with its time stamps, by which git knows which entries to look at again
            git.run("read-tree", *(["--reset", base] if base else ["--empty"]))
        sparse = ["--sparse"] if git.version >= HAS_SPARSE else []
        git.run("add", "-A", *sparse, "--", *self._paths())
        if os.path.isdir(os.path.join(git.top, self._place)) and not git.ask("check-ignore", "--", self._place):
            git.run("add", "-A", *sparse, "--", f":(top,literal){self._place}")
        self._leave_repositories(git, base)
        return git, git.line("write-tree")

    def _paths(self) -> list[str]:
        return [".", NOT_OURS, *(f":(exclude,top,literal){name}" for name in self._linked)]

    def _leave_repositories(self, git: Git, base: str) -> None:
        """A repository that the agent cloned into the tree is not made a submodule by us."""
        gone = []
        for row in git.run("ls-files", "-s", "-z").split(b"\0"):
            head, _, path = row.partition(b"\t")
            if head.startswith(b"160000") and not (
                base and git.ask("rev-parse", "-q", "--verify", f"{base}:{os.fsdecode(path)}")
            ):
                gone.append(path)
        if gone:
            git.run("update-index", "-z", "--force-remove", "--stdin", stdin=b"".join(path + b"\0" for path in gone))

    def _dirty(self) -> list[str]:
        """Paths whose present state a commit would carry away: what the branch does not hold yet."""
        ref, _ = self._git.head()
        if not self._ref or self._ref == ref or not self._git.commit(self._ref):
            rows = self._git.run(
                "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", *self._paths()
            )
            return [os.fsdecode(row[3:]) for row in rows.split(b"\0") if row]
        try:
            git, _ = self._stage(self._git.commit(self._ref))
            rows = git.run("diff-index", "--cached", "--name-only", "-z", self._ref, "--", *self._paths())
        finally:
            files.remove(os.path.join(self._scratch, "index"))
        return [os.fsdecode(row) for row in rows.split(b"\0") if row]

    def _elsewhere(self) -> set[str]:
        lines = self._git.run("worktree", "list", "--porcelain").splitlines()
        return {os.fsdecode(line[7:]) for line in lines if line.startswith(b"branch ")}


def _short(head: tuple[str, str]) -> str:
    ref, commit = head
    return f"{ref.removeprefix('refs/heads/')} ({commit[:10] or 'no commit'})"


def message(name: str, number: int, report: Report, verdict: str) -> tuple[str, str]:
    """Subject and body of a round's commit; the trailers name loop, round and verdict."""
    evidence = "\n".join(f"- {' '.join(text.split())[:200]}" for text in report.evidence[:10])
    trailers = f"Ralph-Loop: {name}\nRalph-Round: {number}\nRalph-Verdict: {verdict}"
    return f"ralph: {name}, round {number}", f"{evidence}\n\n{trailers}".strip()
