"""From how a check ended to its verdict (G12). Pure but for reading the project's own scripts and reports."""

from __future__ import annotations

from ralph_hooks.check.environment import tool_directories, working_directory
from ralph_hooks.check.evidence import registry
from ralph_hooks.check.evidence.text import clean
from ralph_hooks.check.verdict import CANNOT_RUN, GREEN, NO_TESTS, RED, TIMEOUT, CheckResult, Evidence
from ralph_hooks.plan.words import script_body, words_of
from ralph_hooks.process import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.check.run import Running
    from ralph_hooks.plan.config import Check
    from ralph_hooks.process.output import Output
    from ralph_hooks.process.spawn import Child, CouldNotStart

EVIDENCE_BYTES = 1024 * 1024
NO_TEST_SPECIFIED = "Error: no test specified"
WATCHING = ("watching for file changes", "waiting for file changes", "press q to quit", "watch usage", "watch mode")


def could_not_start(check: Check, root: str, failure: CouldNotStart) -> CheckResult:
    """A program that is not there, with the places that were tried."""
    places = tool_directories(root, working_directory(check, root))
    tried = f"; tried {', '.join([*places, 'PATH'])}" if failure.missing and "/" not in failure.missing else ""
    result = CheckResult(check.name, CANNOT_RUN, failure.words + tried)
    result.missing = failure.missing
    return result


def timed_out(check: Check, tail: bytes, limit: str, survivors: list[str]) -> CheckResult:
    """A check that was killed for its time, saying so when it looks like watch mode."""
    last = clean(tail[-4096:]).lower()
    why = f"it did not end within {limit} and was killed with everything it started"
    if any(phrase in last for phrase in WATCHING):
        why += "; it waits for file changes (watch mode): use the runner's one-shot command"
    if survivors:
        why += f"; still alive: {', '.join(survivors)}"
    result = CheckResult(check.name, TIMEOUT, why)
    result.survivors = survivors
    return result


def prepare(checks: list[Check], root: str) -> None:
    """While the checks run: load what reading their output takes."""
    for check in checks:
        registry.prepare(check.format, words_of(check.run), script_body(check, root))


def ended(running: Running, child: Child, output: Output) -> CheckResult:
    """A check that ended by itself."""
    check, root = running.check, running._plot.root
    text = clean(evidence_bytes(output))
    body = script_body(check, root)
    evidence = _evidence(running, text, body)
    result = judge(check, exit_code=child.exit_code, signal=child.signal, text=text, body=body, evidence=evidence)
    if evidence is None and result.verdict == RED:
        result.evidence = registry.sniff(text)
    return result


def evidence_bytes(output: Output) -> bytes:
    """The end of the output: from the log where it is whole, else from memory."""
    if output.log and not output.log_error and output.total <= EVIDENCE_BYTES:
        try:
            with open(output.log, "rb") as file:
                return file.read(EVIDENCE_BYTES)
        except OSError:
            pass
    return output.tail()


def _evidence(running: Running, text: str, body: str) -> Evidence | None:
    check = running.check
    reports = running.reports.fresh() if running.reports else ()
    return registry.collect(check.format, words_of(check.run), body, text, reports)


def judge(
    check: Check, *, exit_code: int | None, signal: int | None, text: str, body: str, evidence: Evidence | None
) -> CheckResult:
    """The table of G12."""
    verdict, why = _verdict(check, exit_code, signal, (text, body, evidence))
    result = CheckResult(check.name, verdict, why)
    result.exit_code = exit_code
    result.signal = signal
    result.evidence = evidence
    return result


def _verdict(
    check: Check, exit_code: int | None, signal: int | None, found: tuple[str, str, Evidence | None]
) -> tuple[str, str]:
    text, body, evidence = found
    if signal is not None or exit_code is None:
        return RED, f"it was ended by {signals.name(signal or 0)}"
    if signal_code := _shell_signal(exit_code):
        return RED, f"it was ended by {signals.name(signal_code)} (exit {exit_code})"
    if missing := cannot_run_reason(words_of(check.run), exit_code, text, body):
        return CANNOT_RUN, missing
    if evidence is not None and evidence.failing:
        contradiction = ' although it exited 0 (`format = "none"` ignores the summary)' if exit_code == 0 else ""
        return RED, f"{evidence.runner} reports {evidence.failing} failing{contradiction}"
    if exit_code == 5 and registry.named(check.format, words_of(check.run), body) == ["pytest"]:
        return NO_TESTS, "pytest collected no test (exit 5)"
    if exit_code != 0 and evidence is not None and evidence.nothing:
        return NO_TESTS, f"{evidence.runner} says that it ran no test (exit {exit_code})"
    if exit_code != 0:
        return RED, f"it exited {exit_code}"
    executed = evidence.executed if evidence is not None else None
    if executed is not None and executed < check.min_tests:
        return NO_TESTS, f"{executed} tests were executed, `min_tests = {check.min_tests}` are wanted"
    return GREEN, ""


def _shell_signal(exit_code: int) -> int:
    """A shell reports a child that died by signal n as 128 + n; only the signals of crashes and kills are read so."""
    number = exit_code - 128
    return number if number in (4, 6, 7, 8, 9, 11, 15) else 0


def cannot_run_reason(words: list[str], exit_code: int, text: str, body: str) -> str:
    """Why a check that did start could not do its work, or ""."""
    last = text.rstrip().rsplit("\n", 1)[-1].strip()
    if exit_code == 127:
        return f"a command was not found (exit 127): {last[:200]}"
    if exit_code == 126:
        return f"a command could not be executed (exit 126): {last[:200]}"
    if exit_code != 0 and "no test specified" in body and NO_TEST_SPECIFIED in text:
        return 'the `test` script in package.json is npm\'s placeholder ("no test specified")'
    if exit_code == 1 and "-m" in words[:-1]:
        module = words[words.index("-m") + 1]
        if last.endswith((f"No module named {module}", f"No module named '{module}'")):
            return f"{last}: the interpreter `{last.split(':', 1)[0]}` lacks the module `{module}`"
    return ""
