"""Hooks, templates and the plugin's manifest are found from a wheel, an sdist and an editable install."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
from pathlib import Path

import pytest

from tests.support.project import REPOSITORY

WANTED = ("hooks/hooks.json", "hooks/tests-green", "templates/pre-push", ".claude-plugin/plugin.json")
ASK = """
import os, sys
from ralph_hooks.resources import resource
for name in sys.argv[1:]:
    path = resource(name)
    print(path, os.access(path, os.X_OK))
"""


def run(*argv: str, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(argv, cwd=cwd, env=os.environ | (env or {}), capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{argv}: {done.stdout}{done.stderr}"
    return done.stdout


def check_resources(out: str, below: Path) -> None:
    lines = [line.rsplit(" ", 1) for line in out.splitlines()]
    assert [Path(path).is_relative_to(below) for path, _ in lines] == [True] * len(WANTED), out
    assert [mode for path, mode in lines if path.endswith(("tests-green", "pre-push"))] == ["True", "True"]


def build(kind: str, place: Path) -> Path:
    run(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(place), cwd=REPOSITORY)
    (found,) = place.iterdir()
    return found


def test_from_a_wheel(installed_bin: Path, tmp_path: Path) -> None:
    out = run(str(installed_bin / "python"), "-c", ASK, *WANTED, cwd=tmp_path)
    check_resources(out, installed_bin.parent)
    first = (installed_bin / "ralph-hooks").read_text().splitlines()
    assert first[0].startswith("#!") and "import re" not in first, "our own script, not a generated wrapper"


def test_from_an_sdist(tmp_path: Path) -> None:
    with tarfile.open(build("sdist", tmp_path / "dist")) as archive:
        archive.extractall(tmp_path / "tree", filter="data")
    (tree,) = (tmp_path / "tree").iterdir()
    check_resources(run(sys.executable, "-c", ASK, *WANTED, cwd=tmp_path, env={"PYTHONPATH": str(tree)}), tree)
    assert (tree / "tests").is_dir() and not list(tree.rglob("node_modules"))


@pytest.mark.slow
def test_from_an_editable_install(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    python = str(tmp_path / "venv/bin/python")
    install = ["install", "-q", "--no-deps", "--no-build-isolation", "-e", str(REPOSITORY)]
    ours = {"PYTHONPATH": sysconfig.get_path("purelib")}  # the build backend, without the network
    run(sys.executable, "-m", "pip", "--python", python, *install, cwd=tmp_path, env=ours)
    check_resources(run(python, "-c", ASK, *WANTED, cwd=tmp_path), REPOSITORY)
    assert (tmp_path / "venv/bin/ralph-hooks").exists()
