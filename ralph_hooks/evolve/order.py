"""What one generation is to do, as it crosses from the worker to the generation's own process."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from ralph_hooks.evolve.iteration import Iteration


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """`seconds` is the hard bound, `bound` names the trouble when it cuts; `settings` were fixed when the job began.

    `attempted` are criteria that earlier checkpoints took; `commits` are the records of this job.
    """

    lineage_id: str
    job_id: str
    generation: int
    run_id: str
    execute: bool
    seconds: float
    bound: str
    seed: str
    call: dict[str, Any]
    settings: dict[str, Any]
    last: Iteration | None = None
    attempted: list[str] = field(default_factory=list)
    commits: list[dict[str, Any]] = field(default_factory=list)
    final: bool = False

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Order:
        """The inverse of `to_json`."""
        last = data.get("last")
        return cls(**{**data, "last": Iteration.from_json(last) if last else None})
