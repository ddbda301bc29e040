"""A runner that CI promises may not be missing there; everywhere else the test is skipped with the reason."""

from __future__ import annotations

import pytest

from tests.support import runners
from tests.support.project import REPOSITORY

CASES = [
    ("no-such-runner", "true", pytest.fail.Exception, "`.ci/run` promises it"),
    ("no-such-runner", "", pytest.skip.Exception, "is not installed"),
    ("gradle", "true", pytest.skip.Exception, "CI does without: Debian's is 4.4"),
]


@pytest.mark.parametrize(("program", "ci", "outcome", "words"), CASES)
def test_a_missing_runner(
    monkeypatch: pytest.MonkeyPatch, program: str, ci: str, outcome: type[BaseException], words: str
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(outcome, match=words):
        runners.need(program)


def test_what_ci_does_without_it_does_not_install() -> None:
    recipe = (REPOSITORY / ".ci/run").read_text().split()
    assert not [program for program in runners.NOT_IN_CI if program in recipe]
