"""T9: red, then green on the same content."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.gate import stop
from tests.support.project import TestProject, make_project

# Red whenever the count, kept outside of the content, is even.
EVERY_OTHER = "n=$(cat ../n 2>/dev/null || echo 0); echo $((n + 1)) > ../n; test $((n % 2)) = 1"


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    return make_project(tmp_path / "shop").write("check.sh", EVERY_OTHER)


def test_a_flaky_check_is_let_go_and_the_third_time_told_to_the_person(project: TestProject) -> None:
    project.config("[[check]]\nname = 't'\nrun = 'sh check.sh'\nflaky_retry = 1\n").commit()
    for _ in range(2):
        assert stop(project).lets_go("ALLOW").line["verdict"] == "FLAKY"
    stop(project).lets_go("ALLOW", "flaky", says="`t` flaked 3 times")
    assert (project.root.parent / "n").read_text().strip() == "6", "flaky is never remembered"


def test_by_default_there_is_no_second_try(project: TestProject) -> None:
    project.config("[[check]]\nname = 't'\nrun = 'sh check.sh'\n").commit()
    stop(project).blocks()
    assert (project.root.parent / "n").read_text().strip() == "1"


def test_red_twice_is_red(project: TestProject) -> None:
    project.config("[[check]]\nname = 't'\nrun = 'echo x >> ../n; exit 1'\nflaky_retry = 1\n").commit()
    assert stop(project).blocks().line["verdict"] == "RED"
    assert (project.root.parent / "n").read_text() == "x\nx\n"


def test_a_check_that_changes_the_tree_gets_no_second_try(project: TestProject) -> None:
    project.config("[[check]]\nname = 't'\nrun = 'date +%N > stamp; sh check.sh'\nflaky_retry = 1\n").commit()
    stop(project).blocks()
    assert (project.root.parent / "n").read_text().strip() == "1"
