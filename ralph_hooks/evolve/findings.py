"""What fails, as a hash that two generations share when they fail in the same way (E5)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

_NOISE = (
    (re.compile(r"0x[0-9a-fA-F]+"), "0x"),
    (re.compile(r"(?:[A-Za-z]:)?(?:/[^\s/:'\"()<>\[\],]+)+/(?=[^\s/])"), ""),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (re.compile(r"\b\d\d:\d\d:\d\d(?:\.\d+)?\b"), "<time>"),
    (re.compile(r"\b\d+(?:\.\d+)?\s?(?:ms|µs|us|ns|s|sec|secs|seconds|minutes)\b"), "<time>"),
)
_CLASS = re.compile(r"\b[A-Za-z_][\w.]*(?:Error|Exception|Failure|Failed|Panic|Timeout|Exit|Interrupt)\b")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that fails: its id, and the class of its error (`AssertionError`, `TIMEOUT`)."""

    id: str
    error_class: str = ""


def steady(text: str) -> str:
    """The text without what differs between two runs of the same failure: times, directories, addresses."""
    for pattern, instead in _NOISE:
        text = pattern.sub(instead, text)
    return text


def error_class(text: str, otherwise: str = "") -> str:
    """The last error class that a failure text names."""
    found = _CLASS.findall(text)
    return found[-1].rpartition(".")[2] if found else otherwise


def findings_hash(findings: Sequence[Finding]) -> str | None:
    """Sixteen hex digits over the sorted findings; `None` when nothing fails."""
    if not findings:
        return None
    rows = sorted({f"{steady(finding.id)}\0{steady(finding.error_class)}" for finding in findings})
    return hashlib.sha256("\n".join(rows).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def oscillating(hashes: Sequence[str | None], window: int) -> bool:
    """Whether the last `window` hashes are equal; none never oscillates."""
    last = hashes[-window:]
    return len(last) == window and last[0] is not None and all(one == last[0] for one in last)


def cycle(hashes: Sequence[str | None]) -> int | None:
    """The period (2 or more) with which the end of the row repeats itself twice over, or `None`."""
    for period in range(2, len(hashes) // 2 + 1):
        last, before = hashes[-period:], hashes[-2 * period : -period]
        if last == before and None not in last and len(set(last)) > 1:
            return period
    return None
