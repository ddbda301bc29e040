"""`ralph-hooks check` (G22): exit codes, output, filters, interruption."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.gate import lines, stop
from tests.support.project import REPOSITORY, TestProject, make_project

UNITTEST = """\
import unittest
class T(unittest.TestCase):
    def test_bad(self):
        self.assertEqual(1, 2, "one is not two")
    def test_good(self):
        pass
"""
SUITE = '[[check]]\nname = "unit"\nrun = ["python3", "-m", "unittest", "suite"]\n'


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    return make_project(tmp_path / "p")


CODES = {
    "green": ('run = "true"', 0, "GREEN"),
    "red": ('run = "exit 3"', 1, "RED"),
    "signal": ('run = "kill -SEGV $$"', 1, "RED"),
    "no tests": ('run = "printf \'?   \\\\texample.com/x\\\\t[no test files]\\\\n\'"\nformat = "go"', 3, "NO_TESTS"),
    "missing": ('run = ["no-such-runner"]', 4, "CANNOT_RUN"),
    "timeout": ('run = "sleep 60"\ntimeout_s = 0.3', 5, "TIMEOUT"),
}


@pytest.mark.parametrize(("check", "code", "verdict"), CODES.values(), ids=CODES.keys())
def test_the_verdict_is_the_exit_code(project: TestProject, check: str, code: int, verdict: str) -> None:
    project.config(f'[[check]]\nname = "it"\n{check}\n').commit()
    done = project.ralph("check")
    assert (done.code, done.err) == (code, ""), done
    assert done.out.splitlines()[-1].startswith(verdict)
    line = lines(project)[-1]
    assert (line["event"], line["exit"], line["verdict"]) == ("check", code, verdict)


def test_red_prints_what_failed_and_where_the_log_is(project: TestProject) -> None:
    project.write("suite.py", UNITTEST).config(SUITE + '[[check]]\nname = "lint"\nrun = "true"\n').commit()
    done = project.ralph("check")
    assert done.code == 1
    assert "━━ unit RED" in done.out
    assert "AssertionError: 1 != 2 : one is not two" in done.out
    rows = {words[0]: words[1] for words in map(str.split, done.out.splitlines()) if len(words) > 5}
    assert rows["unit"] == "RED" and rows["lint"] == "GREEN"
    logs = next(line for line in done.out.splitlines() if line.startswith("logs in "))
    assert Path(logs.removeprefix("logs in ")).expanduser().joinpath("unit.log").exists()


def test_output_cannot_drive_the_terminal(project: TestProject) -> None:
    project.config('[[check]]\nname = "it"\nrun = "printf \'\\\\033]0;owned\\\\007\\\\033[2Jx\'; exit 1"\n').commit()
    done = project.ralph("check")
    assert done.code == 1 and "\x1b" not in done.out


def test_json_is_one_object(project: TestProject) -> None:
    project.config('[[check]]\nname = "a"\nrun = "true"\n[[check]]\nname = "b"\nrun = "false"\n').commit()
    done = project.ralph("check", "--json")
    data = json.loads(done.out)
    assert (done.code, data["exit"], data["verdict"]) == (1, 1, "RED")
    assert [(check["name"], check["verdict"]) for check in data["checks"]] == [("a", "GREEN"), ("b", "RED")]


def test_junit_names_checks_and_tests(project: TestProject) -> None:
    project.write("suite.py", UNITTEST).config(
        SUITE + '[[check]]\nname = "slow\\u001b"\nrun = "sleep 9"\ntimeout_s = 0.2\n'
    )
    project.config(project.root.joinpath("ralph-hooks.toml").read_text().replace("slow\\u001b", "slow <&>")).commit()
    assert project.ralph("check", "--junit", "out/report.xml").code == 1
    root = ET.parse(project.root / "out/report.xml").getroot()
    suites = {suite.get("name"): suite for suite in root}
    assert set(suites) == {"unit", "slow <&>"}
    unit = suites["unit"]
    assert unit.find("testcase[@name='unit']/failure") is not None
    assert int(unit.get("failures", "0")) == len(unit.findall("testcase/failure")) >= 1
    assert suites["slow <&>"].find("testcase/error[@type='TIMEOUT']") is not None
    assert int(root.get("tests", "0")) == len(root.findall("testsuite/testcase"))


def test_junit_that_cannot_be_written_is_an_error(project: TestProject) -> None:
    project.check("true").write("file", "")
    done = project.ralph("check", "--junit", "file/x.xml")
    assert (done.code, done.err.split(":")[0]) == (2, "error")


def test_only_runs_one_check_and_claims_no_more(project: TestProject) -> None:
    project.config('[[check]]\nname = "a"\nrun = "true"\n[[check]]\nname = "b"\nrun = "false"\n').commit()
    done = project.ralph("check", "--only", "a", "--json")
    assert done.code == 0
    assert [check["name"] for check in json.loads(done.out)["checks"]] == ["a"]
    line = lines(project)[-1]
    assert line["only"] == ["a"]
    project.ralph("check")
    assert lines(project)[-1]["plan"] != line["plan"]
    unknown = project.ralph("check", "--only", "c")
    assert (unknown.code, unknown.err) == (2, "error: there is no check `c`\nhint: the checks are: a, b\n")


def test_no_check_is_cannot_run(project: TestProject) -> None:
    done = project.config("").ralph("check")
    assert done.code == 4 and "has no `[[check]]`" in done.err


def test_a_broken_config_is_named_with_its_line(project: TestProject) -> None:
    done = project.config("[gate]\nmemory = 1\n").ralph("check")
    said = "error: ralph-hooks.toml:2: `gate.memory` is 1; expected true or false\n"
    assert (done.code, done.out, done.err) == (2, "", said)


def test_a_check_that_calls_check_does_not_wait_for_itself(project: TestProject) -> None:
    project.config(f'[[check]]\nname = "it"\nrun = ["{sys.executable}", "-m", "ralph_hooks", "check"]\n').commit()
    done = project.ralph("check", timeout=30)
    assert done.code == 1
    assert "inside a run of these very checks" in done.out


def ignoring(mark: Path) -> str:
    return f"trap '' TERM; echo $$ > {mark}; while :; do sleep 0.1; done"


@contextlib.contextmanager
def started(project: TestProject) -> Iterator[subprocess.Popen[str]]:
    """A `ralph-hooks check` in its own process, ended with the block at the latest."""
    child = subprocess.Popen(
        [sys.executable, "-m", "ralph_hooks", "check"], cwd=project.root, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    try:
        yield child
    finally:
        if child.poll() is None:
            child.terminate()
        child.communicate(timeout=30)


def wait_for(path: Path) -> str:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if path.exists() and path.read_text().strip():
            return path.read_text().strip()
        time.sleep(0.02)
    raise AssertionError(f"{path} did not come")


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131), (signal.SIGUSR1, 138)],
)
def test_an_interrupt_ends_the_whole_tree(project: TestProject, tmp_path: Path, number: int, code: int) -> None:
    mark = tmp_path / "pid"
    project.config(f'[[check]]\nname = "it"\nrun = """{ignoring(mark)}"""\n').commit()
    with started(project) as child:
        pid = int(wait_for(mark))
        child.send_signal(number)
        _, err = child.communicate(timeout=30)
    assert (child.returncode, err) == (code, "cancelled: what the checks had started was ended with them\n")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert lines(project)[-1]["reason"] == "cancelled"


def test_an_interrupt_ends_the_waiting_for_another_run(project: TestProject, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    project.config(f'[[check]]\nname = "it"\nrun = """{ignoring(mark)}"""\n').commit()
    with started(project) as first:
        wait_for(mark)
        with started(project) as second:
            wait_until_it_waits(second)
            second.send_signal(signal.SIGINT)
            second.communicate(timeout=30)
        assert second.returncode == 130
        assert first.poll() is None
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=30)
    assert first.returncode == 130


def wait_until_it_waits(child: subprocess.Popen[str]) -> None:
    """Until it has the checkout's lock file open: from there on its own signal handler is in place."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with contextlib.suppress(FileNotFoundError):  # a descriptor that was closed meanwhile
            if any(os.readlink(fd).endswith("/run.lock") for fd in Path(f"/proc/{child.pid}/fd").iterdir()):
                return
        time.sleep(0.02)
    raise AssertionError("it never came to the lock")


