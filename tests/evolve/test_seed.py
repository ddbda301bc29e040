"""E8: the seed, and errors with line numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_hooks.evolve.seed import EXAMPLE, SeedError, parse_seed
from tests.support.properties import patient


def test_the_example_is_a_seed() -> None:
    seed = parse_seed(EXAMPLE)
    assert seed.goal.startswith("Parse ISO")
    assert [criterion.id for criterion in seed.criteria] == ["AC-1", "AC-2"]
    assert seed.criteria[0].verify_command is None
    assert not seed.criteria[0].checkable
    assert seed.criteria[1].verify_command == "python -m pytest -q tests/test_durations.py"
    assert seed.criteria[1].expected_artifacts == ["tests/test_durations.py"]
    assert seed.criteria[1].output_assertion == "passed"
    assert seed.metadata == {"owner": "you"}


def test_unknown_keys_are_kept() -> None:
    seed = parse_seed("goal: x\nontology_schema: {name: N, fields: [1, 2.5, null, 2026-01-02]}\nmore: [a]\n")
    assert seed.kept == {"ontology_schema": {"name": "N", "fields": [1, 2.5, None, "2026-01-02"]}, "more": ["a"]}


def test_an_argv_is_taken_too() -> None:
    seed = parse_seed("goal: x\nacceptance_criteria:\n- {description: d, verify_command: [pytest, -q]}\n")
    assert seed.criteria[0].verify_command == ["pytest", "-q"]


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join(['*' + old] * 9)}]\n" for old, new in zip("abcdefg", "bcdefgh", strict=True)
)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "the seed is empty"),
        ("# only a comment\n", 1, "the seed is empty"),
        ("- a\n", 1, "the seed must be a mapping with a `goal`"),
        ("constraints: [a]\n", 1, "`goal` is missing"),
        ("goal: '  '\n", 1, "`goal` must not be blank"),
        ("goal: 5\n", 1, "`goal` must be text, not `5`; put quotes around it"),
        ("goal: [a]\n", 1, "`goal` must be text, not a list; put quotes around it"),
        ("goal: a\ngoal: b\n", 2, "`goal` appears twice, first in line 1"),
        ("goal: a\nconstraints: nope\n", 2, "`constraints` must be a list, not `nope`"),
        ("goal: a\nconstraints:\n  - b\n  - 7\n", 4, "`constraints[1]` must be text, not `7`; put quotes around it"),
        ("goal: a\nmetadata: [x]\n", 2, "`metadata` must be a mapping"),
        ("goal: a\nacceptance_criteria:\n  - verify_command: x\n", 3, "`AC-1` has no `description`"),
        ("goal: a\nacceptance_criteria:\n  - a\n  - {description: d, verify: x}\n", 4, "`verify` is not a key of a"),
        ("goal: a\nacceptance_criteria:\n- {description: d, output_assertion: x}\n", 3, "needs a `verify_command`"),
        ("goal: a\nacceptance_criteria:\n- {description: d, verify_command: []}\n", 3, "must not be empty"),
        ("goal: a\nacceptance_criteria:\n- {description: d, expected_artifacts: [../x]}\n", 3, "inside the project"),
        ("goal: 'a\n", 2, "not YAML: found unexpected end of stream"),
        ("goal: a\n  b: c\n", 2, "not YAML: mapping values are not allowed here"),
        ("goal: a\nx: !!python/object:os.system {}\n", 2, ""),
        ("goal: a\nx: .nan\n", 2, "`.nan` is not a finite number"),
        ("goal: a\nx: &x [*x]\n", 2, "an alias that contains itself"),
        ("goal: a\n" + BOMB, 0, "more than 20000 values"),
        ("goal: a\n---\ngoal: b\n", 2, "not YAML: but found another document"),
        ("goal: a\x00\n", 1, "not YAML"),
        ("goal: " + "[" * 5000, 1, "nested too deeply"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, line: int, words: str) -> None:
    if "python/object" in text:
        assert parse_seed(text).kept == {"x": {}}  # a tag is only text to us: nothing is made from it
        return
    with pytest.raises(SeedError) as caught:
        parse_seed(text)
    assert words in caught.value.message
    if line:
        assert caught.value.line == line
        assert caught.value.message.startswith(f"seed_content:{line}: ")


@patient
@given(st.text(max_size=200))
def test_any_text_is_a_seed_or_an_error_with_a_line(text: str) -> None:
    try:
        parse_seed(text)
    except SeedError as error:
        assert error.line >= 1
