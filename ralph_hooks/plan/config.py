"""The config, once: frozen dataclasses that pydantic validates and the compiled plan mirrors.

Every default lives here and nowhere else; `docs/config.md` and the JSON schema are made from this module.
The hook's hot path never imports it: it reads the compiled plan (`ralph_hooks.plan.compiled`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

NonNegative = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0, le=604800)]
Argv = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
ShellLine = Annotated[str, Field(min_length=1)]
Format = Literal[
    "auto", "none", "pytest", "unittest", "tap", "node", "jest", "vitest", "mocha", "go", "cargo", "nextest",
    "rspec", "phpunit", "ctest", "surefire", "gradle", "dotnet", "prove",
]  # fmt: skip

DEFAULT_IGNORE = (
    "npm run dev*", "npm start*", "npm run start*", "npm run serve*", "npm run watch*", "pnpm dev*", "pnpm run dev*",
    "pnpm start*", "yarn dev*", "yarn start*", "bun dev*", "bun run dev*", "npx vite*", "vite*", "next dev*",
    "npx next dev*", "ng serve*", "webpack serve*", "* --watch*", "*nodemon*", "*runserver*", "uvicorn *", "gunicorn *",
    "flask run*", "python* -m http.server*", "rails s*", "bin/rails s*", "php artisan serve*", "hugo serve*",
    "mkdocs serve*", "docker compose up*", "docker-compose up*", "cargo watch*", "air", "tail -f*", "tail -F*",
    "tail --follow*", "journalctl -f*", "docker logs -f*", "kubectl logs -f*", "watch *", "*tsc -w*",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One command that decides."""

    run: Argv | ShellLine
    name: str = ""
    cwd: str = "."
    timeout_s: Seconds = 600
    env: dict[str, str] = field(default_factory=dict)
    keep_env: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    junit: str = ""
    format: Format = "auto"
    min_tests: NonNegative = 1
    flaky_retry: Annotated[int, Field(ge=0, le=1)] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """How one stop is judged."""

    parallel: bool = False
    fail_fast: bool = False
    memory: bool = True
    memory_inputs: list[str] = field(default_factory=list)
    memory_max_age_s: NonNegative = 86400
    when: Literal["always", "changed"] = "always"
    subagents: bool = False
    announce: bool = False
    on_release: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How often one session may be blocked."""

    max_blocks: Annotated[int, Field(ge=1, le=10000)] = 20
    stall: NonNegative = 5
    cannot_run: Positive = 2
    renew: Literal["session", "prompt"] = "session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """When background work means paused instead of done."""

    ignore: list[str] = field(default_factory=lambda: list(DEFAULT_IGNORE))
    max_skips: NonNegative = 3
    max_age_s: NonNegative = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What the agent is shown."""

    tail_lines: NonNegative = 40
    max_chars: Annotated[int, Field(ge=1000, le=50000)] = 8000


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """`ralph-hooks loop`."""

    provider: str = "claude"
    max_rounds: Annotated[int, Field(ge=0, le=2**53 - 1)] = 0
    round_ceiling: Positive = 256
    max_report_chars: Annotated[int, Field(ge=256)] = 16384
    max_result_chars: Annotated[int, Field(ge=256)] = 16384
    tool: bool = False
    command: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evolve:
    """`ralph-hooks evolve` and the job tools."""

    pass_threshold: Annotated[float, Field(ge=0, le=1)] = 1.0
    stop_on_cycle: bool = False
    dispatch: Literal["local", "plugin"] = "local"
    lineage_cap: Positive = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """What the agent may not do to the gate."""

    pre_tool_use: bool = False
    ratchet: Literal["off", "show", "block"] = "show"
    baseline: Literal["strict", "new-only"] = "strict"
    baseline_setup: list[str] = field(default_factory=list)
    declare_blocked: bool = False
    notes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Everything a person approved."""

    check: list[Check] = field(default_factory=list)
    gate: Gate = field(default_factory=Gate)
    budget: Budget = field(default_factory=Budget)
    background: Background = field(default_factory=Background)
    feedback: Feedback = field(default_factory=Feedback)
    loop: Loop = field(default_factory=Loop)
    evolve: Evolve = field(default_factory=Evolve)
    guard: Guard = field(default_factory=Guard)
