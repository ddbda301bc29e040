"""Faults that are not a round (F16): by the client's own status first, by its own words last."""

from __future__ import annotations

import time

import pytest

from ralph_hooks.loop import infra
from ralph_hooks.loop.infra import from_status, from_text, reset_time


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (401, None, infra.AUTH),
        (403, "permission_error", infra.AUTH),
        (429, "rate_limit_error", infra.RATE_LIMIT),
        (529, None, infra.OVERLOAD),
        (500, "api_error", infra.OVERLOAD),
        (None, "authentication_failed", infra.AUTH),
        (None, "billing_error", infra.BILLING),
        (400, "billing_error", infra.BILLING),
        (404, "not_found_error", None),
        (400, "api_error", None),
        (400, None, None),
        (None, None, None),
        ("429", 5, None),
    ],
)
def test_status(status: object, error: object, kind: str | None) -> None:
    fault = from_status(status, error, "words")
    assert (fault.kind if fault else None) == kind


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("exceeded retry limit, last status: 429 Too Many Requests", infra.RATE_LIMIT),
        ("You've hit your usage limit. Upgrade … or try again at 12:01 PM.", infra.RATE_LIMIT),
        ("You've hit your session limit · resets 3pm", infra.RATE_LIMIT),
        ("Claude AI usage limit reached|1730000000", infra.RATE_LIMIT),
        ("unexpected status 401 Unauthorized: Missing bearer", infra.AUTH),
        ("Not logged in · Please run /login", infra.AUTH),
        ("Invalid API key · Fix external API key", infra.AUTH),
        ("Credit balance is too low", infra.BILLING),
        ("Selected model is at capacity. Please try a different model.", infra.OVERLOAD),
        ("API Error: 529 overloaded", infra.OVERLOAD),
        ("Claude Code cannot be launched inside another Claude Code session.", infra.NESTED),
        ("Reached maximum number of turns (3)", None),
        ("model gpt-9 does not exist", None),
        ("", None),
    ],
)
def test_words(words: str, kind: str | None) -> None:
    fault = from_text(words)
    assert (fault.kind if fault else None) == kind


NOON = time.mktime((2026, 11, 30, 12, 0, 0, 0, 0, -1))


@pytest.mark.parametrize(
    ("words", "after"),
    [
        ("try again at 12:01 PM.", 60),
        ("resets 3pm", 3 * 3600),
        ("resets at 11:30", 23.5 * 3600),
        ("try again in 20 minutes", 1200),
        ("retry in 1.5 hours", 5400),
        ("in 30s", 30),
    ],
)
def test_reset_times(words: str, after: float) -> None:
    assert reset_time(words, NOON) == pytest.approx(NOON + after)


@pytest.mark.parametrize("words", ["", "soon", "resets 99", "resets 12:75", "at 5"])
def test_no_reset_time(words: str) -> None:
    assert reset_time(words, NOON) == 0.0


def test_a_fault_says_when_it_ends() -> None:
    fault = from_text("Claude AI usage limit reached|1730000000")
    assert fault is not None
    assert fault.resets_at == 1730000000
    assert fault.waitable
    assert "the agent's rate limit is reached (resets 2024-10-27" in fault.sentence()
    assert not infra.missing("`claude` was not found").waitable
