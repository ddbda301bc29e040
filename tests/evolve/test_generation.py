"""One generation in this process, its agent a function."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ralph_hooks.evolve import agents
from ralph_hooks.evolve.call import as_json
from ralph_hooks.evolve.content import plan_path
from ralph_hooks.evolve.generation import generate
from ralph_hooks.evolve.iteration import Iteration
from ralph_hooks.evolve.order import Order
from ralph_hooks.evolve.refusal import parse_call
from ralph_hooks.evolve.rounds import RoundCall, RoundEnd
from ralph_hooks.evolve.setting import settle
from ralph_hooks.loop.round import AgentRun, Limits
from tests.support.project import TestProject, make_project

Agent = Callable[[Path], RoundEnd | None]
SEED = "goal: g\n"
AGENT = "[loop]\nprovider = 'command'\ncommand = ['true']\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestProject:
    made = (
        make_project(tmp_path / "p")
        .write("x.txt", "0")
        .config("[[check]]\nname = 'c'\nrun = 'grep -q 1 x.txt'\nformat = 'none'\n" + AGENT)
    )
    monkeypatch.chdir(made.root)
    return made.commit()


def run(
    project: TestProject, agent: Agent, *, seed: str = SEED, last: Iteration | None = None, **fields: Any
) -> Iteration:
    call = parse_call({"lineage_id": "l", "seed_content": seed, **fields})
    order = Order(
        lineage_id="l", job_id="job_0123456789ab", generation=1, run_id="r", execute=call.execute, seconds=60,
        bound="iteration_timeout", seed=seed, call=as_json(call), settings=settle(call).to_json(), last=last,
    )  # fmt: skip

    def rounds(call: RoundCall) -> RoundEnd:
        assert call.root == str(project.root)
        return agent(project.root) or RoundEnd()

    logs = project.root.parent / "logs"
    logs.mkdir(exist_ok=True)
    return generate(order, rounds, str(logs))


def writes(text: str) -> Agent:
    def agent(root: Path) -> None:
        (root / "x.txt").write_text(text)

    return agent


def nothing(root: Path) -> None:
    """An agent that says much and does nothing."""


@pytest.mark.parametrize(
    ("agent", "fields", "action", "passed"),
    [
        (writes("1"), {}, "continue", True),
        (writes("2"), {}, "continue", False),
        (nothing, {}, "stagnated", False),
        (nothing, {"skip_qa": True}, "converged", None),
        (writes("2"), {"skip_qa": True}, "continue", None),
        (lambda root: RoundEnd(died=True, words="exit code 1"), {}, "failed", False),
    ],
)
def test_the_action_comes_from_content_and_checks(
    project: TestProject, agent: Agent, fields: dict[str, Any], action: str, passed: bool | None
) -> None:
    found = run(project, agent, **fields)
    assert (found.action, found.qa.passed if found.qa else None) == (action, passed)
    assert found.trouble == ""


def test_unchanged_and_green_has_converged(project: TestProject) -> None:
    project.write("x.txt", "1").commit()
    assert run(project, nothing).action == "converged"


def test_an_agent_that_never_got_to_work_is_a_step_error(project: TestProject) -> None:
    found = run(project, lambda root: RoundEnd(never_ran=True, infrastructure=True, words="not logged in"))
    assert (found.trouble, found.detail, found.infrastructure) == ("step_error", "not logged in", True)


def test_a_timeout_raised_inside_keeps_its_own_name(project: TestProject) -> None:
    def agent(root: Path) -> None:
        raise TimeoutError("inside")

    found = run(project, agent)
    assert (found.trouble, found.detail) == ("step_error", "TimeoutError: inside")


def test_a_check_that_cannot_run_is_a_gate_error(project: TestProject) -> None:
    text = (project.root / "ralph-hooks.toml").read_text().replace("grep -q 1 x.txt", "no-such-program-here")
    project.config(text).commit()
    assert run(project, writes("1")).trouble == "gate_error"


def test_a_round_cannot_move_the_goal(project: TestProject) -> None:
    """The plan is that of the job's start: an agent that rewrites the config is judged by the old one."""

    def agent(root: Path) -> None:
        (root / "ralph-hooks.toml").write_text("[[check]]\nrun = 'true'\n")

    found = run(project, agent)
    assert found.qa is not None
    assert not found.qa.passed
    assert found.failing == ["c"]


def test_criteria_have_their_own_checks(project: TestProject) -> None:
    seed = (
        "goal: g\nacceptance_criteria:\n- only words\n"
        "- {description: d, verify_command: 'echo it works', output_assertion: works}\n"
        "- {description: d, verify_command: 'echo no', output_assertion: works}\n"
        "- {description: d, verify_command: [no-such-program-here]}\n"
        "- {description: d, expected_artifacts: [made.txt]}\n"
        "- {description: d, verify_command: 'sleep 30', expected_artifacts: [x.txt]}\n"
    )
    found = run(project, writes("1"), seed=seed.replace("sleep 30", "true"))
    assert found.trouble == ""
    assert found.passed_criteria == ["AC-2", "AC-6"]
    assert found.qa is not None
    assert [line.split(":")[0] for line in found.qa.differences] == ["AC-3", "AC-4", "AC-5"]


def test_planning_may_only_write_the_plan(project: TestProject) -> None:
    def plans(root: Path) -> None:
        (root / plan_path("l")).write_text("first this, then that")

    assert run(project, plans, execute=False).action == "continue"
    stable = run(project, plans, execute=False)
    assert (stable.action, stable.qa, stable.trouble) == ("ontology_stable", None, "")
    wrong = run(project, writes("1"), execute=False)
    assert (wrong.trouble, wrong.detail) == ("step_error", "the planning generation changed files besides the plan")


def test_fewer_tests_than_before_are_told(project: TestProject) -> None:
    check = "printf '1 passed in 0.1s\\n'"
    project.config(f"[[check]]\nname = 'c'\nrun = \"{check}\"\nformat = 'pytest'\n{AGENT}")
    project.commit()
    found = run(project, writes("1"), last=Iteration(generation=1, tests=5))
    assert found.grade is None
    assert found.notes == ["the number of tests fell from 5 to 1, so this generation has no grade"]


def test_a_generation_has_no_bound_but_its_own(project: TestProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent may be silent for a whole build."""
    seen: list[Limits] = []

    def agent(*given: Any) -> AgentRun:
        seen.append(given[2])
        return AgentRun()

    monkeypatch.setattr(agents, "run_agent", agent)
    call = RoundCall(
        prompt="p", root=str(project.root), run_id="r", provider="command", command=["true"], arguments=[],
        deadline=5.0, logs=str(project.root.parent),
    )  # fmt: skip
    agents.run_round(call)
    assert (seen[0].idle_timeout, seen[0].round_timeout, seen[0].deadline) == (0, 0, 5.0)
