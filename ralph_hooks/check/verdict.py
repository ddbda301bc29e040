"""Verdicts and what a run of the checks found. Plain classes: the hot path imports this module."""

from __future__ import annotations

GREEN = "GREEN"
FLAKY = "FLAKY"
NO_TESTS = "NO_TESTS"
CANNOT_RUN = "CANNOT_RUN"
TIMEOUT = "TIMEOUT"
RED = "RED"

# From best to worst; the verdict of a run is its worst.
ORDER = (GREEN, FLAKY, NO_TESTS, CANNOT_RUN, TIMEOUT, RED)
PASSES = (GREEN, FLAKY)


def worst(verdicts: list[str]) -> str:
    """The worst of several verdicts. Nothing checked is CANNOT_RUN, never a pass."""
    return max(verdicts, key=ORDER.index) if verdicts else CANNOT_RUN


class Failure:
    """One failing test: its id as the runner prints it, and its own failure text."""

    __slots__ = ("id", "text")

    def __init__(self, id: str, text: str = "") -> None:
        self.id = id
        self.text = text


class Evidence:
    """What a runner reported.

    Counts are numbers of tests; `None` means the runner does not tell. `errors` are tests or modules that could not
    run at all and count as failures. `statuses` maps every test id that the output names to `passed`, `failed`,
    `skipped` or `xfailed`; it is complete only when `complete` is true (JUnit XML, verbose output).
    `nothing` means the runner itself said that it ran no test. `guessed` evidence comes from output whose runner the
    check does not name: good for feedback, never for a verdict.
    """

    __slots__ = (
        "complete",
        "errors",
        "failed",
        "failures",
        "guessed",
        "nothing",
        "passed",
        "runner",
        "skipped",
        "statuses",
        "xfailed",
    )

    def __init__(
        self,
        runner: str,
        *,
        passed: int | None = None,
        failed: int | None = None,
        errors: int = 0,
        skipped: int = 0,
        xfailed: int = 0,
        failures: list[Failure] | None = None,
        statuses: dict[str, str] | None = None,
        complete: bool = False,
        nothing: bool = False,
    ) -> None:
        self.runner = runner
        self.passed = passed
        self.failed = failed
        self.errors = errors
        self.skipped = skipped
        self.xfailed = xfailed
        self.failures = failures or []
        self.statuses = statuses or {}
        self.complete = complete
        self.nothing = nothing
        self.guessed = False

    @property
    def failing(self) -> int:
        """How many tests fail, collection errors included."""
        return (self.failed or 0) + self.errors

    @property
    def executed(self) -> int | None:
        """Passed + failed + xfailed; skipped tests were not executed. `None` when the runner does not count."""
        if self.nothing:
            return 0
        return None if self.passed is None and self.failed is None else (self.passed or 0) + self.failing + self.xfailed


class CheckResult:
    """One check of a run. `why` is a sentence for the person; durations are seconds; `tail` is raw output."""

    __slots__ = (
        "duration", "evidence", "exit_code", "log", "log_bytes", "missing", "name", "remembered", "signal", "survivors",
        "tail", "verdict", "why",
    )  # fmt: skip

    def __init__(self, name: str, verdict: str, why: str = "", *, remembered: bool = False) -> None:
        self.name = name
        self.verdict = verdict
        self.why = why
        self.remembered = remembered
        self.exit_code: int | None = None
        self.signal: int | None = None
        self.duration = 0.0
        self.evidence: Evidence | None = None
        self.tail = b""
        self.log = ""
        self.log_bytes = 0
        self.missing = ""
        self.survivors: list[str] = []

    @property
    def failing_known(self) -> bool:
        """Whether the runner named every failing test."""
        evidence = self.evidence
        return evidence is not None and len(evidence.failures) >= evidence.failing > 0

    @property
    def failing_ids(self) -> list[str]:
        """Ids of the failing tests; the check's own name where the runner names none."""
        ids = [failure.id for failure in self.evidence.failures] if self.evidence else []
        return ids or ([] if self.verdict in PASSES else [f"{self.name}: {self.verdict}"])

    @property
    def failing_count(self) -> int | None:
        """How many tests fail, or `None` when nobody counted."""
        if self.verdict in PASSES:
            return 0
        return self.evidence.failing or None if self.evidence else None


class Run:
    """One run of all checks over one content of the tree. Digests are "" where there is none."""

    __slots__ = (
        "checks",
        "digest_after",
        "digest_before",
        "duration",
        "id",
        "notes",
        "receipt_digest",
        "started",
        "tools",
        "tracked_digest",
    )

    def __init__(self, id: str, started: float) -> None:
        self.id = id
        self.started = started
        self.duration = 0.0
        self.checks: list[CheckResult] = []
        self.notes: list[str] = []  # what the person and the agent should know beside the verdict
        self.digest_before = ""
        self.digest_after = ""
        self.receipt_digest = ""
        self.tracked_digest = ""  # the same without untracked files
        self.tools: dict[str, str] = {}  # check -> digest of its programs, packages and named inputs

    @property
    def verdict(self) -> str:
        """The worst verdict of its checks."""
        return worst([check.verdict for check in self.checks])

    @property
    def failing_ids(self) -> list[str]:
        """All failing ids, in the order of the checks."""
        return [test for check in self.checks for test in check.failing_ids]

    @property
    def failing_count(self) -> int | None:
        """The sum over the checks, or `None` when one that is not green did not count."""
        counts = [check.failing_count for check in self.checks]
        return None if None in counts else sum(count for count in counts if count is not None)
