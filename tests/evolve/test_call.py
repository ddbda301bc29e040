"""E1: everything is validated before anything is written; errors name field, value and range."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_hooks.evolve.call import Call, as_json
from ralph_hooks.evolve.refusal import CallError, InputRequiredError, must_be, parse_call
from tests.support.properties import patient

TABLE: dict[str, tuple[Any, str]] = {
    "lineage_id": (..., "text of 1 to 128 characters"),
    "seed_content": (None, "text"),
    "execute": (True, "true or false"),
    "parallel": (True, "true or false"),
    "skip_qa": (False, "true or false"),
    "project_dir": (None, "text"),
    "max_generations": (10, "a whole number from 1 to 10"),
    "per_iteration_timeout_seconds": (1800, "a number from 30 to 7200"),
    "max_total_seconds": (None, "a number from 1 to 86400"),
    "oscillation_window": (3, "a whole number from 2 to 10"),
    "grade_regression_window": (2, "a whole number from 2 to 10"),
    "commit_policy": ("none", "one of `none`, `ac_checkpoint`, `final_only`"),
    "checkpoint_commits": ([], "a list whose entries are each an object"),
    "checkpoint_attempted_ac_ids": ([], "a list whose entries are each text"),
    "execution_id": (None, "text of 1 to 128 characters"),
    "auto_session_id": (None, "text of 1 to 128 characters"),
    "conductor_directive": (None, "an object"),
    "conductor_decision_id": (None, "text of 1 to 128 characters"),
    "predecessor_execution_id": (None, "text of 1 to 128 characters"),
    "git_remote": (None, "text of 1 to 1024 characters"),
    "git_ref": (None, "text of 1 to 1024 characters"),
}

WRONG: list[tuple[str, object]] = [
    ("execute", "false"),
    ("execute", 1),
    ("execute", None),
    ("parallel", "true"),
    ("skip_qa", 0),
    ("max_generations", 0),
    ("max_generations", 11),
    ("max_generations", 2.5),
    ("max_generations", 3.0),
    ("max_generations", True),
    ("max_generations", "3"),
    ("max_generations", None),
    ("max_generations", math.nan),
    ("max_generations", 10**400),
    ("per_iteration_timeout_seconds", 29.999),
    ("per_iteration_timeout_seconds", 7201),
    ("per_iteration_timeout_seconds", math.nan),
    ("per_iteration_timeout_seconds", math.inf),
    ("per_iteration_timeout_seconds", -math.inf),
    ("per_iteration_timeout_seconds", "60"),
    ("per_iteration_timeout_seconds", True),
    ("max_total_seconds", 0),
    ("max_total_seconds", 86401),
    ("max_total_seconds", math.nan),
    ("oscillation_window", 1),
    ("oscillation_window", 11),
    ("grade_regression_window", 1),
    ("grade_regression_window", 2.0),
    ("commit_policy", "always"),
    ("commit_policy", None),
    ("checkpoint_commits", {}),
    ("checkpoint_commits", "abc"),
    ("checkpoint_commits", ["abc"]),
    ("checkpoint_attempted_ac_ids", "AC-1"),
    ("checkpoint_attempted_ac_ids", [1]),
    ("execution_id", 7),
    ("project_dir", 7),
    ("project_dir", ""),
    ("seed_content", {"goal": "x"}),
    ("lineage_id", 7),
    ("lineage_id", "a" * 129),
    ("conductor_directive", "do it"),
]


def test_every_field_has_its_default_and_range() -> None:
    assert list(Call.model_fields) == list(TABLE)
    for name, (default, words) in TABLE.items():
        info = Call.model_fields[name]
        assert must_be(Call, name) == words, name
        if default is not ...:
            assert info.get_default(call_default_factory=True) == default, name


def test_the_schema_carries_description_default_minimum_and_maximum() -> None:
    schema = Call.model_json_schema()
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["lineage_id"]
    for name, field in schema["properties"].items():
        assert field["description"], name
        assert name == "lineage_id" or "default" in field or name.startswith("checkpoint_"), name
    assert schema["properties"]["max_generations"]["minimum"] == 1
    assert schema["properties"]["max_generations"]["maximum"] == 10


@pytest.mark.parametrize(("field", "value"), WRONG, ids=lambda value: str(value)[:24])
def test_a_wrong_value_is_refused_with_field_value_and_range(field: str, value: object) -> None:
    with pytest.raises(CallError) as caught:
        parse_call({"lineage_id": "x", field: value})
    assert caught.value.field == field
    assert caught.value.message.startswith(f"`{field}")
    assert TABLE[field][1] in caught.value.message
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("lineage", [{}, {"lineage_id": None}, {"lineage_id": ""}, {"lineage_id": " \t"}])
def test_a_missing_lineage_is_asked_for(lineage: dict[str, object]) -> None:
    with pytest.raises(InputRequiredError) as caught:
        parse_call(lineage)
    assert caught.value.meta["status"] == "input_required"
    assert caught.value.meta["missing"] == ["lineage_id"]
    assert caught.value.meta["next_step"]


def test_a_wrong_field_beside_a_missing_lineage_is_named_first() -> None:
    with pytest.raises(CallError) as caught:
        parse_call({"execute": "false"})
    assert not isinstance(caught.value, InputRequiredError)


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"max_genrations": 3}, "`max_genrations` is not a field; did you mean `max_generations`?"),
        ({"zzz": 3}, "`zzz` is not a field"),
        ({"lineage_id": "a\x00b"}, "`lineage_id` is 'a\\x00b', but must not contain control characters"),
        ({"lineage_id": "a\ud800"}, "`lineage_id` is 'a\\ud800', but must be text of 1 to 128 characters"),
        (
            {"skip_qa": True, "execute": False},
            "`skip_qa` cannot be true while `execute` is false: a planning generation has no check",
        ),
        (
            {"conductor_directive": {"text": "x"}},
            "`conductor_directive`, `conductor_decision_id` and `predecessor_execution_id` come together or not at all",
        ),
        ({"git_remote": "--upload-pack=x"}, "`git_remote` is '--upload-pack=x', but must not start with a dash"),
        ({"git_ref": "main"}, "`git_ref` needs `git_remote`"),
    ],
)
def test_refusals_word_for_word(extra: dict[str, object], message: str) -> None:
    with pytest.raises(CallError) as caught:
        parse_call({"lineage_id": "x", **extra})
    assert caught.value.message == message


def test_a_directive_needs_exactly_one_generation_and_two_thousand_bytes() -> None:
    trio = {
        "lineage_id": "x",
        "conductor_directive": {"text": "é" * 900},
        "conductor_decision_id": "d",
        "predecessor_execution_id": "p",
    }
    with pytest.raises(CallError, match="`max_generations` is 10, but must be exactly 1"):
        parse_call(trio)
    assert parse_call({**trio, "max_generations": 1}).conductor_decision_id == "d"
    with pytest.raises(CallError, match="at most 2000 bytes"):
        parse_call({**trio, "max_generations": 1, "conductor_directive": {"text": "é" * 1000}})


def test_null_lists_are_empty_and_a_missing_total_is_derived_with_a_warning() -> None:
    call = parse_call({"lineage_id": "x", "checkpoint_commits": None, "checkpoint_attempted_ac_ids": None})
    assert call.checkpoint_commits == []
    assert call.checkpoint_attempted_ac_ids == []
    assert call.total_seconds == 18000
    assert call.warnings[0].startswith("WARNING: `max_total_seconds` was left out")
    assert parse_call({"lineage_id": "x", "max_total_seconds": 5}).warnings == []


@patient
@given(
    st.dictionaries(
        st.sampled_from(list(TABLE)),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text()),
    )
)
def test_whatever_is_given_is_a_call_or_a_refusal(data: dict[str, object]) -> None:
    try:
        call = parse_call(data)
    except CallError as refused:
        assert refused.message
    else:
        assert parse_call(as_json(call)) == call
