"""A call is checked before anything starts; the refusals are the published tool's, word for word (F1, F2, F23)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_hooks.errors import EXIT_USAGE
from ralph_hooks.loop.call import RefusedError, checked_name, name_of, objective_of, rounds_of, tool_call
from ralph_hooks.plan.config import Loop
from tests.support.properties import patient


@pytest.mark.parametrize("value", ["", " ", "\n\t", None, 5, ["x"], {"objective": "x"}, True])
def test_an_objective_must_say_something(value: object) -> None:
    with pytest.raises(RefusedError) as caught:
        objective_of(value)
    assert caught.value.message == "Ralph objective must be a non-empty string"
    assert caught.value.exit_code == EXIT_USAGE


@pytest.mark.parametrize(
    "value",
    [
        "0",
        "-1",
        "1.5",
        "five",
        "",
        " 5",
        "٥",
        "1e3",
        0,
        -1,
        1.5,
        True,
        False,
        [],
        "9" * 17,
        2**53,
        float("nan"),
        float("inf"),
    ],
)
def test_rounds_must_be_a_positive_safe_integer(value: object) -> None:
    with pytest.raises(RefusedError) as caught:
        rounds_of(value, Loop(round_ceiling=2**53 - 1))
    assert caught.value.message == "Ralph maxRounds must be a positive safe integer"


@pytest.mark.parametrize(
    ("value", "loop", "rounds"),
    [
        (None, Loop(), 256),
        (None, Loop(round_ceiling=10), 10),
        (None, Loop(max_rounds=7), 7),
        (None, Loop(max_rounds=700), 256),
        ("5", Loop(), 5),
        (5, Loop(), 5),
        (5.0, Loop(), 5),
        ("256", Loop(), 256),
        (2**53 - 1, Loop(round_ceiling=2**53 - 1), 2**53 - 1),
    ],
)
def test_rounds(value: object, loop: Loop, rounds: int) -> None:
    assert rounds_of(value, loop) == rounds


@pytest.mark.parametrize(("value", "ceiling"), [("257", 256), (6, 5), (2**53 - 1, 256)])
def test_the_ceiling_is_the_deployments(value: object, ceiling: int) -> None:
    with pytest.raises(RefusedError) as caught:
        rounds_of(value, Loop(round_ceiling=ceiling))
    assert caught.value.message == f"Ralph maxRounds {value} exceeds the deployment ceiling {ceiling}"


def test_an_mcp_call_takes_its_two_fields_and_no_other() -> None:
    assert tool_call({"objective": "x", "maxRounds": 3}) == ("x", 3)
    assert tool_call({}) == (None, None)
    with pytest.raises(RefusedError, match="Ralph takes no field `provider`"):
        tool_call({"objective": "x", "provider": "codex"})


@pytest.mark.parametrize(
    ("objective", "name"),
    [
        ("Make the tests green", "make-the-tests-green"),
        ("\n\n# Port the parser!\nmore", "port-the-parser"),
        ("***", "loop"),
        ("日本語", "loop"),
        ("../../etc/passwd", "etc-passwd"),
        ("word " * 40, "word-word-word-word-word-word-word-word"),
        ("x" * 100, "x" * 40),
    ],
)
def test_an_objective_names_its_loop(objective: str, name: str) -> None:
    assert name_of(objective) == name


@patient
@given(st.text(min_size=1))
def test_every_objective_gives_a_name_that_a_person_could_have_given(objective: str) -> None:
    assert checked_name(name_of(objective)) == name_of(objective)


@pytest.mark.parametrize("name", ["", ".", "..", ".git", "a/b", "-x", "a b", "ü", "x" * 81, "a\0b", "a\n"])
def test_a_name_is_never_a_path_or_an_option(name: str) -> None:
    with pytest.raises(RefusedError):
        checked_name(name)
