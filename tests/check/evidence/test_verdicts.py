"""The verdict that follows from what real runners printed and how they ended (G12; cases 5, 6 and 7)."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence import registry
from ralph_hooks.check.outcome import judge
from ralph_hooks.check.verdict import GREEN, NO_TESTS, RED, CheckResult
from ralph_hooks.plan.config import Check
from tests.check.evidence.recorded import book, output

# Nothing was tested, whatever the exit code says (case 5).
UNTESTED = [
    ("go", "plain-no-files"), ("go", "plain-no-tests"), ("go", "verbose-no-files"), ("go", "json-no-files"),
    ("cargo", "nothing"), ("cargo", "ignored-only"), ("nextest", "nothing"), ("nextest", "nothing-passes"),
    ("rspec", "empty"), ("rspec", "filtered"), ("rspec", "skipped-only"), ("phpunit", "filtered"),
    ("phpunit", "skipped-only"), ("phpunit", "no-tests-in-class"), ("ctest", "nothing"), ("ctest", "nothing-error"),
    ("ctest", "disabled-only"), ("ctest", "skipped-only"), ("ctest", "no-tests-in-project"), ("prove", "skipped"),
    ("prove", "nothing"), ("surefire", "no-tests"), ("surefire", "no-match"), ("surefire", "no-match-allowed"),
    ("surefire", "skip-tests"), ("surefire", "skipped-only"), ("gradle", "no-source"), ("gradle", "no-match"),
]  # fmt: skip
# Exit code 0, but the runner says that tests failed or that it never came to its end (case 7).
CONTRADICTED = [("surefire", "ignored-failures"), ("gradle", "ignored"), ("cargo", "exits"), ("phpunit", "exits")]
# The runner died of a signal (case 6).
KILLED = [("rspec", "killed"), ("phpunit", "killed")]
# Exit code 0, and output full of words about failures.
TALKING = {
    "go": "plain-talks verbose-talks json-talks verbose-nested json-nested old-json-nested",
    "cargo": "talks nested nested-quiet",
    "nextest": "no-capture-talks flaky",
    "rspec": "talks documentation-green json-talks nested",
    "phpunit": "talks testdox-talks debug",
    "ctest": "talks verbose-talks",
    "prove": "talks verbose todo-passed",
    "surefire": "talks",
    "gradle": "talks tell-talks",
}


def verdict(runner: str, case: str, format: str = "") -> CheckResult:
    """What the check would come to."""
    code = book(runner)["cases"][case]["exit"]
    text = output(runner, case)
    evidence = registry.collect(format or runner, [], "", text)
    check = Check(run=["./suite"], name="suite")
    return judge(
        check, exit_code=None if code < 0 else code, signal=-code if code < 0 else None, text=text, body="",
        evidence=evidence,
    )  # fmt: skip


@pytest.mark.parametrize(("runner", "case"), UNTESTED)
def test_nothing_tested_is_no_pass(runner: str, case: str) -> None:
    assert verdict(runner, case).verdict == NO_TESTS


@pytest.mark.parametrize(("runner", "case"), CONTRADICTED)
def test_the_summary_outweighs_exit_code_zero(runner: str, case: str) -> None:
    result = verdict(runner, case)
    assert result.verdict == RED
    assert 'format = "none"' in result.why
    assert verdict(runner, case, "none").verdict == GREEN


@pytest.mark.parametrize(("runner", "case"), KILLED)
def test_a_signal_is_red_and_named(runner: str, case: str) -> None:
    result = verdict(runner, case)
    assert (result.verdict, "SIG" in result.why) == (RED, True)


@pytest.mark.parametrize(
    ("runner", "case"), [(runner, case) for runner, cases in TALKING.items() for case in cases.split()]
)
def test_green_that_talks_of_failures_stays_green(runner: str, case: str) -> None:
    assert verdict(runner, case).verdict == GREEN
