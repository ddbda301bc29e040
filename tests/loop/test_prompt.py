"""The prompt: a fixed order, the same bytes every round, and only the handoff crosses (F5, F9)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_hooks.gate.report import Report
from ralph_hooks.loop.prompt import Frame, handoff, prefix, prompt, report_text
from tests.support.properties import patient

FRAME = Frame(objective="Port the parser", place=".ralph/port", commit=False, report_file=False, most_chars=16384)


def test_the_order_is_fixed() -> None:
    text = prompt(prefix(FRAME), "HANDOFF")
    parts = ["# Objective", "Port the parser", "# Specifications", ".ralph/port/specs/", "# Plan",
             ".ralph/port/plan.md", "# Rules", "most important open item", "# Handoff", "HANDOFF"]  # fmt: skip
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_only_the_handoff_differs_between_rounds() -> None:
    first, second = prompt(prefix(FRAME), ""), prompt(prefix(FRAME), handoff(Report("continue", ["x"], []), "red", 999))
    assert first.startswith(prefix(FRAME))
    assert second.startswith(prefix(FRAME))
    assert "there is none" in first
    assert '"state": "continue"' in second[len(prefix(FRAME)) :]
    assert second.endswith("red\n")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"commit": True}, "Do not commit."),
        ({"report_file": True}, "RALPH_HOOKS_REPORT"),
        ({"most_chars": 999}, "At most 999 characters"),
    ],
)
def test_the_rules_say_how_this_run_works(changes: dict[str, object], words: str) -> None:
    from dataclasses import replace

    assert words in prefix(replace(FRAME, **changes))  # type: ignore[arg-type]
    assert words not in prefix(FRAME)


@patient
@given(st.lists(st.text(max_size=300), min_size=1, max_size=30), st.text(max_size=3000), st.integers(256, 4000))
def test_the_handoff_stays_within_the_cap(steps: list[str], feedback: str, cap: int) -> None:
    report = Report("continue", steps, [])
    text = handoff(report, feedback, cap)
    assert len(text) <= cap
    if len(report_text(report)) + len(feedback) + 2 <= cap:
        assert report_text(report) in text
        assert feedback in text


def test_a_full_report_still_leaves_room_for_what_the_checks_said() -> None:
    text = handoff(Report("continue", ["x" * 16000], []), "FAILED tests/test_a.py::test_b\n" * 300, 16384)
    assert "FAILED tests/test_a.py::test_b" in text
    assert text.startswith('{\n  "state": "continue"')
