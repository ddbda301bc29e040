"""Durations as people type them."""

from __future__ import annotations

import re

from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.gate.skip import LONGEST_PAUSE

UNITS = {"h": 3600, "m": 60, "s": 1}
PARTS = re.compile(r"(\d{1,6})([hms])")


def seconds_of(duration: str) -> int:
    """The length of `1h30m`. Raises `RalphError` for anything that is no duration of at most 24 hours."""
    parts = PARTS.findall(duration)
    length = sum(int(count) * UNITS[unit] for count, unit in parts)
    if not length or "".join(count + unit for count, unit in parts) != duration:
        raise RalphError(f"`{duration}` is no duration", "ralph-hooks pause 30m", EXIT_USAGE)
    if length > LONGEST_PAUSE:
        raise RalphError(f"`{duration}` is longer than 24h, the longest pause", "ralph-hooks pause 24h", EXIT_USAGE)
    return length
