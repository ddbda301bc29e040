"""The report that ends a round (F6): the final message, whole, as JSON. Text is never searched for one.

The hook inside the round and the driver outside read the same message with the same function. On the hot path.
"""

from __future__ import annotations

from ralph_hooks import fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONTINUE = "continue"
COMPLETE = "complete"
BLOCKED = "blocked"
STATES = (CONTINUE, COMPLETE, BLOCKED)
KEYS = ("state", "next_steps", "evidence", "blocker")
MOST_CHARS = 16384
FENCE = "```"


class ReportError(ValueError):
    """The message is not a report; the text is a sentence that says what is wrong with it."""


class Report:
    """What a round says of itself. `blocker` is "" unless the state is `blocked`."""

    __slots__ = ("blocker", "evidence", "next_steps", "state")

    def __init__(self, state: str, next_steps: list[str], evidence: list[str], blocker: str = "") -> None:
        self.state = state
        self.next_steps = next_steps
        self.evidence = evidence
        self.blocker = blocker

    def as_dict(self) -> dict[str, Any]:
        """The report as its JSON object, in the order of `KEYS`."""
        return {
            "state": self.state,
            "next_steps": self.next_steps,
            "evidence": self.evidence,
            "blocker": self.blocker or None,
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]


def parse(message: str, most_chars: int = MOST_CHARS) -> Report:
    """The report that this message is. Raises `ReportError`."""
    text = unfenced(message.strip())
    if not text:
        raise ReportError("the final message is empty; it must be the report as JSON")
    if len(text) > most_chars:
        raise ReportError(f"the report has {len(text)} characters; at most {most_chars} are allowed")
    try:
        value = fastjson.loads(text)
    except fastjson.JsonError as error:
        raise ReportError(f"the final message is not one JSON object and nothing else ({error})") from None
    return from_value(value)


def unfenced(text: str) -> str:
    """The inside of a message that is one fenced block from its first line to its last; any other text as it is."""
    first, newline, rest = text.partition("\n")
    body, last_newline, last = rest.rpartition("\n")
    if not (newline and last_newline and first.startswith(FENCE) and last.strip() == FENCE):
        return text
    label = first[len(FENCE) :].strip().lower()
    return body.strip() if label in ("", "json") else text


def from_value(value: object) -> Report:
    """The report in a decoded JSON value. Raises `ReportError`."""
    if not isinstance(value, dict):
        raise ReportError("the report must be a JSON object")
    for key in value:
        if key not in KEYS:
            raise ReportError(f"the report has the unknown key `{_short(key)}`; its keys are {', '.join(KEYS)}")
    state = value.get("state")
    if not isinstance(state, str) or state not in STATES:
        raise ReportError(f"the report's `state` must be one of {', '.join(STATES)}")
    report = Report(state, _texts(value, "next_steps"), _texts(value, "evidence"), _text(value.get("blocker")))
    _hold_together(report)
    return report


def _hold_together(report: Report) -> None:
    if report.state != BLOCKED and report.blocker:
        raise ReportError(f"a report with state `{report.state}` has no blocker")
    if report.state == CONTINUE and not report.next_steps:
        raise ReportError("a report with state `continue` lists its `next_steps`")
    if report.state == COMPLETE and report.next_steps:
        raise ReportError("a report with state `complete` has no `next_steps`")
    if report.state == COMPLETE and not report.evidence:
        raise ReportError("a report with state `complete` carries its `evidence`")
    if report.state == BLOCKED and not report.blocker:
        raise ReportError("a report with state `blocked` names its `blocker`")


def _texts(value: dict[str, Any], key: str) -> list[str]:
    given = value.get(key)
    if given is None:
        return []
    if not isinstance(given, list) or not all(isinstance(entry, str) for entry in given):
        raise ReportError(f"the report's `{key}` must be a list of strings")
    return [text for text in map(_clean, given) if text]


def _text(given: object) -> str:
    if given is None:
        return ""
    if not isinstance(given, str):
        raise ReportError("the report's `blocker` must be a string")
    return _clean(given)


def _clean(text: str) -> str:
    # JSON can spell half a surrogate pair, which no file and no pipe can take
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def _short(key: str) -> str:
    return _clean(key)[:40]