def test_the_terminal_shows_a_check_while_it_runs(project: TestProject) -> None:
    project.config('[[check]]\nname = "slowly"\nrun = "echo first words; sleep 1.5"\n').commit()
    outer, inner = pty.openpty()
    env = os.environ | {"PYTHONPATH": str(REPOSITORY), "TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    child = subprocess.Popen(
        [sys.executable, "-m", "ralph_hooks", "check"],
        cwd=project.root,
        env=env,
        stdin=inner,
        stdout=inner,
        stderr=inner,
    )
    os.close(inner)
    seen = b""
    while child.poll() is None or select.select([outer], [], [], 0)[0]:
        if select.select([outer], [], [], 0.1)[0]:
            try:
                seen += os.read(outer, 65536)
            except OSError:
                break
    os.close(outer)
    assert child.wait(10) == 0
    before, _, after = seen.partition(b"verdict")
    assert b"slowly" in before and b"first words" in before
    assert b"GREEN" in after


def test_check_and_hook_see_the_same(project: TestProject) -> None:
    project.config('[[check]]\nname = "it"\nrun = "exit 1"\n').commit()
    assert project.ralph("check").code == 1
    assert stop(project).code == 2
    first, second = lines(project)[-2:]
    assert (first["plan"], first["verdict"]) == (second["plan"], second["verdict"])


