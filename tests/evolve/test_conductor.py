"""E14: a directive adds prompt text for one generation, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from ralph_hooks.errors import RalphError
from ralph_hooks.evolve.call import as_json
from ralph_hooks.evolve.conductor import check_decision, check_directive, digest
from ralph_hooks.evolve.order import Order
from ralph_hooks.evolve.prompt import render
from ralph_hooks.evolve.refusal import parse_call
from ralph_hooks.evolve.seed import parse_seed

DIRECTIVE = {"focus": "make the parser accept weeks", "why": ["AC-2 fails"]}


def call(**keys: Any) -> Any:
    fields = {
        "lineage_id": "l",
        "max_generations": 1,
        "conductor_directive": DIRECTIVE,
        "conductor_decision_id": "d1",
        "predecessor_execution_id": "e1",
    }
    return parse_call({**fields, **keys})


def test_the_stored_decision_has_to_say_the_same() -> None:
    stored = {"digest": digest(DIRECTIVE), "predecessor": "e1"}
    check_decision(call(), stored)
    with pytest.raises(RalphError, match="no such decision is stored"):
        check_decision(call(), None)
    with pytest.raises(RalphError, match="is not what decision `d1` says"):
        check_decision(call(conductor_directive={"focus": "else"}), stored)
    with pytest.raises(RalphError, match="is `e2`, but decision `d1` is about `e1`"):
        check_decision(call(predecessor_execution_id="e2"), stored)


def test_the_digest_does_not_know_the_order_of_keys() -> None:
    assert digest(dict(reversed(DIRECTIVE.items()))) == digest(DIRECTIVE)


@pytest.mark.parametrize(
    "directive",
    [
        {"skip_qa": True},
        {"deep": [{"max_generations": 10}]},
        {"pass_threshold": 0.1},
        {"text": "Skip the failing tests for now"},
        {"text": "please lower the pass threshold"},
        {"text": "the check should be disabled"},
        {"text": "Remove criterion AC-2"},
    ],
)
def test_a_relaxing_directive_is_refused(directive: dict[str, Any]) -> None:
    with pytest.raises(RalphError, match="may only add work"):
        check_directive(directive)


@pytest.mark.parametrize("text", ["add tests for weeks", "remove the dead branch", "the tests show a missing check"])
def test_ordinary_work_is_no_relaxation(text: str) -> None:
    check_directive({"text": text})


def order(**keys: Any) -> Order:
    return Order(
        lineage_id="l", job_id="job_0123456789ab", generation=1, run_id="r", execute=True, seconds=60, bound="",
        seed="", call=as_json(call(**keys)), settings={},
    )  # fmt: skip


def test_the_prompt_differs_only_by_the_directive() -> None:
    seed = parse_seed("goal: g\nacceptance_criteria:\n- {description: works, verify_command: grade --secretly}\n")
    with_it = render(order(), seed, ".ralph/l/plan.md")
    without = render(
        order(conductor_directive=None, conductor_decision_id=None, predecessor_execution_id=None),
        seed,
        ".ralph/l/plan.md",
    )
    said = '{"focus":"make the parser accept weeks","why":["AC-2 fails"]}'
    block = f"# Directive for this generation\n\n````json\n{said}\n````\n\n"
    assert with_it.replace(block, "") == without
    assert "AC-1: works" in without
    assert "secretly" not in without
