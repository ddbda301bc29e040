"""Faults of the agent's world that are not a round (F16): told apart from structured events first, text last.

Only what the client itself says is looked at, never what the project or a tool printed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

AUTH = "auth_failure"
BILLING = "billing"
RATE_LIMIT = "rate_limit"
OVERLOAD = "overloaded"
MISSING = "missing_agent"
NESTED = "nested_session"
WAITABLE = (RATE_LIMIT, OVERLOAD)


@dataclass(frozen=True, slots=True)
class Fault:
    """`kind` is one of the names above, `words` what the client said; `resets_at` is Unix time, 0 when not told."""

    kind: str
    words: str
    resets_at: float = 0.0

    @property
    def waitable(self) -> bool:
        return self.kind in WAITABLE

    def sentence(self) -> str:
        """What to tell a person."""
        when = f" (resets {time.strftime('%Y-%m-%d %H:%M', time.localtime(self.resets_at))})" if self.resets_at else ""
        return f"{SENTENCES[self.kind]}{when}: {self.words}" if self.words else SENTENCES[self.kind] + when


SENTENCES = {
    AUTH: "the agent is not logged in",
    BILLING: "the agent's account cannot be charged",
    RATE_LIMIT: "the agent's rate limit is reached",
    OVERLOAD: "the agent's service is overloaded or out of reach",
    MISSING: "the agent was not found",
    NESTED: "the agent refuses to run inside another session",
}
BY_STATUS = {401: AUTH, 403: AUTH, 402: BILLING, 429: RATE_LIMIT, 529: OVERLOAD, 500: OVERLOAD, 502: OVERLOAD,
             503: OVERLOAD, 504: OVERLOAD}  # fmt: skip
BY_ERROR = {
    "authentication_failed": AUTH,
    "authentication_error": AUTH,
    "permission_error": AUTH,
    "oauth_org_not_allowed": AUTH,
    "account_on_hold": BILLING,
    "verification_required": AUTH,
    "cloud_credential_error": AUTH,
    "billing_error": BILLING,
    "rate_limit": RATE_LIMIT,
    "rate_limit_error": RATE_LIMIT,
    "overloaded": OVERLOAD,
    "overloaded_error": OVERLOAD,
    "server_error": OVERLOAD,
    "api_error": OVERLOAD,
}
# The client's own words, for when it gives no status: tried in this order.
BY_TEXT = (
    (NESTED, r"inside another (claude code )?session|nested session"),
    (BILLING, r"credit balance|billing|payment required"),
    (RATE_LIMIT, r"\b429\b|rate.?limit|too many requests|hit your .*limit|usage limit|quota exceeded"),
    (AUTH, r"\b40[13]\b|unauthori[sz]ed|not logged in|please run .*login|(invalid|missing) (api key|bearer|token)"),
    (OVERLOAD, r"\b5(00|02|03|04|29)\b|overloaded|at capacity|high demand|service unavailable|internal server error"),
)  # fmt: skip


def from_status(status: object, error: object, words: str) -> Fault | None:
    """The fault that an HTTP status or the client's name for the error stands for; 404 and the like are none."""
    kind = BY_ERROR.get(error) if isinstance(error, str) else None
    if kind is None or (kind == OVERLOAD and isinstance(status, int)):
        kind = BY_STATUS.get(status) if isinstance(status, int) else None
    return Fault(kind, _line(words)) if kind else None


def from_text(words: str, now: float | None = None) -> Fault | None:
    """The fault that the client's own closing words speak of."""
    for kind, pattern in BY_TEXT:
        if re.search(pattern, words, re.IGNORECASE):
            return with_reset(Fault(kind, _line(words)), words, now)
    return None


def missing(words: str) -> Fault:
    """The agent's program is not there."""
    return Fault(MISSING, words)


def with_reset(fault: Fault, words: str, now: float | None = None) -> Fault:
    """The fault with the reset time that the words name, if they do."""
    if fault.resets_at or fault.kind != RATE_LIMIT:
        return fault
    return replace(fault, resets_at=reset_time(words, time.time() if now is None else now))


def reset_time(words: str, now: float) -> float:
    """Unix time out of `…|1730000000`, `try again at 12:01 PM`, `resets 3pm`, `try again in 20 minutes`; 0 for none."""
    for pattern, take in _TIMES:
        if found := re.search(pattern, words, re.IGNORECASE):
            return take(found, now)
    return 0.0


def _epoch(found: re.Match[str], now: float) -> float:
    return float(found[1])


def _in(found: re.Match[str], now: float) -> float:
    unit = {"s": 1, "m": 60, "h": 3600, "d": 86400}[found[2][0].lower()]
    return now + float(found[1]) * unit


def _clock(found: re.Match[str], now: float) -> float:
    hour, minute, half = int(found[1]), int(found[2] or 0), (found[3] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    if hour > 23 or minute > 59:
        return 0.0
    day = time.localtime(now)
    at = time.mktime((day.tm_year, day.tm_mon, day.tm_mday, hour, minute, 0, 0, 0, -1))
    return at if at > now else at + 86400


_TIMES: tuple[tuple[str, Callable[[re.Match[str], float], float]], ...] = (
    (r"\|(\d{10})\b", _epoch),
    (r"\bin (\d+(?:\.\d+)?) ?(s|m|h|d)[a-z]*", _in),
    (r"(?:again at|resets?(?: at)?) (\d{1,2})(?::(\d{2}))? ?([ap]m)?", _clock),
)


def _line(words: str) -> str:
    return " ".join(words.split())[:300]
