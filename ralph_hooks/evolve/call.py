"""The call that starts generations: one model behind the CLI's options, the MCP tool's schema, every default (E1)."""

from __future__ import annotations

import json
import unicodedata
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, model_validator

DIRECTIVE_BYTES = 2000
SEED_BYTES = 256 * 1024
NAME_CHARS = 128


def _name(value: str) -> str:
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in value):
        raise ValueError("must not contain control characters")
    return value


def _no_option(value: str) -> str:
    if value.startswith("-"):
        raise ValueError("must not start with a dash")
    return value


def _seed_text(value: str) -> str:
    if len(value.encode("utf-8", "surrogatepass")) > SEED_BYTES:
        raise ValueError(f"must be at most {SEED_BYTES} bytes")
    return value


def _empty_for_null(value: object) -> object:
    return [] if value is None else value


def _absent_for_blank(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else value


def _directive(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if not value:
        raise ValueError("must not be empty")
    if len(canonical(value)) > DIRECTIVE_BYTES:
        raise ValueError(f"must be at most {DIRECTIVE_BYTES} bytes as JSON")
    return value


def canonical(value: object) -> bytes:
    """JSON with sorted keys and no spaces: the bytes a digest is taken of."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


Name = Annotated[str, Field(min_length=1, max_length=NAME_CHARS), AfterValidator(_name)]
OptionalName = Annotated[Name | None, BeforeValidator(_absent_for_blank)]
Place = Annotated[str, Field(min_length=1, max_length=1024), AfterValidator(_name), AfterValidator(_no_option)]
OptionalPlace = Annotated[Place | None, BeforeValidator(_absent_for_blank)]
Records = Annotated[list[dict[str, JsonValue]], BeforeValidator(_empty_for_null)]
Names = Annotated[list[Name], BeforeValidator(_empty_for_null)]
Directive = Annotated[dict[str, JsonValue], AfterValidator(_directive)]


class Call(BaseModel):
    """One validated call. Seconds are wall-clock; `max_total_seconds` is `None` when it was left out."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    lineage_id: Name = Field(description="The lineage to start or to continue.")
    seed_content: Annotated[str, AfterValidator(_seed_text)] | None = Field(
        default=None,
        description="The seed as YAML text. Needed for generation 1; left out, the lineage's seed stays; given later, "
        "it replaces it.",
    )
    execute: bool = Field(
        default=True,
        description="false = a planning generation: the round may only write the plan, nothing is executed or judged.",
    )
    parallel: bool = Field(default=True, description="Whether the criteria of one generation may be checked at once.")
    skip_qa: bool = Field(default=False, description="Run no check after execution.")
    project_dir: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="Root of the agent and of the checks. Left out: the current directory."
    )
    max_generations: int = Field(default=10, ge=1, le=10, description="How many generations this call may run.")
    per_iteration_timeout_seconds: float = Field(
        default=1800, ge=30, le=7200, description="Hard bound of one generation: its whole process tree is killed."
    )
    max_total_seconds: float | None = Field(
        default=None,
        ge=1,
        le=86400,
        description="Hard bound of all generations together. Left out: max_generations x "
        "per_iteration_timeout_seconds, with a warning.",
    )
    oscillation_window: int = Field(
        default=3,
        ge=2,
        le=10,
        description="How many generations in a row with the same findings end the job. One iteration cannot oscillate "
        "with itself.",
    )
    grade_regression_window: int = Field(
        default=2, ge=2, le=10, description="How many strictly falling grades in a row end the job."
    )
    commit_policy: Literal["none", "ac_checkpoint", "final_only"] = Field(
        default="none", description="When finished criteria are committed: never, as each passes, or once at the end."
    )
    checkpoint_commits: Records = Field(
        default_factory=list, description="Records of earlier checkpoint commits; their criteria are left alone."
    )
    checkpoint_attempted_ac_ids: Names = Field(
        default_factory=list, description="Ids of criteria that were attempted before (AC-1, AC-2, ...)."
    )
    execution_id: OptionalName = Field(default=None, description="Trailer `Execution-Id` of checkpoint commits.")
    auto_session_id: OptionalName = Field(default=None, description="Trailer `Auto-Session-Id` of checkpoint commits.")
    conductor_directive: Directive | None = Field(
        default=None, description="Text for one corrective generation; needs the two other conductor fields."
    )
    conductor_decision_id: OptionalName = Field(default=None, description="The stored decision behind the directive.")
    predecessor_execution_id: OptionalName = Field(default=None, description="The execution that is being corrected.")
    git_remote: OptionalPlace = Field(
        default=None, description="Work in a clone of this repository and push a branch, on whichever worker takes it."
    )
    git_ref: OptionalPlace = Field(default=None, description="Branch, tag or commit of `git_remote` to start from.")

    @model_validator(mode="after")
    def _together(self) -> Call:
        if self.skip_qa and not self.execute:
            raise ValueError("`skip_qa` cannot be true while `execute` is false: a planning generation has no check")
        conductor = (self.conductor_directive, self.conductor_decision_id, self.predecessor_execution_id)
        if any(conductor) and not all(conductor):
            raise ValueError(
                "`conductor_directive`, `conductor_decision_id` and `predecessor_execution_id` come together or not "
                "at all"
            )
        if all(conductor) and self.max_generations != 1:
            raise ValueError(
                f"`max_generations` is {self.max_generations}, but must be exactly 1 with a `conductor_directive`"
            )
        if self.git_ref and not self.git_remote:
            raise ValueError("`git_ref` needs `git_remote`")
        return self

    @property
    def total_seconds(self) -> float:
        """The bound of the whole job, derived where the caller gave none."""
        derived = self.max_generations * self.per_iteration_timeout_seconds
        return derived if self.max_total_seconds is None else self.max_total_seconds

    @property
    def warnings(self) -> list[str]:
        """What the caller should know although nothing is wrong."""
        if self.max_total_seconds is not None:
            return []
        return [
            f"WARNING: `max_total_seconds` was left out; the job is bounded by max_generations x "
            f"per_iteration_timeout_seconds = {self.total_seconds:g} s"
        ]


def as_json(call: Call) -> dict[str, Any]:
    """The call as plain JSON values."""
    return call.model_dump(mode="json")
