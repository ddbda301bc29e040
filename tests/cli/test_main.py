"""The frame of the command line: verbs, unknown words, how it leaves."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ralph_hooks import __version__
from ralph_hooks.cli.main import VERBS
from tests.support.project import REPOSITORY, TestProject, make_project, ralph


def test_version(tmp_path: Path) -> None:
    assert ralph("--version", cwd=tmp_path).out == f"ralph-hooks, version {__version__}\n"


def test_the_bare_name_is_help_and_never_a_block(tmp_path: Path) -> None:
    done = ralph(cwd=tmp_path, stdin='{"hook_event_name": "Stop"}')
    assert (done.code, done.err) == (0, "")
    assert all(verb in done.out for verb in VERBS)


UNKNOWN = {
    ("chek",): "error: there is no verb `chek`\nhint: did you mean `ralph-hooks check`?\n",
    ("xyzzy",): "error: there is no verb `xyzzy`\nhint: `ralph-hooks --help` lists the verbs\n",
    (
        "check",
        "--forse",
    ): "error: No such option '--forse'. Did you mean '--force'?\nhint: `ralph-hooks check --help`\n",
    ("-C", "/nowhere", "status"): "error: `/nowhere` cannot be entered: No such file or directory\n",
    ("--project", "/nowhere", "status"): "error: `/nowhere` cannot be entered: No such file or directory\n",
}


@pytest.mark.parametrize("words", UNKNOWN, ids=" ".join)
def test_words_that_mean_nothing(words: tuple[str, ...], tmp_path: Path) -> None:
    done = ralph(*words, cwd=tmp_path)
    assert (done.code, done.out, done.err) == (2, "", UNKNOWN[words])


def test_no_project_is_said_with_the_way_to_one(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    for verb in ("check", "status", "log", "pause", "resume", "budget"):
        done = project.ralph(verb)
        where = project.root.resolve()
        said = f"error: no `ralph-hooks.toml` and no `[tool.ralph-hooks]` in `{where}` or above it\n"
        said += "hint: ralph-hooks install\n"
        assert (done.code, done.out, done.err) == (2, "", said), verb


def test_another_directory_is_taken(tmp_path: Path) -> None:
    make_project(tmp_path / "p").check("true")
    assert ralph("-C", str(tmp_path / "p"), "check", cwd=tmp_path).code == 0


def test_a_bug_leaves_a_report(tmp_path: Path) -> None:
    code = (
        "import sys; sys.argv[1:] = ['status']\n"
        "from ralph_hooks.cli import common\n"
        "def fail(): raise ValueError('oops')\n"
        "common.project_here = fail\n"
        "from ralph_hooks.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    assert done.returncode == 70
    assert done.stderr.startswith("bug: ValueError: oops\n")
    report = Path(done.stderr.split("`")[1])
    assert "Traceback" in report.read_text() and __version__ in report.read_text()


OUTPUTS = {
    "a reader that leaves": ("| true", "", (0, 141)),
    "a full disk": ("> /dev/full", "error: the output cannot be written: No space left on device\n", (1,)),
    "closed": (">&-", "", (0,)),
    "everything closed": ("<&- >&- 2>&-", "", (0,)),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_that_nobody_reads(tmp_path: Path, name: str) -> None:
    where, said, codes = OUTPUTS[name]
    script = f"{sys.executable} -m ralph_hooks schema {where}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    assert done.stderr == said
    assert done.returncode in codes


def test_a_broken_installation_is_told_by_the_hook_and_blocks_nobody(tmp_path: Path) -> None:
    code = (
        "import sys; sys.argv[1:] = ['hook', 'claude']; sys.modules['ralph_hooks.hook'] = None\n"
        "from ralph_hooks.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False, input="{}",
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "NOT VERIFIED (bug): ModuleNotFoundError" in json.loads(done.stdout)["systemMessage"]


@pytest.mark.parametrize("words", [[], ["no-such-client"], ["claude", "--within"], ["claude", "--within", "x"], ["-x"]])
def test_no_word_of_the_hook_leaves_as_a_block(tmp_path: Path, words: list[str]) -> None:
    done = ralph("hook", *words, cwd=tmp_path, stdin='{"session_id": "s", "hook_event_name": "Stop"}')
    assert (done.code, done.err) == (0, "")
    assert "NOT VERIFIED" in json.loads(done.out)["systemMessage"]


def test_interrupt_is_130(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p").check("true")
    with following(project) as child:
        project.ralph("check")
        assert child.stdout is not None
        assert '"event": "check"' in child.stdout.readline()
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=30)
    assert (child.returncode, err) == (130, "")


@contextlib.contextmanager
def following(project: TestProject) -> Iterator[subprocess.Popen[str]]:
    """`ralph-hooks log -f` in its own process, ended with the block at the latest."""
    child = subprocess.Popen(
        [sys.executable, "-m", "ralph_hooks", "log", "-f", "--json"], cwd=project.root, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    try:
        yield child
    finally:
        if child.poll() is None:
            child.kill()
        child.communicate(timeout=30)
