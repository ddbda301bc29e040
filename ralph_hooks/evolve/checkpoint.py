"""When finished criteria are committed, and under which words (E13)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ralph_hooks.errors import RalphError
from ralph_hooks.evolve.commit import Tree, commit_all
from ralph_hooks.evolve.content import plan_path
from ralph_hooks.evolve.order import Order
from ralph_hooks.evolve.qa import Outcome
from ralph_hooks.evolve.seed import Seed

AC_CHECKPOINT = "ac_checkpoint"
FINAL_ONLY = "final_only"
SUBJECT = 72


def newly_passed(order: Order, outcomes: Sequence[Outcome]) -> list[str]:
    """Criteria that pass by their own check and that no earlier checkpoint has taken."""
    return [one.name for one in outcomes if one.criterion and one.ok and one.name not in order.attempted]


def take(order: Order, seed: Seed, outcomes: Sequence[Outcome], root: str) -> tuple[dict[str, Any] | None, list[str]]:
    """The record of a checkpoint, if one was due, and what is to be told. A failed commit is told, never raised."""
    ids = newly_passed(order, outcomes)
    if order.call["commit_policy"] != AC_CHECKPOINT or not ids:
        return None, []
    return _commit(order, seed, ids, root)


def take_final(
    order: Order, seed: Seed, outcomes: Sequence[Outcome], root: str
) -> tuple[dict[str, Any] | None, list[str]]:
    """The one commit of `final_only`, at the end of a job that completes."""
    if order.call["commit_policy"] != FINAL_ONLY:
        return None, []
    return _commit(order, seed, newly_passed(order, outcomes), root)


def _commit(order: Order, seed: Seed, ids: list[str], root: str) -> tuple[dict[str, Any] | None, list[str]]:
    try:
        tree = Tree(root, os.path.dirname(plan_path(order.lineage_id)))
        made = commit_all(tree, message(order, seed, ids))
        commit = made.commit or _already(tree, order, ids)
    except RalphError as error:
        return None, [f"no checkpoint for {_names(ids)}: {error.message}; it may be tried again"]
    notes = [f"left out of the checkpoint: {', '.join(made.left_out)}"] if made.left_out else []
    notes += [made.note] if made.note else []
    if not commit:
        return None, [*notes, f"no checkpoint for {_names(ids)}: there was nothing to commit"]
    record = {
        "commit": commit,
        "ac_ids": ids,
        "generation": order.generation,
        "commit_policy": order.call["commit_policy"],
        "paths": made.paths,
        "left_out": made.left_out,
    }
    return record, notes


def message(order: Order, seed: Seed, ids: list[str]) -> str:
    """Subject, criteria, trailers."""
    goal = " ".join(seed.goal.split())
    subject = f"{_names(ids)}: {goal}"
    subject = subject if len(subject) <= SUBJECT else subject[: SUBJECT - 1] + "…"
    body = [f"{one.id}: {' '.join(one.description.split())}" for one in seed.criteria if one.id in ids]
    return "\n".join([subject, "", *body, *([""] if body else []), *trailers(order, ids)]) + "\n"


def trailers(order: Order, ids: list[str]) -> list[str]:
    """The job stands in for an execution id that was not given."""
    session = order.call["auto_session_id"]
    rows = [f"Execution-Id: {order.call['execution_id'] or order.job_id}"]
    rows += [f"Auto-Session-Id: {session}"] if session else []
    rows += [f"Acceptance-Criterion: {id}" for id in ids]
    return [*rows, f"Commit-Policy: {order.call['commit_policy']}"]


def _already(tree: Tree, order: Order, ids: list[str]) -> str:
    """The commit that a killed predecessor of this generation made and could not put on record."""
    head = tree.head()
    if not head:
        return ""
    text = tree.git.run("log", "-1", "--format=%B", head).decode("utf-8", "replace").splitlines()
    return head if all(row in text for row in trailers(order, ids)) else ""


def _names(ids: list[str]) -> str:
    return ", ".join(ids) or "the work"
