"""Real runners and tools that tests drive: what CI installs must be there; what it cannot have is named here."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.conftest import REAL_HOME
from tests.support.project import REPOSITORY

# Programs that `.ci/run` does not bring, each with the reason. Every other one that a test asks for must be there.
NOT_IN_CI = {
    "cargo-nextest": "neither Debian nor PyPI has it from its authors, and building it takes longer than the tests",
    "gradle": "Debian's is 4.4, years behind what people run; Maven stands for the JVM",
}


def need(program: str) -> str:
    """The program's path. Missing: the test is skipped; under CI only one of `NOT_IN_CI` is, any other fails it."""
    found = shutil.which(program) or next((place for place in _beside(program) if os.path.exists(place)), "")
    if found:
        return found
    reason = f"`{program}` is not installed"
    if program in NOT_IN_CI:
        reason += f"; CI does without: {NOT_IN_CI[program]}"
    elif os.environ.get("CI"):
        pytest.fail(f"{reason}, and `.ci/run` promises it")
    pytest.skip(reason)


def modules() -> Path:
    """The `node_modules` with the pinned clients and runners."""
    place = os.environ.get("RALPH_HOOKS_TEST_CLIENTS") or REPOSITORY / "tests" / "clients"
    return Path(place) / "node_modules"


def toolchains() -> dict[str, str]:
    """The environment in which rustup's toolchains and caches are found although HOME is the test's own."""
    return {
        variable: os.environ.get(variable) or os.path.join(REAL_HOME, below)
        for variable, below in (("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo"))
    }


def _beside(program: str) -> tuple[str, ...]:
    """Where the pinned runners from npm and the tools of the virtual environment are."""
    return str(modules() / ".bin" / program), os.path.join(os.path.dirname(sys.executable), program)
