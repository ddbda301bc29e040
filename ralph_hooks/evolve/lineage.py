"""A lineage: append-only events, and the state that is folded from them (E7). Pure; the store keeps the events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.evolve.iteration import Iteration

# Kinds of events. Every event also carries lineage, job, sequence number and time.
JOB_STARTED = "job_started"  # {call, settings, seed, first_generation}
GENERATION_STARTED = "generation_started"  # {generation, run_id, owner, execute}
GENERATION_FINISHED = "generation_finished"  # {iteration}
WORKER_LOST = "worker_lost"  # {generation, seconds}: its owner is gone; somebody takes the job over
GENERATION_LOST = "generation_lost"  # {generation, run_id, swept, seconds}: its owner died before the end
CANCEL_REQUESTED = "cancel_requested"  # {}
KILLED = "killed"  # {generation, reason}
JOB_ENDED = "job_ended"  # {result}
REWOUND = "rewound"  # {to}


@dataclass(frozen=True, slots=True)
class Event:
    """One fact. `seq` grows within the database; `at` is seconds since the epoch."""

    seq: int
    lineage: str
    job: str
    kind: str
    body: dict[str, Any]
    at: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """What `job events` prints."""
        return {"cursor": self.seq, "at": self.at, "job_id": self.job, "kind": self.kind, **self.body}


@dataclass(slots=True)
class JobState:
    """One job of the lineage. `running` is the generation that has started and not ended, and when (`at`).

    `lost_seconds` is how long generations ran whose owner died before their end.
    """

    job: str
    first_generation: int = 1
    call: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    iterations: list[Iteration] = field(default_factory=list)
    running: dict[str, Any] | None = None
    lost_seconds: float = 0.0
    cancel_requested: bool = False
    result: dict[str, Any] | None = None

    @property
    def finished(self) -> dict[int, Iteration]:
        """Its iterations by generation."""
        return {one.generation: one for one in self.iterations}


@dataclass(slots=True)
class LineageState:
    """The whole lineage. `next_generation` is the number that the next job starts with."""

    lineage: str
    seed: str | None = None
    next_generation: int = 1
    converged: bool = False
    last: Iteration | None = None
    jobs: dict[str, JobState] = field(default_factory=dict)
    last_seq: int = 0


def fold(lineage: str, events: Iterable[Event]) -> LineageState:
    """The state after these events, in their order. Unknown kinds are left alone."""
    state = LineageState(lineage)
    for event in events:
        apply(state, event)
    return state


def apply(state: LineageState, event: Event) -> None:
    """One step of the fold."""
    state.last_seq = event.seq
    step = _STEPS.get(event.kind)
    if step:
        step(state, state.jobs.setdefault(event.job, JobState(event.job)), event.body | {"at": event.at})


def _job_started(state: LineageState, job: JobState, body: dict[str, Any]) -> None:
    job.call = body.get("call", {})
    job.settings = body.get("settings", {})
    job.first_generation = body.get("first_generation", state.next_generation)
    state.seed = body.get("seed") or state.seed
    state.converged = False


def _generation_started(state: LineageState, job: JobState, body: dict[str, Any]) -> None:
    job.running = body


def _generation_finished(state: LineageState, job: JobState, body: dict[str, Any]) -> None:
    iteration = Iteration.from_json(body["iteration"])
    job.running = None
    job.iterations.append(iteration)
    if iteration.complete:
        state.next_generation = iteration.generation + 1
        state.last = iteration


def _worker_lost(state: LineageState, job: JobState, body: dict[str, Any]) -> None:
    job.lost_seconds += body["seconds"]
    if job.running is not None:
        job.running = {**job.running, "counted": True}


def _generation_lost(state: LineageState, job: JobState, body: dict[str, Any]) -> None:
    job.running = None
    job.lost_seconds += body.get("seconds", 0.0)


def _cancel_requested(state: LineageState, job: JobState, body: dict[str, Any]) -> None:
    job.cancel_requested = True


def _job_ended(state: LineageState, job: JobState, body: dict[str, Any]) -> None:
    job.running = None
    job.result = body["result"]
    state.converged = body["result"].get("stop_reason") == "converged"


def _rewound(state: LineageState, job: JobState, body: dict[str, Any]) -> None:
    state.next_generation = body["to"] + 1
    state.converged = False
    if state.last is not None and state.last.generation > body["to"]:
        state.last = _latest(state, body["to"])


def _latest(state: LineageState, most: int) -> Iteration | None:
    done = [one for job in state.jobs.values() for one in job.iterations if one.complete and one.generation <= most]
    return max(done, key=lambda one: one.generation, default=None)


_STEPS = {
    JOB_STARTED: _job_started,
    GENERATION_STARTED: _generation_started,
    GENERATION_FINISHED: _generation_finished,
    WORKER_LOST: _worker_lost,
    GENERATION_LOST: _generation_lost,
    CANCEL_REQUESTED: _cancel_requested,
    JOB_ENDED: _job_ended,
    REWOUND: _rewound,
}


def check_rewind(state: LineageState, to: int) -> None:
    """A rewind goes to a generation that was finished, or to 0 for a fresh start. Raises `RalphError`."""
    last = state.next_generation - 1
    if not 0 <= to <= last:
        raise RalphError(
            f"`--rewind {to}` is out of range: lineage `{state.lineage}` has finished generations up to {last}",
            hint=f"give a number from 0 to {last}",
            exit_code=EXIT_USAGE,
        )


def check_continuable(state: LineageState, seed_content: str | None) -> None:
    """Whether another job may go on here. Raises `RalphError` with what to do."""
    if state.seed is None and seed_content is None:
        raise RalphError(
            f"lineage `{state.lineage}` has no seed yet: `seed_content` is needed for generation 1",
            hint="`ralph-hooks evolve --example > seed.yaml` writes a seed to start from",
            exit_code=EXIT_USAGE,
        )
    if state.converged:
        last = state.next_generation - 1
        raise RalphError(
            f"lineage `{state.lineage}` has converged at generation {last}; it goes on only from an earlier point",
            hint=f"add `--rewind {last}` to go on from there, or start another lineage",
            exit_code=EXIT_USAGE,
        )
