"""One generation, as a straight line: look, ask the agent, look again, check, commit, judge (E3 to E6, E13)."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import Any

from ralph_hooks.errors import RalphError
from ralph_hooks.evolve import actions, content, grade, iteration, phase
from ralph_hooks.evolve.actions import Facts
from ralph_hooks.evolve.commit import Tree, keep_promise
from ralph_hooks.evolve.findings import findings_hash
from ralph_hooks.evolve.iteration import Iteration
from ralph_hooks.evolve.judge import criteria_outcomes, evidence_text, project_outcomes
from ralph_hooks.evolve.order import Order
from ralph_hooks.evolve.phase import Teller
from ralph_hooks.evolve.prompt import render
from ralph_hooks.evolve.qa import QA, Outcome, assess, cannot_run, counted_tests, findings_of
from ralph_hooks.evolve.rounds import RoundCall, RoundEnd, RoundRunner
from ralph_hooks.evolve.seed import Seed, parse_seed
from ralph_hooks.plan.locate import Project


@dataclass(kw_only=True)
class Work:
    """A generation on its way."""

    order: Order
    seed: Seed
    project: Project
    logs: str
    deadline: float
    teller: Teller
    before: str = ""
    plan_before: str = ""
    after: str = ""
    end: RoundEnd = field(default_factory=RoundEnd)
    outcomes: list[Outcome] = field(default_factory=list)
    commits: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def root(self) -> str:
        """Where agent and checks run."""
        return self.project.root


def generate(order: Order, rounds: RoundRunner, logs: str) -> Iteration:
    """Run the generation. Expected faults are part of the iteration."""
    work = Work(
        order=order,
        seed=parse_seed(order.seed),
        project=content.project_at(order.settings["root"], order.settings["config_path"]),
        logs=logs,
        deadline=time.monotonic() + order.seconds,
        teller=Teller(logs),
    )
    try:
        look(work)
        ask(work, rounds)
        if work.end.never_ran:
            return _trouble(work, iteration.STEP_ERROR, work.end.words)
        if not order.execute:
            return planned(work)
        check_criteria(work)
        checkpoint(work)
        check_project(work)
    except RalphError as error:
        return _trouble(work, iteration.STEP_ERROR, error.message)
    except TimeoutError as error:  # raised inside the step: it keeps its own name
        return _trouble(work, iteration.STEP_ERROR, f"{type(error).__name__}: {error}")
    return judged(work)


def look(work: Work) -> None:
    """The content before the round."""
    work.teller.enter(phase.LOOK)
    if work.order.call["commit_policy"] != "none":
        keep_promise(Tree(work.root))
    work.before = content.content_digest(work.project)
    work.plan_before = content.plan_digest(work.root, work.order.lineage_id)


def ask(work: Work, rounds: RoundRunner) -> None:
    """One fresh round, and the content after it."""
    work.teller.enter(phase.AGENT)
    order = work.order
    plan = content.plan_path(order.lineage_id)
    os.makedirs(os.path.join(work.root, os.path.dirname(plan)), exist_ok=True)
    work.end = rounds(
        RoundCall(
            prompt=render(order, work.seed, plan),
            root=work.root,
            run_id=order.run_id,
            provider=order.settings["provider"],
            command=order.settings["command"],
            arguments=order.settings["arguments"],
            deadline=work.deadline,
            logs=work.logs,
            act=work.teller.act,
        )
    )
    work.after = content.content_digest(work.project)


def check_criteria(work: Work) -> None:
    """Each criterion's own check, those that an earlier checkpoint took left alone only for committing."""
    if work.order.call["skip_qa"]:
        return
    work.teller.enter(phase.CRITERIA)
    options = {"parallel": work.order.call["parallel"], "deadline": work.deadline, "logs": work.logs}
    work.outcomes = criteria_outcomes(work.seed.criteria, work.root, work.order.run_id, options)


def checkpoint(work: Work) -> None:
    """Commit what newly passed, before QA; a failed commit is told and may be tried again."""
    from ralph_hooks.evolve.checkpoint import take

    work.teller.enter(phase.CHECKPOINT)
    record, notes = take(work.order, work.seed, work.outcomes, work.root)
    work.commits = [record] if record else []
    work.notes += notes


def final_commit(work: Work) -> None:
    """The one commit of `final_only`: this generation completes the job."""
    from ralph_hooks.evolve.checkpoint import take_final

    record, notes = take_final(work.order, work.seed, work.outcomes, work.root)
    work.commits += [record] if record else []
    work.notes += notes


def check_project(work: Work) -> None:
    """The project's checks, on what the checkpoint left."""
    if not work.order.call["skip_qa"]:
        work.teller.enter(phase.CHECKS)
        work.outcomes = [*project_outcomes(work.project, work.order.settings["plan"], work.deadline), *work.outcomes]


def planned(work: Work) -> Iteration:
    """The end of a planning generation: only the plan may have moved."""
    order = work.order
    if work.before and work.after and work.before != work.after:
        return _trouble(work, iteration.STEP_ERROR, "the planning generation changed files besides the plan")
    moved = content.plan_digest(work.root, order.lineage_id) != work.plan_before
    facts = Facts(changed=moved, died=work.end.died, planning=True)
    return _iteration(work, action=actions.action(facts), detail=work.end.words)


def judged(work: Work) -> Iteration:
    """The end of an executing generation."""
    order = work.order
    moved = content.changed(work.before, work.after)
    if order.call["skip_qa"]:
        facts = Facts(changed=moved, died=work.end.died)
        if actions.action(facts) == actions.CONVERGED or (order.final and not work.end.died):
            final_commit(work)
        return _iteration(work, action=actions.action(facts), detail=work.end.words)
    fault = cannot_run(work.outcomes)
    if fault:
        return _trouble(work, iteration.GATE_ERROR, fault)
    qa = assess(work.outcomes, order.settings["pass_threshold"])
    tests = counted_tests(work.outcomes)
    score, told = grade.honest(qa.score, tests, order.last.tests if order.last else None)
    if told:
        work.notes.append(told)
    facts = Facts(changed=moved, green=qa.passed, died=work.end.died)
    if qa.passed:
        final_commit(work)
    return _iteration(work, action=actions.action(facts), detail=work.end.words, qa=qa, grade=score, tests=tests)


def _iteration(work: Work, **keys: Any) -> Iteration:
    found = findings_of(work.outcomes)
    return Iteration(
        generation=work.order.generation,
        execute=work.order.execute,
        digest=work.after,
        findings_hash=findings_hash(found),
        failing=[finding.id for finding in found],
        passed_criteria=[outcome.name for outcome in work.outcomes if outcome.criterion and outcome.ok],
        evidence=evidence_text(work.outcomes),
        commits=work.commits,
        notes=work.notes,
        cost_usd=work.end.cost_usd,
        infrastructure=work.end.infrastructure,
        **keys,
    )


def _trouble(work: Work, trouble: str, detail: str) -> Iteration:
    return _iteration(work, trouble=trouble, detail=detail, action=actions.FAILED)


__all__ = ["QA", "Work", "generate"]
