"""The table of runners: who is named by a check, and what that runner said."""

from __future__ import annotations

from importlib import import_module

from ralph_hooks.check.evidence.hints import may_have_spoken, may_start
from ralph_hooks.check.evidence.words import simple_commands
from ralph_hooks.check.verdict import Evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    class Runner(Protocol):
        """A module of this package that reads one runner."""

        def matches(self, words: list[str]) -> bool:
            """Whether this simple command (wrappers dropped, first word a plain name) starts the runner."""

        def parse(self, text: str) -> Evidence | None:
            """What the last summary of the runner in this cleaned text says; `None` without a summary."""


_HERE = "ralph_hooks.check.evidence."

# A runner is one module and one row. Earlier rows win where two would match the same command.
RUNNERS: tuple[tuple[str, str], ...] = (
    ("pytest", _HERE + "pytest"),
    ("unittest", _HERE + "unittest"),
    ("node", _HERE + "node"),
    ("jest", _HERE + "jest"),
    ("vitest", _HERE + "vitest"),
    ("mocha", _HERE + "mocha"),
    ("tap", _HERE + "tap"),
    ("go", _HERE + "go"),
    ("nextest", _HERE + "nextest"),
    ("cargo", _HERE + "cargo"),
    ("rspec", _HERE + "rspec"),
    ("phpunit", _HERE + "phpunit"),
    ("ctest", _HERE + "ctest"),
    ("prove", _HERE + "prove"),
    ("surefire", _HERE + "surefire"),
    ("gradle", _HERE + "gradle"),
    ("dotnet", _HERE + "dotnet"),
)


def runner(name: str) -> Runner | None:
    """The module that reads this runner."""
    path = dict(RUNNERS).get(name)
    module: Runner | None = import_module(path) if path else None
    return module


def recognise_all(words: list[str], script_body: str = "") -> list[str]:
    """Every runner that an argv or the script behind it names, in order, each once."""
    named = (_named(command) for command in simple_commands(words, script_body))
    return list(dict.fromkeys(name for name in named if name))


def _named(command: list[str]) -> str | None:
    for name, _ in RUNNERS:
        if may_start(name, command[0]) and (module := runner(name)) and module.matches(command):
            return name
    return None


def recognise(words: list[str], script_body: str = "") -> str | None:
    """The first runner that an argv or the script behind it names."""
    return next(iter(recognise_all(words, script_body)), None)


def named(format: str, words: list[str], script_body: str) -> list[str]:
    """The runners of a check: what its format says, or what its command names."""
    if format == "auto":
        return recognise_all(words, script_body)
    return [] if format == "none" else [format]


def collect(
    format: str, words: list[str], script_body: str, output: str, junit_files: Iterable[tuple[str, bytes]] = ()
) -> Evidence | None:
    """What the named runner reported; `None` when none is named, none spoke, or the format is `none`.

    `output` is cleaned text (`text.clean`); `junit_files` are name and content of the reports that this run wrote.
    """
    if format == "none":
        return None
    if junit_files:
        from ralph_hooks.check.evidence import junit

        if evidence := junit.read(junit_files):
            return evidence
    names = named(format, words, script_body)
    return _merged([evidence for name in names if (evidence := _parse(name, output))])


def prepare(format: str, words: list[str], script_body: str) -> None:
    """Load what `collect` will need, while the check still runs."""
    for name in named(format, words, script_body):
        runner(name)


def sniff(output: str) -> Evidence | None:
    """For the feedback of a red check whose runner is unknown: the runner that named failures, marked `guessed`."""
    for name, _ in RUNNERS:
        evidence = _parse(name, output) if may_have_spoken(name, output) else None
        if evidence and evidence.failing:
            evidence.guessed = True
            return evidence
    return None


def _parse(name: str, output: str) -> Evidence | None:
    module = runner(name)
    return module.parse(output) if module else None


def _merged(parts: list[Evidence]) -> Evidence | None:
    """One evidence for a script that names several runners."""
    if len(parts) < 2:
        return parts[0] if parts else None
    passed = [part.passed for part in parts if part.passed is not None]
    failed = [part.failed for part in parts if part.failed is not None]
    return Evidence(
        "+".join(part.runner for part in parts),
        passed=sum(passed) if passed else None,
        failed=sum(failed) if failed else None,
        errors=sum(part.errors for part in parts),
        skipped=sum(part.skipped for part in parts),
        xfailed=sum(part.xfailed for part in parts),
        failures=[failure for part in parts for failure in part.failures],
        statuses={test: status for part in parts for test, status in part.statuses.items()},
        complete=all(part.complete for part in parts),
        nothing=all(part.nothing for part in parts),
    )
