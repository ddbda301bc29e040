"""The config, once: frozen dataclasses that pydantic validates and the compiled plan mirrors.

Every default lives here and nowhere else; `docs/config.md` and the JSON schema are made from this module.
The hook's hot path never imports it: it reads the compiled plan (`ralph_hooks.plan.compiled`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

# No key that we do not know, no value that has to be converted; the texts below the keys are their descriptions.
STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)
MAX_SAFE = 2**53 - 1

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

    __pydantic_config__ = STRICT
    run: Argv | ShellLine
    """The command: a list of arguments, or one line for `bash -c` with pipefail."""
    name: str = ""
    """What the check is called; made from `run` where it is left out."""
    cwd: str = "."
    """The directory it runs in, below the project root."""
    timeout_s: Seconds = 600.0
    """Seconds until the command and its whole tree are killed."""
    env: dict[str, str] = field(default_factory=dict)
    """Variables set for it; `CI = ""` takes our `CI=1` away."""
    keep_env: list[str] = field(default_factory=list)
    """Variables of the agent (`CLAUDE*`, `GIT_DIR` …) that the check shall see after all."""
    paths: list[str] = field(default_factory=list)
    """Directories and files below the root that decide whether a remembered green still holds; none = all."""
    junit: str = ""
    """Path or glob of the JUnit XML that the run writes, below the root."""
    format: Format = "auto"
    """The runner whose summary is read; `none` = the exit code alone decides."""
    min_tests: NonNegative = 1
    """Fewer executed tests than this are NO_TESTS, where the runner counts; 0 allows none."""
    flaky_retry: Annotated[int, Field(ge=0, le=1)] = 0
    """1 = a red check runs once more on the same content; green then is FLAKY."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """How one stop is judged."""

    __pydantic_config__ = STRICT
    parallel: bool = False
    """Run the checks at the same time."""
    fail_fast: bool = False
    """Stop at the first check that is not green."""
    memory: bool = True
    """Remember green by content, so that an unchanged tree is not tested again."""
    memory_inputs: list[str] = field(default_factory=list)
    """Ignored files that matter to the checks, such as `.env` and lock markers of installed packages."""
    memory_max_age_s: NonNegative = 86400
    """Seconds that a remembered green holds; 0 = none is used."""
    when: Literal["always", "changed"] = "always"
    """`changed` = red on content unchanged since the person's last prompt is said, not blocked."""
    subagents: bool = False
    """Judge subagents too, each with its own budget."""
    announce: bool = False
    """Say one line when green."""
    on_release: list[str] = field(default_factory=list)
    """Command that gets the facts as JSON on stdin when a session is released red; none = no command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How often one session may be blocked."""

    __pydantic_config__ = STRICT
    max_blocks: Annotated[int, Field(ge=1, le=10000)] = 20
    """Blocks per session until it is handed back to a person."""
    stall: NonNegative = 5
    """Blocks in a row with equal content and failures until then; 0 = off."""
    cannot_run: Positive = 2
    """Blocks in a row because the checks cannot run, time out or find no tests."""
    renew: Literal["session", "prompt"] = "session"
    """`prompt` = a person's next prompt renews the budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """When background work means paused instead of done."""

    __pydantic_config__ = STRICT
    ignore: list[str] = field(default_factory=lambda: list(DEFAULT_IGNORE))
    """Patterns of commands that never count as pending work."""
    max_skips: NonNegative = 3
    """Skips that one task may cause."""
    max_age_s: NonNegative = 600
    """Seconds since a task was first seen that it may cause skips; both 0 = wait for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What the agent is shown."""

    __pydantic_config__ = STRICT
    tail_lines: NonNegative = 40
    """Lines of the output's end that the agent sees."""
    max_chars: Annotated[int, Field(ge=1000, le=50000)] = 8000
    """Characters of one feedback."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """`ralph-hooks loop`."""

    __pydantic_config__ = STRICT
    provider: str = "claude"
    """The agent that runs the rounds."""
    max_rounds: Annotated[int, Field(ge=0, le=MAX_SAFE)] = 0
    """Rounds of a loop that names none; 0 = min(256, `round_ceiling`)."""
    round_ceiling: Positive = 256
    """The most rounds that any loop may ask for."""
    max_report_chars: Annotated[int, Field(ge=256)] = 16384
    """Characters of a round's report."""
    max_result_chars: Annotated[int, Field(ge=256)] = 16384
    """Characters of the loop's result."""
    tool: bool = False
    """Offer the loop as an MCP tool. An agent can then start agents."""
    command: list[str] = field(default_factory=list)
    """What the `command` provider runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evolve:
    """`ralph-hooks evolve` and the job tools."""

    __pydantic_config__ = STRICT
    pass_threshold: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Score from which QA may pass."""
    stop_on_cycle: bool = False
    """Stop when failures alternate, not only when they repeat."""
    dispatch: Literal["local", "plugin"] = "local"
    """`plugin` = hand the work to the client's own subagents."""
    lineage_cap: Positive = 30
    """Generations of one lineage over all its jobs."""
    arguments: list[str] = field(default_factory=list)
    """Arguments for the agent of every generation, such as its permission mode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """What the agent may not do to the gate."""

    __pydantic_config__ = STRICT
    pre_tool_use: bool = False
    """Deny edits of the sealed files before they happen."""
    ratchet: Literal["off", "show", "block"] = "show"
    """What is done about tests that vanished or are newly skipped."""
    baseline: Literal["strict", "new-only"] = "strict"
    """`new-only` = failures that the merge base already has do not block."""
    baseline_setup: list[str] = field(default_factory=list)
    """Command that prepares the worktree of the merge base; none = no command."""
    declare_blocked: bool = False
    """Let the agent end a turn red with `RALPH-BLOCKED: <reason>`."""
    notes: bool = False
    """Attach receipts that `verify` proved as git notes below `refs/notes/ralph-hooks`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Everything a person approved."""

    __pydantic_config__ = STRICT
    check: list[Check] = field(default_factory=list)
    """The checks; all of them run, and all must be green."""
    gate: Gate = field(default_factory=Gate)
    budget: Budget = field(default_factory=Budget)
    background: Background = field(default_factory=Background)
    feedback: Feedback = field(default_factory=Feedback)
    loop: Loop = field(default_factory=Loop)
    evolve: Evolve = field(default_factory=Evolve)
    guard: Guard = field(default_factory=Guard)
