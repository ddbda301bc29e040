"""The real runners, run again: what they print today is read as the recordings say.

What happens where a runner is not installed is said in `tests/support/runners.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ralph_hooks.check.evidence.registry import runner as module_of
from ralph_hooks.check.evidence.text import clean
from tests.check.evidence import test_cargo, test_ctest, test_go, test_nextest, test_phpunit, test_prove, test_rspec
from tests.check.evidence.recorded import Row, book, compare
from tests.recordings.record import PROJECTS, run_case
from tests.support import runners

pytestmark = pytest.mark.slow

# Runner, its program, and the cases that every version of it should print alike.
LIVE = [
    ("go", "go", ("plain-red", "verbose-red", "json-red", "verbose-talks", "plain-no-files")),
    ("cargo", "cargo", ("red", "no-fail-fast", "broken", "nothing", "talks", "exits", "nested")),
    ("nextest", "cargo-nextest", ("no-fail-fast", "flaky", "nothing")),
    ("rspec", "rspec", ("red", "documentation", "talks", "load-error", "nested")),
    ("phpunit", "phpunit", ("red", "talks", "exits", "filtered")),
    ("ctest", "ctest", ("red", "talks", "nothing", "skipped-only")),
    ("prove", "prove", ("red", "talks", "nothing")),
]
TABLES = {
    "go": test_go.ROWS,
    "cargo": test_cargo.ROWS,
    "nextest": test_nextest.ROWS,
    "rspec": test_rspec.ROWS,
    "phpunit": test_phpunit.ROWS,
    "ctest": test_ctest.ROWS,
    "prove": test_prove.ROWS,
}


@pytest.fixture(scope="module")
def caches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Build caches for this module alone, and the real toolchains of Rust, which rustup looks for below HOME."""
    return {
        "GOCACHE": str(tmp_path_factory.mktemp("gocache")),
        "CARGO_HOME": str(tmp_path_factory.mktemp("cargo")),
        "RUSTUP_HOME": runners.toolchains()["RUSTUP_HOME"],
    }


def expected(runner: str, case: str) -> Row:
    """The row of a case."""
    return next(row for row in TABLES[runner] if row.case == case)


@pytest.mark.parametrize(
    ("runner", "program", "case"),
    [(runner, program, case) for runner, program, cases in LIVE for case in cases],
)
def test_runner_prints_what_was_recorded(
    runner: str, program: str, case: str, caches: dict[str, str], tmp_path: Path
) -> None:
    runners.need(program)
    recorded = book(runner)["cases"][case]
    env = recorded.get("env", {}) | caches
    code, text = run_case(PROJECTS / runner / recorded["project"], recorded["run"], tmp_path / "tools", env)
    module = module_of(runner)
    assert module is not None
    evidence, row = module.parse(clean(text.encode("utf-8", "surrogateescape"))), expected(runner, case)
    if evidence:  # tests that run at the same time fail in any order
        evidence.failures.sort(key=lambda failure: row.ids.index(failure.id) if failure.id in row.ids else -1)
    compare(evidence, row)
    assert bool(code) == bool(recorded["exit"])
