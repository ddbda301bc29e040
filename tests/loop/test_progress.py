"""Rules that end a loop which goes nowhere (F15)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_hooks.loop.progress import RULES, Standing, memory, no_progress, oscillation, regression
from tests.support.properties import patient


def contents(text: str) -> list[Standing]:
    """One letter per round: its content, and with it the verdict and the failing set."""
    return [Standing("" if letter == "-" else letter, "RED", letter) for letter in text]


def counts(*numbers: int | None) -> list[Standing]:
    return [Standing(str(n), "RED", str(n), number) for n, number in enumerate(numbers)]


@pytest.mark.parametrize(
    ("rounds", "window", "ends"),
    [("A", 1, False), ("AA", 1, True), ("AB", 1, False), ("AAA", 2, True), ("BAA", 2, False), ("ABAA", 2, False),
     ("BAAA", 2, True), ("----", 2, False), ("AAAA", 3, True), ("", 1, False)],
)  # fmt: skip
def test_no_progress(rounds: str, window: int, ends: bool) -> None:
    assert no_progress(contents(rounds), window) is ends


def test_another_verdict_on_the_same_content_is_progress() -> None:
    assert not no_progress([Standing("A", "RED"), Standing("A", "TIMEOUT")], 1)


@pytest.mark.parametrize(
    ("rounds", "window", "ends"),
    [("ABAB", 2, True), ("ABA", 2, False), ("CABAB", 3, True), ("ABCABC", 2, False), ("ABCABC", 3, True),
     ("AAAA", 2, False), ("ABBABB", 3, True), ("ABAC", 4, False), ("-B-B", 2, False), ("ABCDABCD", 4, True)],
)  # fmt: skip
def test_oscillation(rounds: str, window: int, ends: bool) -> None:
    assert oscillation(contents(rounds), window) is ends


def test_the_same_content_with_other_failures_is_no_cycle() -> None:
    rounds = [
        Standing("A", "RED", "x"),
        Standing("B", "RED", "y"),
        Standing("A", "RED", "z"),
        Standing("B", "RED", "y"),
    ]
    assert not oscillation(rounds, 2)


@pytest.mark.parametrize(
    ("numbers", "window", "ends"),
    [((1, 2), 2, True), ((2, 1), 2, False), ((1, 1), 2, False), ((5, 1, 2, 3), 3, True), ((1, 3, 2), 3, False),
     ((1, None, 2), 2, False), ((None, None), 2, False), ((1,), 2, False), ((0, 1), 2, True)],
)  # fmt: skip
def test_regression(numbers: tuple[int | None, ...], window: int, ends: bool) -> None:
    assert regression(counts(*numbers), window) is ends


ROUNDS = st.lists(st.sampled_from("ABC"), max_size=24).map("".join)


@patient
@given(ROUNDS, st.integers(2, 6), st.sampled_from(sorted(RULES)))
def test_a_rule_needs_no_more_rounds_than_are_kept(rounds: str, window: int, name: str) -> None:
    rule = RULES[name][0]
    history = [Standing(c, "RED", c, ord(c)) for c in rounds]
    assert rule(history, window) == rule(history[-memory([window]) :], window)


@patient
@given(ROUNDS, st.integers(2, 6))
def test_a_wider_window_sees_every_shorter_cycle(rounds: str, window: int) -> None:
    if oscillation(contents(rounds), window):
        assert oscillation(contents(rounds), window + 1)
