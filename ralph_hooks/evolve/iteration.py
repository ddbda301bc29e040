"""What one generation left behind, as the lineage's events keep it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from ralph_hooks.evolve.actions import CONTINUE
from ralph_hooks.evolve.qa import QA

# Why a step gave no result of its own. A timeout that is raised inside the step keeps its own name (`step_error`).
CANCELLED = "cancelled"
WALL_CLOCK = "wall_clock_exhausted"
ITERATION_TIMEOUT = "iteration_timeout"
STEP_ERROR = "step_error"
GATE_ERROR = "gate_error"
TROUBLES = (CANCELLED, WALL_CLOCK, ITERATION_TIMEOUT, STEP_ERROR, GATE_ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """One generation. `duration` is in seconds; `launched` is false for one that only records why nothing ran."""

    generation: int
    execute: bool = True
    launched: bool = True
    action: str = CONTINUE
    trouble: str = ""
    detail: str = ""
    infrastructure: bool = False
    qa: QA | None = None
    findings_hash: str | None = None
    grade: float | None = None
    tests: int | None = None
    digest: str = ""
    passed_criteria: list[str] = field(default_factory=list)
    failing: list[str] = field(default_factory=list)
    evidence: str = ""
    commits: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    cost_usd: float | None = None
    duration: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether the generation ran to its end; one that did not is numbered again when the lineage goes on."""
        return self.launched and not self.trouble and self.action not in ("failed", "interrupted")

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Iteration:
        """The inverse of `to_json`; keys of a newer version are dropped."""
        known = {name.name for name in fields(cls)}
        kept = {key: value for key, value in data.items() if key in known}
        if kept.get("qa") is not None:
            kept["qa"] = QA(**kept["qa"])
        return cls(**kept)
