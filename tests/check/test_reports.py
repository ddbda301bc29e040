"""Which JUnit reports belong to this run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ralph_hooks.check import reports
from ralph_hooks.check.reports import Reports
from tests.support.project import TestProject, make_project

GREEN = "<testsuite><testcase name='a'/></testsuite>"
RED = "<testsuite><testcase name='a'><failure message='no'/></testcase></testsuite>"


def names(found: Reports, root: Path) -> list[str]:
    return [os.path.relpath(path, root) for path, _ in found.fresh()]


def test_only_what_changed_since_counts(tmp_path: Path) -> None:
    for name in ("old", "touched", "same-size", "replaced", "gone"):
        (tmp_path / f"{name}.xml").write_text(GREEN)
    found = Reports("*.xml", str(tmp_path))
    os.utime(tmp_path / "touched.xml")
    (tmp_path / "same-size.xml").write_text(GREEN.replace("'a'", "'b'"))
    (tmp_path / "new").write_text(RED)
    (tmp_path / "new").rename(tmp_path / "replaced.xml")
    (tmp_path / "gone.xml").unlink()
    (tmp_path / "fresh.xml").write_text(RED)
    assert names(found, tmp_path) == ["fresh.xml", "replaced.xml", "same-size.xml", "touched.xml"]


def test_globs_go_deep_and_brackets_in_the_root_are_plain(tmp_path: Path) -> None:
    root = tmp_path / "a[1] b*"
    (root / "x/y").mkdir(parents=True)
    found = Reports("**/*.xml", str(root))
    (root / "x/y/r.xml").write_text(GREEN)
    (root / "top.xml").write_text(GREEN)
    (root / "dir.xml").mkdir()
    assert names(found, root) == ["top.xml", "x/y/r.xml"]


def test_too_much_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MOST_BYTES", 100)
    found = Reports("*.xml", str(tmp_path))
    (tmp_path / "a.xml").write_text("x" * 80)
    (tmp_path / "b.xml").write_text("x" * 80)
    assert names(found, tmp_path) == ["a.xml"]


CASES = [
    ("cp red.xml out.xml", 1, "junit reports 1 failing"),
    ("true", 0, ""),
    ("rm -f out.xml; cp green.xml out.xml", 0, ""),
]


@pytest.mark.parametrize(("script", "code", "says"), CASES)
def test_a_stale_red_report_says_nothing_about_a_green_run(tmp_path: Path, script: str, code: int, says: str) -> None:
    project: TestProject = make_project(tmp_path / "p").check("sh", "-c", script, junit="out.xml", min_tests=0)
    project.write("red.xml", RED).write("green.xml", GREEN).write("out.xml", RED)
    done = project.ralph("check")
    assert done.code == code, done.out + done.err
    assert says in done.out
