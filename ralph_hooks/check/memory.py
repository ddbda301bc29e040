"""Remembered green (G6): a check that was green on this very content is not run again.

Only green is remembered, only for what was there before and after the run alike, and only for a while.
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock, start_new_thread

from ralph_hooks import __version__, fastjson, files
from ralph_hooks.check.digest import TreeDigest, known
from ralph_hooks.check.digest.memo import digest_of
from ralph_hooks.check.digest.repository import Limit, open_repository
from ralph_hooks.process import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_hooks.check.verdict import Run
    from ralph_hooks.plan.compiled import Plan
    from ralph_hooks.plan.config import Check
    from ralph_hooks.plan.locate import Project

    Entry = dict[str, Any]

FILE = "memory.json"
FORMAT = 2
KEPT = 64
# An index of this size (some 2,500 files) is hashed in the time it takes to start an interpreter.
SMALL_INDEX = 256 * 1024
# How long a check that is over waits for a first digest that is not.
PATIENCE_SECONDS = 20.0
AFTER_SECONDS = 5.0
# A check that is over by then must not compete with imports for the interpreter.
QUICK_SECONDS = 0.05
# So long a signal may go unnoticed that comes just before a wait.
STEP_SECONDS = 0.1


def key_of(check: Check, tree: TreeDigest, tools: str) -> str:
    """What a green verdict of this check holds for; "" when the tree has no digest."""
    part = tree.of(list(check.paths))
    if not part:
        return ""
    told = getattr(check, "__dict__", None) or {name: getattr(check, name) for name in check.__slots__}
    known_by = (FORMAT, __version__, sorted(told.items()), part, tools)
    return digest_of(ascii(known_by).encode())


def tools_of(project: Project, plan: Plan, check: Check) -> str:
    """The digest of what decides a check beside the tree: programs, packages, ignored files that are named."""
    from ralph_hooks.check.digest.inputs import facts

    return digest_of(ascii(facts(project, list(plan.gate.memory_inputs), check)).encode())


def recall(project: Project, plan: Plan, keys: dict[str, str]) -> dict[str, Entry]:
    """Of these checks (name -> key): what is remembered as green."""
    if not plan.gate.memory:
        return {}
    entries = {entry["key"]: entry for entry in _load(project, plan.gate.memory_max_age_s)}
    return {name: entries[key] for name, key in keys.items() if key in entries}


def remember(project: Project, plan: Plan, entries: list[Entry]) -> None:
    """Keep these as green; what cannot be written is forgotten."""
    if not (plan.gate.memory and entries):
        return
    new = {entry["key"] for entry in entries}
    kept = [entry for entry in _load(project, plan.gate.memory_max_age_s) if entry["key"] not in new]
    text = fastjson.dumps({"format": FORMAT, "green": [*kept, *entries][-KEPT:]})
    try:
        files.write_cache(os.path.join(project.state, FILE), text.encode())
    except OSError:
        pass


def _load(project: Project, max_age: float) -> list[Entry]:
    """Entries that are whole and young. A stamp from the future is a wrong clock, now or then: not believed."""
    try:
        data = fastjson.loads((files.read_bytes_or_none(os.path.join(project.state, FILE)) or b"").decode())
        now = time.time()
        entries = data["green"] if data["format"] == FORMAT else []
        return [one for one in entries if _whole(one) and 0 <= now - one["at"] < max_age]
    except (ValueError, TypeError, KeyError):
        return []


def _whole(entry: Entry) -> bool:
    texts = (entry["key"], entry["name"], entry["digest"], entry["receipt"])
    return all(isinstance(text, str) for text in texts) and isinstance(entry["at"], int | float)


class Recall:
    """What is known about the present content.

    `digest` and `receipt` are "" while unknown; `tools` maps checks to their `tools_of`; `names` are the checks that
    need no run, `whole` says that all do not.
    `deadline` (monotonic clock) bounds what the digests may take: most of the time belongs to the checks.
    """

    def __init__(self, project: Project, plan: Plan, *, force: bool = False, deadline: float | None = None) -> None:
        self.digest = ""
        self.receipt = ""
        self.tracked = ""
        self.tools: dict[str, str] = {}
        self.names: set[str] = set()
        self.whole = False
        self._project = project
        self._plan = plan
        self._force = force
        self._began_ns = 0
        self._given_up = False
        self._keys: dict[str, str] = {}
        self._tree: TreeDigest | None = None
        self._after: TreeDigest | None = None
        self._late = _Late()
        begin = time.monotonic()
        share = float("inf") if deadline is None else max(0.0, deadline - begin) / 4
        Limit.until = begin + share
        if known(project) or _is_small(project):
            self.refresh()
        Limit.until = float("inf") if deadline is None else deadline + min(share, AFTER_SECONDS)

    def refresh(self) -> str:
        """The digest of the content now, with what is remembered of it."""
        self._measure()
        entries = {} if self._force else recall(self._project, self._plan, self._keys)
        self.names = set(entries)
        self.whole = bool(entries) and len(entries) == len(self._plan.check)
        if self.whole:
            same = [entry["receipt"] for entry in entries.values() if entry["digest"] == self.digest]
            self.receipt = same[0] if same else self._receipt()
        return self.digest

    def _measure(self) -> None:
        tree = TreeDigest.start(self._project, ahead=True)
        checks = self._plan.check
        self.tools = {check.name: tools_of(self._project, self._plan, check) for check in checks}  # while git works
        self._keys = {check.name: key_of(check, tree, self.tools[check.name]) for check in checks}
        self.digest = tree.result()
        self._tree = tree

    def _receipt(self) -> str:
        from ralph_hooks.check.digest.receipt import receipt_digests

        receipt, self.tracked = receipt_digests(self._project, self._tree) if self.digest else ("", "")
        return receipt

    def meanwhile(self, then: Callable[[], None]) -> None:
        """Set to work what can be done while the first check runs, and `then` if it still runs after that."""
        self._began_ns = time.time_ns() if self._tree is None else 0
        self._late.start(self._fill_in, then)

    def _fill_in(self) -> None:
        if self._tree is None:
            self._measure()
        self.receipt = self._receipt()

    def after(self) -> str:
        """The digest after the run; not asked for where there is none to compare it with."""
        # a little longer than the gits have, so that one that is over its time is ended and not left behind
        if not self._late.wait(max(0.0, min(PATIENCE_SECONDS, Limit.until + 0.3 - time.monotonic()))):
            self._given_up = True
        if self._given_up or not self.digest:
            return ""
        self._after = TreeDigest.start(self._project)
        digest = self._after.result()
        if digest != self.digest:
            self.receipt = self.tracked = ""  # what was tested is neither what was there before nor what is there now
        return digest

    def remember(self, checks: list[Check], run: Run) -> None:
        """Note these checks as green, if nothing that decides them moved while they ran."""
        tree, after = self._tree, self._after
        if self._given_up or tree is None or after is None or (self._began_ns and tree.touched_since(self._began_ns)):
            return
        now = {check.name: tools_of(self._project, self._plan, check) for check in checks}
        keys = {check.name: key_of(check, after, now[check.name]) for check in checks}
        entries = [
            {"key": key, "name": name, "at": run.started, "digest": self.digest, "receipt": self.receipt}
            for name, key in keys.items()
            if key and key == self._keys.get(name)
        ]
        remember(self._project, self._plan, entries)


class _Late:
    """One piece of work beside the main thread."""

    def __init__(self) -> None:
        self._running = allocate_lock()
        self._fault: BaseException | None = None
        self._over = False

    def start(self, work: Callable[[], None], then: Callable[[], None]) -> None:
        self._running.acquire()
        start_new_thread(self._run, (work, then))

    def _run(self, work: Callable[[], None], then: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as fault:
            self._fault = fault
        finally:
            self._running.release()
        time.sleep(QUICK_SECONDS)
        if not self._over:
            try:
                then()
            except Exception:
                return  # its own caller meets the same fault, and says so

    def wait(self, seconds: float) -> bool:
        """Wait for the work, if any; whether it is done. A fault in it is raised here."""
        self._over = True
        until = time.monotonic() + seconds
        done = False
        while not done and (left := until - time.monotonic()) >= 0:
            with signals.waiting:
                done = self._running.acquire(timeout=min(left, STEP_SECONDS))
        if done:
            self._running.release()
        if self._fault:
            raise self._fault
        return done


def _is_small(project: Project) -> bool:
    repository = open_repository(project.top)
    if repository is None:
        return False
    try:
        return os.stat(repository.index).st_size < SMALL_INDEX
    except OSError:
        return True
