"""The gate after a round (F13): the driver's own run of the checks, and what the next round is told of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ralph_hooks.check.lock import Busy
from ralph_hooks.check.memory import Recall
from ralph_hooks.check.once import judge
from ralph_hooks.check.run import Watch
from ralph_hooks.check.verdict import PASSES, TIMEOUT, Run
from ralph_hooks.gate.feedback import Attempt, feedback
from ralph_hooks.loop.progress import Standing
from ralph_hooks.plan.config import Feedback

if TYPE_CHECKING:
    from ralph_hooks.plan.compiled import Plan
    from ralph_hooks.plan.locate import Project

TICK = 0.25
LEAST_FEEDBACK = 1500


class StopNow(BaseException):
    """Somebody wants the loop to end while its checks run; the checks' trees are dead when this arrives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the checks said. `verdict` is "" when there was none to ask; then `run` is `None` and nobody decided.

    `changed` says what defines the checks otherwise than at the start of the run; such a green is no proof.
    """

    verdict: str = ""
    run: Run | None = None
    words: str = ""
    digest: str = ""
    changed: tuple[str, ...] = ()

    @property
    def decided(self) -> bool:
        return bool(self.verdict)

    @property
    def green(self) -> bool:
        return self.verdict in PASSES

    @property
    def failing(self) -> int | None:
        return self.run.failing_count if self.run else None

    @property
    def failing_ids(self) -> list[str]:
        return self.run.failing_ids if self.run else []

    def standing(self) -> Standing:
        return Standing(self.digest, self.verdict, failing_set(self.failing_ids), self.failing)


class _Ticking(Watch):
    tick_seconds = TICK

    def __init__(self, stop: Callable[[], bool]) -> None:
        self._stop = stop

    def tick(self) -> None:
        if self._stop():
            raise StopNow


def verify(project: Project, plan: Plan, *, force: bool, deadline: float | None, stop: Callable[[], bool]) -> Judged:
    """Run the checks, or take what is remembered unless `force`. Raises `StopNow` when `stop` says so."""
    try:
        run = judge(project, plan, deadline=deadline, force=force, watch=_Ticking(stop))
    except Busy as busy:
        return Judged(verdict=TIMEOUT, words=f"The checks did not run: {busy}.")
    return Judged(verdict=run.verdict, run=run, digest=run.digest_after)


def content(project: Project, plan: Plan) -> str:
    """The digest of the tree as it is, "" where there is none."""
    return Recall(project, plan, force=True).refresh()


def told(judged: Judged, before: list[str], limits: Feedback, most_chars: int) -> str:
    """What the next round is told, at most about `most_chars` characters; `before` are the failing ids before it."""
    if judged.words or not judged.decided:
        return judged.words
    if judged.run is None or judged.green:
        return "The checks ran after this round: green."
    room = Feedback(tail_lines=limits.tail_lines, max_chars=max(LEAST_FEEDBACK, min(limits.max_chars, most_chars)))
    _, _, text = feedback(judged.run, Attempt(0, 0, before), room).partition("\n")
    return f"The checks ran after this round: {judged.verdict}.\n{text}"


def failing_set(ids: list[str]) -> str:
    """A short text that is equal for equal sets of failing tests."""
    if not ids:
        return ""
    joined = "\0".join(sorted(set(ids))).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=10).hexdigest()
