"""Evidence against exit codes (G12, cases 5 to 7)."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from ralph_hooks.check.evidence.registry import collect
from ralph_hooks.check.outcome import judge
from ralph_hooks.check.verdict import GREEN, NO_TESTS, RED, CheckResult
from ralph_hooks.plan.config import Check
from tests.check.evidence.recorded import output
from tests.support.project import make_project


@dataclass(frozen=True)
class Case:
    """A check, what it printed, how it ended, and the verdict."""

    name: str
    check: Check
    text: str
    verdict: str
    exit_code: int | None = 0
    signal: int | None = None
    says: str = ""


PYTEST, JEST, MAKE = Check(run=["pytest"]), Check(run=["npx", "jest"]), Check(run=["make", "test"])
WRAPPER = Check(run="pytest || true")
CASES = [
    Case("green", PYTEST, output("pytest", "green"), GREEN),
    Case("5: exit 5 that says so", PYTEST, output("pytest", "empty-quiet"), NO_TESTS, 5, says="exit 5"),
    Case("5: exit 5 without a word", Check(run=["pytest", "-qq"]), "", NO_TESTS, 5, says="exit 5"),
    Case("5: pass with no tests", JEST, output("jest", "empty-pass"), NO_TESTS, says="0 tests were executed"),
    Case("5: all skipped", JEST, output("jest", "name-empty"), NO_TESTS, says="0 tests were executed"),
    Case("5: only collected", PYTEST, output("pytest", "collect-only"), NO_TESTS),
    Case("5: none is allowed", Check(run=["jest"], min_tests=0), output("jest", "empty-pass"), GREEN),
    Case("5: too few", Check(run=["pytest"], min_tests=9), output("pytest", "green"), NO_TESTS, says="min_tests = 9"),
    Case("5: exit 5 of somebody else", MAKE, "", RED, 5),
    Case("6: died half way", PYTEST, "1 passed, 0 failed in 0.1s\n", RED, None, 11, says="SIGSEGV"),
    Case("6: a shell saw it die", WRAPPER, "1 passed in 0.1s\n", RED, 139, says="SIGSEGV"),
    Case("6: left half way with 0", PYTEST, output("pytest", "exit-half"), RED, says="although it exited 0"),
    Case("6: process.exit(0) in a test", JEST, output("jest", "exit-half"), RED, says="although it exited 0"),
    Case("7: wrapper", WRAPPER, "..FF\n2 failed, 2 passed in 0.1s\n", RED, says='`format = "none"` ignores'),
    Case("7: mocha swallows", Check(run=["mocha"]), output("mocha", "swallow"), RED, says="mocha reports 6 failing"),
    Case("7: opted out", Check(run="pytest || true", format="none"), "2 failed in 0.1s\n", GREEN),
    Case("7: nobody named", MAKE, output("pytest", "red"), GREEN),
    Case("7: named by format", Check(run=["make", "test"], format="pytest"), output("pytest", "red"), RED),
    Case("talk about failures", Check(run=["pytest", "-s"]), output("pytest", "talk"), GREEN),
    Case("ignored errors of vitest", Check(run=["vitest", "run"]), output("vitest", "unhandled-ignored"), GREEN),
    Case("a todo that fails", Check(run=["node", "--test"]), output("node", "24-green"), GREEN),
]


def judged(case: Case) -> CheckResult:
    words = case.check.run if isinstance(case.check.run, list) else []
    body = case.check.run if isinstance(case.check.run, str) else ""
    evidence = collect(case.check.format, words, body, case.text)
    return judge(case.check, exit_code=case.exit_code, signal=case.signal, text=case.text, body=body, evidence=evidence)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_verdict(case: Case) -> None:
    result = judged(case)
    assert (result.verdict, case.says in result.why) == (case.verdict, True), result.why


def test_a_script_of_the_project_that_hides_failures_is_red_in_a_real_run(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p").check("npm", "test")
    scripts = {"test": "npm run unit || true", "unit": f"{sys.executable} -m pytest -q test_a.py"}
    project.write("package.json", json.dumps({"scripts": scripts}))
    project.write("test_a.py", "def test_a():\n    assert 1 == 2, 'one is not two'\n")
    done = project.ralph("check")
    assert done.code == 1, done.out + done.err
    assert "although it exited 0" in done.out
    assert "one is not two" in done.out
