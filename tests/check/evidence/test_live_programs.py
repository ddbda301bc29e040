"""The real runners, run again: what they print today is read as the recordings say.

A runner that is not installed is skipped with the reason; under CI a runner whose package `.ci/run` installs must be
there.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from ralph_hooks.check.evidence.registry import runner as module_of
from ralph_hooks.check.evidence.text import clean
from tests.check.evidence import test_cargo, test_ctest, test_go, test_nextest, test_phpunit, test_prove, test_rspec
from tests.check.evidence.recorded import Row, book, compare
from tests.conftest import REAL_HOME
from tests.recordings.record import PROJECTS, run_case
from tests.support.project import REPOSITORY

pytestmark = pytest.mark.slow

# Runner, its program, the package that brings it, and the cases that every version of it should print alike.
LIVE = [
    ("go", "go", "golang-go", ("plain-red", "verbose-red", "json-red", "verbose-talks", "plain-no-files")),
    ("cargo", "cargo", "cargo", ("red", "no-fail-fast", "broken", "nothing", "talks", "exits", "nested")),
    ("nextest", "cargo-nextest", "cargo-nextest", ("no-fail-fast", "flaky", "nothing")),
    ("rspec", "rspec", "ruby-rspec", ("red", "documentation", "talks", "load-error", "nested")),
    ("phpunit", "phpunit", "phpunit", ("red", "talks", "exits", "filtered")),
    ("ctest", "ctest", "cmake", ("red", "talks", "nothing", "skipped-only")),
    ("prove", "prove", "perl", ("red", "talks", "nothing")),
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
    rustup = os.environ.get("RUSTUP_HOME", os.path.join(REAL_HOME, ".rustup"))
    return {
        "GOCACHE": str(tmp_path_factory.mktemp("gocache")),
        "CARGO_HOME": str(tmp_path_factory.mktemp("cargo")),
        "RUSTUP_HOME": rustup,
    }


def require(program: str, package: str) -> None:
    """Skip without the program; fail where CI promised it."""
    if shutil.which(program):
        return
    recipe = REPOSITORY / ".ci/run"
    promised = os.environ.get("CI") and recipe.exists() and package in recipe.read_text(encoding="utf-8").split()
    assert not promised, f"`.ci/run` installs {package}, but there is no `{program}` on PATH"
    pytest.skip(f"`{program}` is not installed (Debian or PyPI package `{package}`)")


def expected(runner: str, case: str) -> Row:
    """The row of a case."""
    return next(row for row in TABLES[runner] if row.case == case)


@pytest.mark.parametrize(
    ("runner", "program", "package", "case"),
    [(runner, program, package, case) for runner, program, package, cases in LIVE for case in cases],
)
def test_runner_prints_what_was_recorded(
    runner: str, program: str, package: str, case: str, caches: dict[str, str], tmp_path: Path
) -> None:
    require(program, package)
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
