"""The check that a session's goal is."""

from __future__ import annotations

import dataclasses
from typing import Any

from ralph_hooks.plan.config import Check


def values_of(command: str) -> dict[str, Any]:
    """The check that runs this command, as `with_check` takes it."""
    return dataclasses.asdict(Check(run=command, name="goal"))
