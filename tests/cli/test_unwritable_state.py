"""A state directory that cannot be written: each verb says so by its name, and none takes it for a bug of ours."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.project import TestProject, make_project, ralph

VERBS = (
    ("seal",),
    ("pause", "1m"),
    ("worker", "--idle", "1"),
    ("job", "list"),
    ("loop", "do it", "--name", "x", "--max-rounds", "1"),
    ("verify", "--run"),
    ("check",),
    ("resume",),
    ("budget", "reset", "--all"),
)
ANSWERED = (0, 1)


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    text = "[[check]]\nname = 't'\nrun = 'true'\nmin_tests = 0\n[loop]\nprovider = 'command'\ncommand = ['true']\n"
    return make_project(tmp_path / "p").config(text).commit()


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_state_below_a_file(project: TestProject, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "file").write_text("")
    project.env = {"XDG_STATE_HOME": str(tmp_path / "file" / "state"), "XDG_RUNTIME_DIR": str(tmp_path)}
    done = project.ralph(*words)
    assert done.code in ANSWERED and "Traceback" not in done.err and "bug:" not in done.err, done
    if done.code == 1:
        assert f"{tmp_path / 'file'}" in done.err and "\nhint: " in done.err, done
    if "logs in" in done.out:
        place = done.out.split("logs in ", 1)[1].splitlines()[0]
        assert Path(place).expanduser().is_dir(), done.out


def test_a_file_that_did_not_fit_is_named(project: TestProject, tmp_path: Path) -> None:
    """A full disk, played by a limit on the size of files."""
    code = (
        "import sys, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from ralph_hooks import files\n"
        "for write in (files.write_atomic, files.append_line):\n"
        "    try:\n        write(sys.argv[1], b'x' * 5000)\n"
        "    except OSError as error:\n        print(error.filename)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "big")], capture_output=True, text=True, check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    )  # fmt: skip
    assert done.stdout.split() == [str(tmp_path / "big")] * 2


def test_a_directory_that_is_gone_stays_a_usage_error(tmp_path: Path) -> None:
    assert ralph("-C", str(tmp_path / "nowhere"), "status", cwd=tmp_path).code == 2
