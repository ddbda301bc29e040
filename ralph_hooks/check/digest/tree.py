"""The memory digest (G6a): a hash of what is on disk, of every file that git would not ignore.

Where nothing changed since the last look it costs two git calls; files that changed are hashed by git, once.
"""

from __future__ import annotations

import os

from ralph_hooks import paths
from ralph_hooks.check.digest import memo as memos
from ralph_hooks.check.digest.look import Look, Seen
from ralph_hooks.check.digest.memo import TICK_NS, Memo, digest_of
from ralph_hooks.check.digest.repository import NoDigest, open_repository
from ralph_hooks.check.digest.shadow import Shadow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.plan.locate import Project

NESTED_AT_ONCE = 4


class TreeDigest:
    """One measurement: `start` sets git to work, `result` waits for it. An instance measures once."""

    def __init__(self, top: str, root: str, state: str, *, ahead: bool = False) -> None:
        self.top = top
        self.root = root
        self.memo = Memo()
        self.nested: list[tuple[bytes, str]] = []
        self._inner: list[TreeDigest] = []
        self._digest: str | None = None
        self._ahead = ahead
        self._foreseen = ""
        self._first: Seen | None = None
        repository = open_repository(top)
        self.shadow = Shadow(state, repository) if repository else None
        self._look = self._begin()

    @classmethod
    def start(cls, project: Project, *, ahead: bool = False) -> TreeDigest:
        """Start both gits, where the shadow exists; the rest is done by `result`.

        With `ahead`, `result` may come before the shadow is brought to it: that is left to `settle`.
        """
        return cls(project.top, project.root, project.checkout, ahead=ahead)

    def result(self) -> str:
        """40 hex digits, or "" when there is no digest: no repository, no git, a corrupt index, a full disk."""
        if self._digest is None:
            try:
                self._digest = self._measure()
            except (NoDigest, OSError):
                self._digest = ""
        return self._digest

    def of(self, wanted: list[str]) -> str:
        """The digest of the files below these paths or globs, relative to the root; all files for an empty list.

        "" also when no file is there: a path with a typing error must not stay green for ever.
        """
        whole = self.result()
        if not whole or not wanted:
            return whole
        from ralph_hooks.check.digest.part import digest_of_part

        try:
            self.settle()
            return digest_of_part(self, wanted)
        except (NoDigest, OSError):
            return ""

    def touched_since(self, moment_ns: int) -> bool:
        """Whether a file that this measurement hashed may have changed after `moment_ns`."""
        mine = any(then is None or then[4] >= moment_ns - TICK_NS for then in self.memo.recent.values())
        return mine or any(inner.touched_since(moment_ns) for inner in self._inner)

    def _begin(self) -> Look | None:
        return Look(self.shadow) if self.shadow and self.shadow.intact() else None

    def _measure(self) -> str:
        if self.shadow is None:
            return ""
        seen = self._seen()
        fd = self.shadow.lock()
        try:
            self.memo = memos.load(self.shadow.memo)
            if seen is None or self.memo.index != memos.stamp(self.shadow.index):
                seen = self._write_down(self.shadow, self._anew())
            elif foreseen := self._foresee(self.shadow, seen):
                self._first, self._foreseen = seen, foreseen
            else:
                seen = self._write_down(self.shadow, seen)
        finally:
            os.close(fd)
        self.nested = self._measure_nested(sorted({*seen.nested, *self.memo.nested}))
        return combine(self._foreseen or self.memo.base, self.nested)

    def settle(self) -> None:
        """Bring the shadow to a digest that was given ahead of it.

        Raises `NoDigest` or `OSError`; also when what is on disk is no longer what the digest said.
        """
        if self.shadow is None or not self._foreseen:
            return
        foreseen, self._foreseen = self._foreseen, ""
        before = self.memo.index
        fd = self.shadow.lock()
        try:
            self.memo = memos.load(self.shadow.memo)
            if self.memo.index != memos.stamp(self.shadow.index):
                seen = self._anew()
            else:
                same = self.memo.index == before  # nobody else wrote it meanwhile
                seen = self._first if same and self._first else Look(self.shadow).seen()
            self._write_down(self.shadow, seen)
        finally:
            os.close(fd)
        if self.memo.base != foreseen:
            raise NoDigest("the tree changed meanwhile")

    def _write_down(self, shadow: Shadow, seen: Seen) -> Seen:
        """Settle what was seen; what was seen last."""
        if self._settle(shadow, seen):
            seen = Look(shadow).seen()
            self._settle(shadow, seen)
        return seen

    def _foresee(self, shadow: Shadow, seen: Seen) -> str:
        moved = self.memo.moved(os.fsencode(self.top))
        paths = list({*seen.changed, *seen.others, *moved})
        if not (self._ahead and paths) or self._stale(seen):
            return ""
        from ralph_hooks.check.digest.foresee import foresee

        return foresee(shadow, self.memo.base, paths)

    def _stale(self, seen: Seen) -> bool:
        return not self.memo.base or self.memo.person != seen.person or self._appeared()

    def _seen(self) -> Seen | None:
        """What the first look found; `None` when the shadow is missing or damaged."""
        try:
            return self._look.seen() if self._look else None
        except NoDigest:
            return None

    def _anew(self) -> Seen:
        """Forget all and look again: everything is hashed."""
        assert self.shadow is not None
        self.shadow.build()
        self.memo = Memo()
        return Look(self.shadow).seen()

    def _settle(self, shadow: Shadow, seen: Seen) -> bool:
        """Bring index and memo to what is on disk now; whether the list of nested repositories changed by it."""
        moved = self.memo.moved(os.fsencode(self.top))
        stale = self._stale(seen)
        if not (stale or seen.changed or seen.others or moved):
            if self.memo.forget_old(seen.started):
                self.memo.save(shadow.memo)
            return False
        from ralph_hooks.check.digest.update import update

        return update(shadow, self.memo, seen, moved, stale=stale)

    def _appeared(self) -> bool:
        top = os.fsencode(self.top)
        return any(os.path.lexists(os.path.join(top, path)) for path in self.memo.watched)

    def _measure_nested(self, found: list[bytes]) -> list[tuple[bytes, str]]:
        done: list[tuple[bytes, str]] = []
        for at in range(0, len(found), NESTED_AT_ONCE):
            running = [(path, nested(self.top, path)) for path in found[at : at + NESTED_AT_ONCE]]
            done.extend((path, one.result()) for path, one in running)
            self._inner.extend(one for _, one in running)
        if not all(digest for _, digest in done):
            raise NoDigest("a nested repository has no digest")
        return done


def nested(top: str, path: bytes) -> TreeDigest:
    """The measurement of a repository inside the tree, with a shadow of its own."""
    inner = os.path.join(top, os.fsdecode(path.rstrip(b"/")))
    return TreeDigest(inner, inner, paths.checkout_dir(inner))


def combine(base: str, inner: list[tuple[bytes, str]]) -> str:
    """One digest of the tree's own files and of the repositories inside it."""
    if not inner:
        return base
    return digest_of(base.encode() + b"".join(b"\0%s\t%s" % (digest.encode(), path) for path, digest in inner))


def known(project: Project) -> bool:
    """Whether this checkout was looked at before, so that a digest is cheap."""
    return os.path.exists(os.path.join(project.checkout, "tree", "memo"))


def digest_of_paths(project: Project, wanted: list[str]) -> str:
    """A new measurement of the files below these paths or globs, relative to the project's root."""
    return TreeDigest.start(project).of(wanted)
