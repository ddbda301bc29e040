"""The final message, whole, is the report: everything else is refused with its reason (F6, F7)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_hooks.gate.report import MOST_CHARS, Report, ReportError, from_value, parse
from tests.support.properties import patient

GOOD = {"state": "continue", "next_steps": ["write the parser"], "evidence": ["3 tests pass"], "blocker": None}


def text(**changes: object) -> str:
    return json.dumps(GOOD | changes)


@pytest.mark.parametrize(
    ("message", "report"),
    [
        (text(), Report("continue", ["write the parser"], ["3 tests pass"])),
        ("\n\n " + text() + "\n", Report("continue", ["write the parser"], ["3 tests pass"])),
        ("```json\n" + text() + "\n```", Report("continue", ["write the parser"], ["3 tests pass"])),
        ("```\n" + text() + "\n```\n", Report("continue", ["write the parser"], ["3 tests pass"])),
        ("```json\r\n" + text() + "\r\n```", Report("continue", ["write the parser"], ["3 tests pass"])),
        ('{"state": "complete", "evidence": ["green"]}', Report("complete", [], ["green"])),
        ('{"state":"complete","evidence":["x"],"next_steps":["", " "],"blocker":" "}', Report("complete", [], ["x"])),
        ('{"state": "blocked", "blocker": "no key"}', Report("blocked", [], [], "no key")),
        ('{"state": "blocked", "blocker": "\\ud800"}', Report("blocked", [], [], "?")),
    ],
)
def test_a_report_is_taken(message: str, report: Report) -> None:
    assert parse(message) == report


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("", "the final message is empty"),
        ("  \n", "the final message is empty"),
        ("```json\n```", "not one JSON object"),
        ("3 tests still fail, so I will NOT output COMPLETE yet", "not one JSON object and nothing else"),
        ("Done!\n" + text(), "not one JSON object and nothing else"),
        (text() + "\nThat is my report.", "not one JSON object and nothing else"),
        (text() + text(), "not one JSON object and nothing else"),
        ("```json\n" + text() + "\n```\n```json\n" + text() + "\n```", "not one JSON object and nothing else"),
        ("```python\n" + text() + "\n```", "not one JSON object and nothing else"),
        ("[]", "must be a JSON object"),
        ("null", "must be a JSON object"),
        ('"complete"', "must be a JSON object"),
        (text(state="done"), "`state` must be one of continue, complete, blocked"),
        (text(state=None), "`state` must be one of"),
        (text(state=["complete"]), "`state` must be one of"),
        (text(summary="x"), "the unknown key `summary`"),
        (text(next_steps="write"), "`next_steps` must be a list of strings"),
        (text(next_steps=[1]), "`next_steps` must be a list of strings"),
        (text(evidence={}), "`evidence` must be a list of strings"),
        (text(blocker=1), "`blocker` must be a string"),
        (text(next_steps=[]), "`continue` lists its `next_steps`"),
        (text(next_steps=["", "  "]), "`continue` lists its `next_steps`"),
        (text(blocker="no key"), "`continue` has no blocker"),
        (text(state="complete"), "`complete` has no `next_steps`"),
        (text(state="complete", next_steps=[], evidence=[" "]), "`complete` carries its `evidence`"),
        (text(state="complete", next_steps=[], blocker="x"), "`complete` has no blocker"),
        (text(state="blocked"), "`blocked` names its `blocker`"),
        (text(state="blocked", blocker="  "), "`blocked` names its `blocker`"),
        (text(evidence=["x" * MOST_CHARS]), "at most 16384 are allowed"),
        ('{"state": NaN}', "not one JSON object"),
        ("[" * 100000, "characters; at most"),
        ("[" * 16000, "not one JSON object"),
    ],
)
def test_anything_else_is_refused_with_its_reason(message: str, words: str) -> None:
    with pytest.raises(ReportError) as caught:
        parse(message)
    assert words in str(caught.value)


def test_the_cap_is_exact() -> None:
    room = MOST_CHARS - len(text(evidence=[""]))
    assert parse(text(evidence=["x" * room])).evidence == ["x" * room]
    with pytest.raises(ReportError):
        parse(text(evidence=["x" * (room + 1)]))


LINES = st.lists(st.text(max_size=20), max_size=4)


@patient
@given(st.sampled_from(["continue", "complete", "blocked"]), LINES, LINES, st.none() | st.text(max_size=20))
def test_what_is_taken_holds_together_and_survives_its_own_json(
    state: str, steps: list[str], evidence: list[str], blocker: str | None
) -> None:
    value = {"state": state, "next_steps": steps, "evidence": evidence, "blocker": blocker}
    try:
        report = from_value(value)
    except ReportError:
        return
    assert parse(json.dumps(report.as_dict())) == report
    assert bool(report.blocker) == (state == "blocked")
    assert report.next_steps or state != "continue"
    assert state != "complete" or (report.evidence and not report.next_steps)


@patient
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_json_is_a_report_or_a_refusal(value: object) -> None:
    try:
        assert parse(json.dumps(value)).state in ("continue", "complete", "blocked")
    except ReportError as error:
        assert str(error)
