"""The gate under fire: kill -9, lost and broken state, full and read-only places, strangers that hold locks."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ralph_hooks import paths
from tests.support.gate import event, lines, stop
from tests.support.project import REPOSITORY, TestProject, make_project


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    return (
        make_project(tmp_path / "shop")
        .config("[[check]]\nname = 't'\nrun = 'sh check.sh'\n")
        .write("check.sh", "exit 1")
        .commit()
    )


# Other test runs may share this machine; the seconds name the sleeper.
MARK = str(10_000_000 + random.SystemRandom().randrange(80_000_000))


def state(home: Path) -> Path:
    return home / ".local/state/ralph-hooks"


def start_hook(
    project: TestProject, *, before: Callable[[], object] | None = None, **fields: object
) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-m", "ralph_hooks", "hook", "claude"],
        cwd=project.root, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)} | project.env,
        preexec_fn=before,  # noqa: PLW1509 - the test starts no thread
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(json.dumps(event(project, **fields)).encode())
    process.stdin.close()
    return process


def test_term_ends_the_tree_and_leaves_a_line(project: TestProject) -> None:
    project.write("check.sh", f"echo $$ > pid; setsid sleep {MARK} & sleep {MARK}")
    process = start_hook(project)
    wait_for(project.root / "pid")
    begin = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0
    assert time.monotonic() - begin < 3
    assert lines(project)[-1]["decision"] == "UNVERIFIED" and lines(project)[-1]["reason"] == "cancelled"
    assert not running()


DEADLY = ("INT", "HUP", "QUIT", "ABRT", "USR1", "USR2", "ALRM", "VTALRM", "PROF", "XCPU", "IO", "PWR", "STKFLT")


@pytest.mark.parametrize("name", [name for name in DEADLY if hasattr(signal, f"SIG{name}")])
def test_any_deadly_signal_is_answered_as_term_is(project: TestProject, name: str) -> None:
    project.write("check.sh", f"echo $$ > pid; setsid sleep {MARK} & sleep {MARK}")
    process = start_hook(project)
    wait_for(project.root / "pid")
    process.send_signal(getattr(signal, f"SIG{name}"))
    assert process.wait(10) == 0
    assert lines(project)[-1]["reason"] == "cancelled"
    assert not running()


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGUSR1])
def test_what_the_client_ignores_stays_ignored(project: TestProject, number: signal.Signals) -> None:
    """`nohup claude`: the terminal goes, the session and its gate live on."""
    project.write("check.sh", "echo $$ > pid; sleep 1; exit 1")
    process = start_hook(project, before=lambda: signal.signal(number, signal.SIG_IGN))
    wait_for(project.root / "pid")
    process.send_signal(number)
    assert process.wait(20) == 2


def test_term_while_the_event_is_awaited(project: TestProject) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "ralph_hooks", "hook", "claude"],
        cwd=project.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    ) as process:  # fmt: skip
        time.sleep(1)
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(3) == 0 and time.monotonic() - begin < 2
        assert process.stdout is not None
        assert "cancelled" in json.loads(process.stdout.read())["systemMessage"]
    assert lines(project)[-1]["reason"] == "cancelled"


@pytest.mark.slow
@pytest.mark.parametrize("guard", ["", "[guard]\nbaseline = 'new-only'\n"])
@pytest.mark.parametrize("word", ["", "merge-base", "clone", "write-tree", "ls-files"])
def test_a_git_that_hangs_costs_the_gate_no_more_than_its_time(
    project: TestProject, tmp_path: Path, guard: str, word: str
) -> None:
    project.config(f"[[check]]\nname = 't'\nrun = ['python3', '-m', 'unittest', 'test_it']\n{guard}")
    body = "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.assertTrue({})\n"
    project.write("test_it.py", body.format(1)).commit()
    stop(project).lets_go("ALLOW")
    project.write("test_it.py", body.format(0))
    hang_git(project, tmp_path, word)
    begin = time.monotonic()
    stop(project, within="16").blocks("1 failed")
    assert time.monotonic() - begin < 16
    assert not running()


def hang_git(project: TestProject, tmp_path: Path, word: str) -> None:
    """Put a git first on PATH that never ends when one of its words holds `word`."""
    git = tmp_path / "bin/git"
    git.parent.mkdir()
    real = shutil.which("git")
    git.write_text(
        f'#!/bin/sh\ncase "$*" in *{word}*) echo $$ > {tmp_path}/git.pid; exec sleep {MARK};; esac\nexec {real} "$@"\n'
    )
    git.chmod(0o755)
    project.env = {"PATH": f"{git.parent}:{os.environ['PATH']}"}


def term_ends(process: subprocess.Popen[bytes], project: TestProject, tmp_path: Path) -> None:
    """Once the git hangs, TERM ends the hook soon, and the ledger says so."""
    wait_for(tmp_path / "git.pid")
    time.sleep(0.3)
    begin = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0
    assert time.monotonic() - begin < 3
    assert lines(project)[-1]["reason"] == "cancelled"


def test_term_while_a_git_hangs_before_the_checks(project: TestProject, tmp_path: Path) -> None:
    """A digest that takes its time (a slow disk, a large tree) is waited for, and so the waiting ends at once."""
    hang_git(project, tmp_path, "")
    process = start_hook(project)
    term_ends(process, project, tmp_path)
    deadline = time.monotonic() + 5
    while running():
        assert time.monotonic() < deadline


def test_term_while_a_git_hangs_after_the_checks(project: TestProject, tmp_path: Path) -> None:
    """The index is brought to the tree while the check runs; a check that is over first waits for that."""
    project.write("check.sh", "exit 0").commit()
    stop(project).lets_go("ALLOW")
    project.write("new.txt", "new")
    hang_git(project, tmp_path, "update-index")
    process = start_hook(project)
    term_ends(process, project, tmp_path)
    with contextlib.suppress(ProcessLookupError):
        os.kill(int((tmp_path / "git.pid").read_text()), signal.SIGKILL)


def test_after_kill_9_the_next_stop_is_right_and_alone(project: TestProject) -> None:
    project.write("check.sh", f"[ -e ok ] || {{ echo $$ > pid; sleep {MARK}; exit 1; }}")
    process = start_hook(project)
    wait_for(project.root / "pid")
    process.kill()
    process.wait()
    assert running()
    project.write("ok", "")
    stop(project).lets_go("ALLOW")
    assert not running(), "what the dead hook left running was not ended"


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 20
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def running() -> list[bytes]:
    found = []
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{name}/cmdline").read_bytes()
            found += [words] if f"sleep\x00{MARK}".encode() in words else []
    return found


def kill_at_random_instants(project: TestProject, times: int) -> None:
    chance = random.Random(7)
    for n in range(times):
        process = start_hook(project, session_id="s", last_assistant_message=str(n))
        time.sleep(chance.uniform(0, 0.12))
        process.kill()
        process.wait()
    blocks = [line for line in lines(project) if line["decision"] == "BLOCK"]
    done = stop(project, session_id="s")
    charged = done.line.get("attempt", 0)
    assert charged >= len([line for line in blocks if line["charged"]]), "a block was given without a charge"
    assert not list(Path(os.environ["XDG_STATE_HOME"]).rglob("*.corrupt-*"))
    for path in Path(os.environ["XDG_STATE_HOME"]).rglob("*.json"):
        json.loads(path.read_text())
    assert done.code in (0, 2) and done.line["verdict"] == "RED"


def test_kill_9_at_a_few_random_instants(project: TestProject) -> None:
    project.config("[[check]]\nname = 't'\nrun = 'exit 1'\n[budget]\nmax_blocks = 1000\nstall = 0\n")
    kill_at_random_instants(project, 15)


@pytest.mark.slow
def test_kill_9_at_two_hundred_random_instants(project: TestProject) -> None:
    project.config("[[check]]\nname = 't'\nrun = 'exit 1'\n[budget]\nmax_blocks = 1000\nstall = 0\n")
    kill_at_random_instants(project, 200)


@pytest.mark.parametrize("damage", [b"", b"{", b"\x00" * 500, b'{"v":1}', b'{"v":99,"charged":0}', b"[]"])
def test_a_broken_state_is_moved_aside_and_rebuilt_from_the_ledger(
    project: TestProject, own_home: Path, damage: bytes
) -> None:
    stop(project).blocks("attempt 1/20")
    (path,) = (state(own_home) / "sessions").glob("*.json")
    path.write_bytes(damage)
    done = stop(project).blocks("attempt 2/20", "was unreadable")
    assert len(list(path.parent.glob("*.corrupt-*"))) == 1, done
    stop(project).blocks("attempt 3/20")


def test_a_lost_state_is_rebuilt_from_the_ledger(project: TestProject, own_home: Path) -> None:
    stop(project).blocks("attempt 1/20")
    shutil.rmtree(state(own_home) / "sessions")
    stop(project).blocks("attempt 2/20")


def test_with_the_ledger_gone_too_a_session_in_mid_turn_gets_one_last_block(
    project: TestProject, own_home: Path
) -> None:
    stop(project).blocks("attempt 1/20")
    shutil.rmtree(state(own_home))
    stop(project, stop_hook_active=True).blocks("attempt 20/20")
    project.write("x", "1")
    stop(project, stop_hook_active=True).lets_go("RELEASED_RED", "budget", says="handing back")


def test_a_state_that_never_persists_does_not_loop(project: TestProject, own_home: Path) -> None:
    for n in range(3):
        shutil.rmtree(state(own_home), ignore_errors=True)
        assert stop(project, stop_hook_active=n > 0).code == 2
    shutil.rmtree(state(own_home), ignore_errors=True)
    stop(project, stop_hook_active=False).blocks("attempt 1/20")


def test_the_second_place_serves_when_the_first_cannot_be_written(project: TestProject, tmp_path: Path) -> None:
    """A file where the state directory should be: works for root too, who may write anywhere."""
    blocked = tmp_path / "nowhere"
    blocked.write_text("")
    spare = tmp_path / "run"
    spare.mkdir()
    project.env = {"XDG_STATE_HOME": str(blocked), "XDG_RUNTIME_DIR": str(spare)}
    codes = [project.ralph("hook", "claude", stdin=json.dumps(event(project))) for _ in range(2)]
    assert [done.code for done in codes] == [2, 2]
    assert "attempt 2/20" in codes[1].err


def test_with_no_place_at_all_nobody_is_blocked_and_it_is_told(project: TestProject, tmp_path: Path) -> None:
    blocked = tmp_path / "nowhere"
    blocked.write_text("")
    project.env = {"XDG_STATE_HOME": str(blocked), "XDG_RUNTIME_DIR": str(blocked)}
    done = project.ralph("hook", "claude", stdin=json.dumps(event(project)))
    assert done.code == 0
    assert "cannot be kept" in json.loads(done.out)["systemMessage"]
    status = project.ralph("status")
    assert status.code == 1 and "takes state" in status.out


def test_a_second_place_of_somebody_else_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    place = tmp_path / f"ralph-hooks-{os.getuid()}"
    assert paths.spare_state_dir() == str(place)
    place.symlink_to("/")
    assert paths.spare_state_dir() == f"{place}-taken"


@contextlib.contextmanager
def full_disk(size: str) -> Iterator[Path]:
    """A real file system of this size; only where mounts are allowed."""
    place = Path(os.environ["HOME"]) / "full"
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], capture_output=True, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"no tmpfs can be mounted here: {done.stderr.decode().strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_is_no_silent_pass(project: TestProject) -> None:
    with full_disk("64k") as place:
        with contextlib.suppress(OSError), open(place / "filler", "wb") as filler:
            while True:
                filler.write(b"x" * 4096)
                filler.flush()
        project.env = {"XDG_STATE_HOME": str(place / "s"), "XDG_RUNTIME_DIR": str(place)}
        done = project.ralph("hook", "claude", stdin=json.dumps(event(project)))
        assert done.code == 0 and "NOT VERIFIED" in json.loads(done.out)["systemMessage"]
        project.env["XDG_RUNTIME_DIR"] = os.environ["HOME"]
        done = project.ralph("hook", "claude", stdin=json.dumps(event(project)))
        assert done.code == 2, done


def test_a_stranger_that_holds_the_lock_is_named_or_gone_around(project: TestProject, own_home: Path) -> None:
    stop(project).blocks("attempt 1/20")
    (lock,) = (state(own_home) / "sessions").glob("*.json.lock")
    with open(lock, "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        project.env = {"XDG_RUNTIME_DIR": str(own_home)}
        stop(project).blocks("attempt 2/20")
    stop(project).blocks("attempt 3/20")


@pytest.mark.parametrize("script", ["exit 1", "[ -e ok ]"])
def test_term_while_a_stranger_holds_the_lock(project: TestProject, own_home: Path, script: str) -> None:
    """Charging and resetting both need it."""
    project.write("check.sh", script)
    stop(project).blocks("attempt 1/20")
    project.write("ok", "")
    (lock,) = (state(own_home) / "sessions").glob("*.json.lock")
    with open(lock, "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        process = start_hook(project)
        time.sleep(2)
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert time.monotonic() - begin < 1.5
    assert [line["decision"] for line in lines(project)] == ["BLOCK", "UNVERIFIED"]
    assert lines(project)[-1]["reason"] == "cancelled"


def test_term_while_a_stranger_holds_the_list_of_tasks(project: TestProject, own_home: Path) -> None:
    task = {"id": "b", "type": "shell", "status": "running", "description": "build", "command": "make"}
    stop(project, background_tasks=[task]).lets_go("SKIP", "background")
    (tasks,) = (state(own_home) / "sessions").glob("*.tasks")
    with open(tasks) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        process = start_hook(project, background_tasks=[task])
        time.sleep(1)
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert time.monotonic() - begin < 0.8
    assert lines(project)[-1]["reason"] == "cancelled"


@pytest.mark.slow
def test_a_gibibyte_of_output_costs_no_memory(project: TestProject) -> None:
    project.write("check.sh", "head -c 1073741824 /dev/zero | tr '\\0' 'x'; echo; echo the end; exit 1").commit()
    code = (
        "import resource, subprocess, sys; p = subprocess.run(sys.argv[1:]);"
        "print(p.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, sys.executable, "-m", "ralph_hooks", "hook", "claude"],
        cwd=project.root, input=json.dumps(event(project)).encode(), capture_output=True, check=True,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    code_text, rss = done.stdout.split()[-2:]
    assert code_text == b"2" and b"the end" in done.stderr
    assert int(rss) <= 40 * 1024


@pytest.mark.parametrize(
    "script",
    [
        "printf '\\377\\376\\000\\001 garbage \\033[2J'; exit 1",
        "head -c 300000 /dev/zero | tr '\\0' 'y'; exit 1",
        "exec >&- 2>&-; exit 1",
        "trap '' TERM; exit 1",
        "(trap '' TERM; setsid sleep 3) & exit 1",
    ],
)
def test_odd_children_are_red_all_the_same(project: TestProject, script: str) -> None:
    project.write("check.sh", script)
    stop(project).blocks("attempt 1/20")


def test_a_child_that_ignores_term_is_killed(project: TestProject) -> None:
    project.config("[[check]]\nrun = ['sh', 'check.sh']\ntimeout_s = 0.5\n").write(
        "check.sh", f"trap '' TERM; while :; do sleep {MARK}; done"
    )
    stop(project).blocks("the check timed out")
    assert not running()


@pytest.mark.parametrize("files", [6, 8, 10, 12, 14, 16, 20, 24])
def test_with_few_descriptors_it_blocks_or_says_why_not(project: TestProject, files: int) -> None:
    done = subprocess.run(
        ["prlimit", f"--nofile={files}", sys.executable, "-m", "ralph_hooks", "hook", "claude"],
        cwd=project.root, input=json.dumps(event(project)).encode(), capture_output=True, check=False,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    assert done.returncode == 2 or (done.returncode == 0 and "NOT VERIFIED" in json.loads(done.stdout)["systemMessage"])


@pytest.mark.parametrize(
    "env", [{"HOME": ""}, {"LANG": "C", "LC_ALL": "C"}, {"LANG": "de_DE.ISO-8859-1"}, {"PATH": "/usr/bin:/bin"}]
)
def test_poor_surroundings(project: TestProject, env: dict[str, str]) -> None:
    project.env = env
    project.write("check.sh", "echo 'größer ✗ 失敗'; exit 1")
    done = project.ralph("hook", "claude", stdin=json.dumps(event(project, last_assistant_message="größer")))
    assert done.code == 2 and "größer ✗ 失敗" in done.err


@pytest.mark.parametrize("year", ["1971-01-01", "2090-01-01"])
def test_a_wrong_clock_does_not_open_the_gate(project: TestProject, year: str) -> None:
    """File times from another age, as after a clock that was set."""
    stop(project).blocks("attempt 1/20")
    when = time.mktime(time.strptime(year, "%Y-%m-%d"))
    for path in Path(os.environ["XDG_STATE_HOME"]).rglob("*"):
        os.utime(path, (when, when))
    for path in project.root.rglob("*.sh"):
        os.utime(path, (when, when))
    stop(project).blocks("attempt 2/20")


def test_another_user_reads_nothing(project: TestProject, own_home: Path) -> None:
    stop(project)
    modes = {path: path.stat().st_mode & 0o077 for path in state(own_home).rglob("*")}
    assert modes and not [path for path, open_to in modes.items() if open_to and path.name != "index"], modes


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_standard_stream_that_is_closed(project: TestProject, closed: str) -> None:
    (project.root.parent / "event.json").write_text(json.dumps(event(project)))
    command = f"{sys.executable} -m ralph_hooks hook claude < ../event.json {closed}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=project.root, capture_output=True, check=False,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    decision = "UNVERIFIED" if "<" in closed else "BLOCK"
    assert (done.returncode, lines(project)[-1]["decision"]) == (0 if "<" in closed else 2, decision)
    assert b"Traceback" not in done.stderr


def test_a_standard_input_that_cannot_be_read_is_a_bad_event(project: TestProject, tmp_path: Path) -> None:
    with open(tmp_path / "write-only", "wb") as stdin:
        done = subprocess.run(
            [sys.executable, "-m", "ralph_hooks", "hook", "claude"],
            cwd=project.root, stdin=stdin, capture_output=True, check=False,
            env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert "standard input cannot be read" in json.loads(done.stdout)["systemMessage"]


@pytest.mark.parametrize(("script", "code"), [("exit 0", 0), ("exit 1", 2)])
def test_a_parent_that_ignores_the_end_of_its_children(project: TestProject, script: str, code: int) -> None:
    """SIGCHLD that is ignored is inherited, and the kernel then forgets every exit code."""
    project.write("check.sh", script).commit()
    done = subprocess.run(
        [sys.executable, "-m", "ralph_hooks", "hook", "claude"],
        cwd=project.root, input=json.dumps(event(project)).encode(), capture_output=True, check=False,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
    )  # fmt: skip
    assert done.returncode == code, done
    assert code == 0 or b"it exited 1" in done.stderr
    assert lines(project)[-1]["digest_after"]


@pytest.mark.parametrize("cwd", ["/tmp/a\0b", "/tmp/\ud800", "/" + "x" * 100_000])
@pytest.mark.parametrize("client", ["claude", "codex"])
def test_a_directory_that_cannot_be_is_a_bad_event(project: TestProject, client: str, cwd: str, own_home: Path) -> None:
    done = stop(project, client, cwd=cwd).lets_go("UNVERIFIED", "bad event", says="cannot be read")
    assert len(done.out) < 1000
    assert not list(own_home.rglob("bugs"))


def test_term_while_the_baseline_is_measured(project: TestProject) -> None:
    project.config(
        "[[check]]\nrun = ['python3', '-m', 'unittest', 'test_it']\n[guard]\nbaseline = 'new-only'\n"
        f"baseline_setup = ['sh', '-c', 'echo $$ > {project.root}/../setup; exec sleep {MARK}']\n"
    )
    project.write("test_it.py", "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.fail()\n")
    project.commit()
    process = start_hook(project)
    wait_for(project.root.parent / "setup")
    process.send_signal(signal.SIGTERM)
    assert process.wait(5) == 0
    assert lines(project)[-1]["reason"] == "cancelled"
    assert not running()