def test_a_config_that_is_not_the_sealed_one_is_said(project: TestProject) -> None:
    project.config('[[check]]\nname = "it"\nrun = "false"\n').commit()
    assert project.ralph("seal").code == 0
    assert project.ralph("check").err == ""
    project.config('[[check]]\nname = "it"\nrun = "true"\n')
    done = project.ralph("check")
    said = "note: the config differs from the sealed one, which is what a stop runs\nhint: ralph-hooks seal\n"
    assert (done.code, done.err) == (0, said)
    assert lines(project)[-1]["unsealed"] is True
    status = project.ralph("status", "--json")
    assert json.loads(status.out)["seal"] == "sealed" and json.loads(status.out)["changes"]
    assert stop(project).code == 2


def test_state_that_cannot_be_written_costs_no_verdict(project: TestProject, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    project.env = {"XDG_STATE_HOME": str(tmp_path / "file"), "XDG_RUNTIME_DIR": str(tmp_path / "file")}
    project.config('[[check]]\nname = "it"\nrun = "echo words; exit 1"\n').commit()
    for verb, code in (("check", 1), ("status", 1), ("log", 0), ("budget", 0)):
        done = project.ralph(verb)
        assert done.code == code, done
    assert project.ralph("pause").err.startswith("error: the pause cannot be written to ")


def test_a_directory_whose_name_is_not_utf8(tmp_path: Path) -> None:
    root = Path(os.fsdecode(os.fsencode(str(tmp_path)) + b"/caf\xe9"))
    project = make_project(root).config('[[check]]\nname = "it"\nrun = "exit 1"\n').commit()
    for words, code in (
        (["check"], 1),
        (["check", "--json"], 1),
        (["check", "--junit", "x.xml"], 1),
        (["status"], 0),
        (["log"], 0),
    ):
        done = project.ralph(*words)
        assert (done.code, done.err) == (code, ""), done
