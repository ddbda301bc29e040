"""`ralph-hooks` as people have it: the wheel of this tree, installed, with the script that the wheel ships."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from filelock import FileLock

from tests.support.project import REPOSITORY


@pytest.fixture(scope="session")
def installed_bin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory that holds the installed `ralph-hooks`; built once per test run, workers of xdist share it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    place = shared / "installed"
    with FileLock(shared / "installed.lock", timeout=120):
        if not (place / "ready").exists():
            _install(place)
            (place / "ready").touch()
    return place / "venv" / "bin"


@pytest.fixture
def installed(installed_bin: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, first on PATH for this test and all that it starts."""
    monkeypatch.setenv("PATH", str(installed_bin), prepend=os.pathsep)
    return installed_bin


def _install(place: Path) -> None:
    """Dependencies come from the environment that runs the tests; only our wheel is installed for real."""
    venv.create(place / "venv", symlinks=True)
    python = str(place / "venv" / "bin" / "python")
    _run([*_builder(), str(place / "dist")], REPOSITORY)
    (wheel,) = (place / "dist").glob("*.whl")
    _run([*_installer(python), "--no-deps", str(wheel)], place)
    (site,) = (place / "venv" / "lib").glob("python*/site-packages")
    (site / "tests-dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")


def _builder() -> list[str]:
    """The build backend itself where it is installed; else `build`, which fetches it."""
    if importlib.util.find_spec("hatchling"):
        return [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d"]
    return [sys.executable, "-m", "build", "--wheel", "--outdir"]


def _installer(python: str) -> list[str]:
    beside = os.path.join(os.path.dirname(sys.executable), "uv")
    uv = beside if os.path.exists(beside) else shutil.which("uv")
    if uv:
        return [uv, "pip", "install", "-q", "--offline", "--compile-bytecode", "--python", python]
    return [sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-index"]


def _run(argv: list[str], cwd: Path) -> None:
    done = subprocess.run(argv, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{argv}: {done.stdout}{done.stderr}"
