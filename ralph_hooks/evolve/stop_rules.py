"""When a job of generations ends (E2): a table of rules in a fixed order, each a pure function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ralph_hooks.evolve import actions, findings, grade
from ralph_hooks.evolve import iteration as trouble
from ralph_hooks.evolve.iteration import Iteration

COMPLETED = "completed"
FAILED = "failed"
CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Ending:
    """The job is over."""

    status: str
    stop_reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Next:
    """The job goes on; `execute` is for the next generation."""

    execute: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The bounds of one job."""

    max_generations: int
    oscillation_window: int = 3
    grade_regression_window: int = 2
    skip_qa: bool = False
    stop_on_cycle: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """What the rules look at: the iterations of this job, oldest first, at least one."""

    iterations: Sequence[Iteration]
    limits: Limits

    @property
    def last(self) -> Iteration:
        """The iteration that just ended."""
        return self.iterations[-1]

    @property
    def at_limit(self) -> bool:
        """Whether no generation is left."""
        return len(self.iterations) >= self.limits.max_generations


Rule = Callable[[View], "Ending | Next | None"]


def _trouble(name: str, status: str = FAILED) -> Rule:
    def rule(view: View) -> Ending | None:
        return Ending(status, name, view.last.detail) if view.last.trouble == name else None

    return rule


def qa_passed(view: View) -> Ending | None:
    """QA beats any action."""
    return Ending(COMPLETED, "qa passed") if view.last.qa is not None and view.last.qa.passed else None


def converged(view: View) -> Ending | None:
    """Nothing changed any more; QA may refute that this is an end."""
    if view.last.action != actions.CONVERGED:
        return None
    if view.last.qa is not None and not view.last.qa.passed:
        return Ending(FAILED, "qa_failed", "; ".join(view.last.qa.differences))
    return Ending(COMPLETED, "converged")


def ended_badly(view: View) -> Ending | None:
    """The action itself is the stop reason."""
    last = view.last
    return Ending(FAILED, last.action, last.detail) if last.action in actions.ENDS_BADLY else None


def ontology_stable(view: View) -> Ending | Next | None:
    """The plan stands: the next generation executes it, if there is one."""
    if view.last.action != actions.ONTOLOGY_STABLE:
        return None
    if view.at_limit:
        return Ending(FAILED, actions.ONTOLOGY_STABLE, "the plan is stable, but no generation is left to execute it")
    return Next(execute=True)


def oscillation(view: View) -> Ending | None:
    """The same findings again and again."""
    hashes = [one.findings_hash for one in view.iterations]
    window = view.limits.oscillation_window
    if findings.oscillating(hashes, window):
        return Ending(FAILED, "oscillation_detected", f"the same findings {window} generations in a row")
    period = findings.cycle(hashes)
    if period and view.limits.stop_on_cycle:
        return Ending(FAILED, "oscillation_detected", f"the findings repeat with period {period}")
    return None


def grade_regression(view: View) -> Ending | None:
    """Strictly worse and worse."""
    grades = [one.grade for one in view.iterations]
    window = view.limits.grade_regression_window
    if not grade.regressing(grades, window):
        return None
    row = ", ".join(f"{one:.3f}" for one in grades[-window:] if one is not None)
    return Ending(FAILED, "grade_regressing", f"grades fell: {row}")


def limit(view: View) -> Ending | None:
    """No generation is left: completed only when QA was skipped (a pass has ended the job before)."""
    if not view.at_limit:
        return None
    skipped = view.limits.skip_qa and view.last.execute
    differences = "; ".join(view.last.qa.differences) if view.last.qa else ""
    return Ending(COMPLETED if skipped else FAILED, "max_generations reached", differences)


RULES: tuple[Rule, ...] = (
    _trouble(trouble.CANCELLED, CANCELLED),
    _trouble(trouble.WALL_CLOCK),
    _trouble(trouble.ITERATION_TIMEOUT),
    _trouble(trouble.STEP_ERROR),
    _trouble(trouble.GATE_ERROR),
    qa_passed,
    converged,
    ended_badly,
    ontology_stable,
    oscillation,
    grade_regression,
    limit,
)


def decide(iterations: Sequence[Iteration], limits: Limits) -> Ending | Next:
    """The first rule that has something to say; otherwise the next generation is like the last."""
    view = View(iterations, limits)
    for rule in RULES:
        found = rule(view)
        if found is not None:
            return found
    return Next(execute=view.last.execute)


def cycle_note(iterations: Sequence[Iteration]) -> str:
    """A cycle that does not end the job is named all the same."""
    period = findings.cycle([one.findings_hash for one in iterations])
    return f"the findings repeat with period {period}" if period else ""
