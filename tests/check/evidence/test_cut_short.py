"""A test that ends the whole process leaves with 0, and what it kept from running is not green."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ralph_hooks.check.evidence import registry
from ralph_hooks.check.evidence.text import clean
from ralph_hooks.check.verdict import GREEN, RED, Evidence
from tests.support.gate import stop
from tests.support.project import make_project

SUITE = """
import os, unittest
class Test(unittest.TestCase):
    def test_a(self): pass
    def test_b(self): {body}
    def test_c(self): self.fail()
"""
RUNS = [
    ["unittest", "test_it"],
    ["unittest", "-v", "test_it"],
    ["pytest", "-p", "no:cacheprovider", "test_it.py"],
    ["pytest", "-q", "-p", "no:cacheprovider", "test_it.py"],
    ["pytest", "-v", "-p", "no:cacheprovider", "test_it.py"],
]


def evidence_of(words: list[str], where: Path) -> Evidence | None:
    argv = [sys.executable, "-m", *words]
    done = subprocess.run(argv, cwd=where, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, done
    return registry.collect("auto", argv, "", clean(done.stdout))


@pytest.mark.parametrize("words", RUNS, ids=lambda words: " ".join(words[:2]))
def test_a_suite_that_a_test_ended_is_red(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "test_it.py").write_text(SUITE.format(body="os._exit(0)"))
    evidence = evidence_of(words, tmp_path)
    assert evidence is not None and evidence.failing == 1
    assert "ended without its summary" in evidence.failures[0].id


@pytest.mark.parametrize("words", [*RUNS, [*RUNS[3], "-q"], [*RUNS[3], "-q", "-o", "console_output_style=classic"]])
def test_a_suite_that_came_to_its_end_is_not(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "test_it.py").write_text(SUITE.format(body="pass").replace("self.fail()", "pass"))
    evidence = evidence_of(words, tmp_path)
    assert evidence is None or not evidence.failing


def test_the_gate_holds(tmp_path: Path) -> None:
    project = make_project(tmp_path / "shop").check(sys.executable, "-m", "unittest", "test_it")
    project.write("test_it.py", SUITE.format(body="os._exit(0)")).commit()
    done = stop(project).blocks("unittest ended without its summary", "although it exited 0")
    assert done.line["verdict"] == RED
    project.write("test_it.py", SUITE.format(body="pass").replace("self.fail()", "pass"))
    assert stop(project).line["verdict"] == GREEN
