"""The Python runners live: what they print today is read as what they printed when it was recorded."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ralph_hooks.check.evidence.registry import runner as module_of
from ralph_hooks.check.evidence.text import clean
from tests.check.evidence.recorded import book, read
from tests.recordings.record import PROJECTS, run_case

LIVE = {
    "pytest": (
        "green", "green-verbose", "green-xdist", "red", "red-quiet", "red-verbose", "red-tb-no", "red-stop-first",
        "import-error", "empty", "all-deselected", "conftest-error", "exit-half", "crash", "talk", "collect-only",
    ),
    "unittest": ("green", "red", "red-verbose", "import-error", "skipped", "talk", "main", "exit-half"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("runner", "case"), [(runner, case) for runner, cases in LIVE.items() for case in cases])
def test_the_live_runner_is_read_like_its_recording(tmp_path: Path, runner: str, case: str) -> None:
    row = book(runner)["cases"][case]
    argv = [sys.executable, *row["run"][1:]]
    code, text = run_case(PROJECTS / runner / row["project"], argv, tmp_path / "no-tools", row.get("env", {}))
    module = module_of(runner)
    assert module is not None
    now, then = module.parse(clean(text.encode("utf-8", "surrogateescape"))), read(runner, case)
    assert code == row["exit"]
    assert (now is None) == (then is None)
    if now is not None and then is not None:
        assert (now.passed, now.failed, now.errors, now.skipped, now.xfailed) == (
            then.passed, then.failed, then.errors, then.skipped, then.xfailed,
        )  # fmt: skip
        assert sorted(failure.id for failure in now.failures) == sorted(failure.id for failure in then.failures)
        assert now.nothing == then.nothing
