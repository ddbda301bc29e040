"""T4: what was run at the last green and is not run now."""

from __future__ import annotations

import pytest

from ralph_hooks.check import ratchet
from ralph_hooks.check.verdict import CheckResult, Evidence
from ralph_hooks.plan.config import Guard
from ralph_hooks.plan.locate import Project
from tests.support.gate import stop
from tests.support.project import TestProject, make_project


def seen(statuses: dict[str, str] | None = None, *, passed: int | None = None) -> list[CheckResult]:
    result = CheckResult("t", "GREEN")
    statuses = statuses or {}
    ids = {name.replace("__", "::"): status for name, status in statuses.items()}
    count = passed if passed is not None else sum(status == "passed" for status in ids.values())
    skipped = sum(status == "skipped" for status in ids.values())
    result.evidence = Evidence("pytest", passed=count, failed=0, skipped=skipped, statuses=ids, complete=bool(ids))
    return [result]


@pytest.fixture
def project(tmp_path: object) -> Project:
    return Project(str(tmp_path), str(tmp_path), "")


@pytest.mark.parametrize(
    ("before", "now", "says"),
    [
        ({"a__x": "passed", "a__y": "passed"}, {"a__x": "passed"}, "1 tests vanished since the last green: a::y"),
        ({"a__x": "passed"}, {"a__x": "skipped"}, "skipped or expected to fail now: a::x"),
        ({"a__x": "passed"}, {"a__x": "xfailed"}, "skipped or expected to fail now: a::x"),
        ({"a__x": "passed"}, {"b__x": "passed"}, ""),
        ({"a__x": "passed"}, {"a__x": "passed", "a__z": "passed"}, ""),
        ({"a__x": "skipped"}, {"a__x": "skipped"}, ""),
    ],
)
def test_losses_by_id(project: Project, before: dict[str, str], now: dict[str, str], says: str) -> None:
    assert ratchet.hold(project, seen(before), Guard()) == []
    notes = ratchet.hold(project, seen(now), Guard())
    assert bool(notes) is bool(says) and all(says in note for note in notes)
    again = seen(now)
    ratchet.hold(project, again, Guard(ratchet="block"))
    assert (again[0].verdict == "RED") is bool(says)


def test_losses_by_count(project: Project) -> None:
    assert ratchet.hold(project, seen(passed=12), Guard()) == []
    assert "2 fewer tests were run" in ratchet.hold(project, seen(passed=10), Guard())[0]
    assert ratchet.hold(project, seen(passed=12), Guard()) == []
    assert ratchet.hold(project, seen(passed=15), Guard()) == []
    assert "3 fewer" in ratchet.hold(project, seen(passed=12), Guard())[0]


def test_a_runner_that_falls_silent_is_noticed(project: Project) -> None:
    ratchet.hold(project, seen(passed=5), Guard())
    silent = [CheckResult("t", "GREEN")]
    assert "now nobody counts" in ratchet.hold(project, silent, Guard(ratchet="block"))[0]
    assert silent[0].verdict == "RED"


def test_off_is_off_and_a_seal_forgets(project: Project) -> None:
    ratchet.hold(project, seen(passed=5), Guard())
    assert ratchet.hold(project, seen(passed=1), Guard(ratchet="off")) == []
    ratchet.forget(project)
    assert ratchet.hold(project, seen(passed=1), Guard()) == []


@pytest.mark.parametrize(
    ("test", "name"),
    [
        ("tests/a.py::Cart::test_x[a/b]", "test_x[a/b]"),
        ("pkg.mod.Case.test_x", "test_x"),
        ("shop/cart.TestAdd/sub", "sub"),
        ("src/a.test.ts > cart > adds", "adds"),
        ("cart › adds", "adds"),
        ("", ""),
    ],
)
def test_the_name_that_stays_when_a_file_moves(test: str, name: str) -> None:
    assert ratchet.name_of(test) == name


SUITE = """
import unittest
class Suite(unittest.TestCase):
    def test_a(self): self.assertTrue(True)
    def test_b(self): self.assertTrue(True)
    def test_c(self): self.assertTrue({})
"""


def suite(project: TestProject, text: str) -> None:
    project.write("test_suite.py", text)


@pytest.mark.parametrize(("rule", "decision"), [("show", "ALLOW"), ("block", "BLOCK")])
def test_a_deleted_test_is_told_or_blocked(tmp_path: object, rule: str, decision: str) -> None:
    project = make_project(tmp_path / "shop")  # type: ignore[operator]
    run = "run = ['python3', '-m', 'unittest', '-v', 'test_suite']"
    project.config(f"[[check]]\nname = 't'\n{run}\n[guard]\nratchet = '{rule}'\n")
    suite(project, SUITE.replace("{}", "1"))
    project.commit()
    assert stop(project).lets_go("ALLOW").line["checks"][0]["passed"] == 3
    suite(project, SUITE.replace("    def test_c(self): self.assertTrue({})\n", ""))
    done = stop(project)
    assert done.line["decision"] == decision
    assert "vanished" in done.out + done.err or "fewer tests" in done.out + done.err
    again = stop(project)
    assert again.line["decision"] == ("SKIP" if rule == "show" else "BLOCK")
    assert project.ralph("seal").code == 0
    suite(project, SUITE.replace("    def test_c(self): self.assertTrue({})\n", "# accepted\n"))
    stop(project).lets_go("ALLOW")
