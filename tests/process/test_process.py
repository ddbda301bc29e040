"""Real children: how they start, what they print, how they die."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from pathlib import Path

import pytest

from ralph_hooks.process import table, tree
from ralph_hooks.process.capture import capture
from ralph_hooks.process.output import RING, Output, pipe
from ralph_hooks.process.spawn import Child, CouldNotStart, spawn

NULL = os.open(os.devnull, os.O_RDWR)


def start(*argv: str, cwd: str = "/", env: dict[str, str] | None = None, out: int = NULL) -> Child:
    child = spawn(argv, cwd=cwd, env=env or dict(os.environ), stdout=out, stderr=out)
    assert isinstance(child, Child), child.words
    return child


def read(*argv: str, cap: int = 1 << 24, log: str | None = None) -> tuple[Child, Output]:
    reading, writing = pipe()
    child = start(*argv, out=writing)
    os.close(writing)
    output = Output(reading, log, cap)
    assert child.wait(60)
    output.settle()
    output.finish()
    return child, output


def test_exit_codes_and_signals() -> None:
    child = start("sh", "-c", "exit 7")
    assert child.wait(10) and (child.exit_code, child.signal) == (7, None)
    child = start("sh", "-c", "kill -9 $$")
    assert child.wait(10) and (child.exit_code, child.signal) == (None, 9)


@pytest.mark.parametrize(
    ("argv", "cwd", "says"),
    [
        (["nosuchprogram"], "/", "`nosuchprogram` was not found"),
        (["/nonexistent/x"], "/", "was not found"),
        (["true"], "/nonexistent", "cannot be entered"),
        (["echo", "a\0b"], "/", "null"),
    ],
)
def test_what_cannot_start_is_a_result(argv: list[str], cwd: str, says: str) -> None:
    failure = spawn(argv, cwd=cwd, env=dict(os.environ), stdout=NULL, stderr=NULL)
    assert isinstance(failure, CouldNotStart)
    assert says in failure.words


def test_a_missing_interpreter_is_named(tmp_path: Path) -> None:
    script = tmp_path / "x"
    script.write_text("#!/nonexistent/python\n")
    script.chmod(0o755)
    failure = spawn([str(script)], cwd="/", env={}, stdout=NULL, stderr=NULL)
    assert isinstance(failure, CouldNotStart) and "interpreter" in failure.words


def test_a_script_without_a_shebang_runs_in_sh(tmp_path: Path) -> None:
    script = tmp_path / "x"
    script.write_text("echo hello $1\n")
    script.chmod(0o755)
    assert capture([str(script), "you"], cwd="/").out == b"hello you\n"


def test_the_working_directory_is_the_childs_alone(tmp_path: Path) -> None:
    before = os.getcwd()
    assert capture(["pwd"], cwd=str(tmp_path)).out.decode().strip() == str(tmp_path.resolve())
    assert os.getcwd() == before


def test_descriptors_do_not_leak() -> None:
    extra = os.open(os.devnull, os.O_RDONLY)
    os.set_inheritable(extra, True)
    out = capture(["sh", "-c", "ls /proc/self/fd"], cwd="/").out.split()
    assert len(out) <= 4
    os.close(extra)


def test_a_child_starts_with_default_signals_and_its_own_session() -> None:
    code = "import signal, os; print(signal.getsignal(signal.SIGPIPE) , os.getsid(0) == os.getpid(), os.isatty(0))"
    out = capture(
        [sys.executable, "-S", "-c", "import os; print(os.getsid(0) == os.getpid(), os.isatty(0))"], cwd="/"
    ).out
    assert out == b"True False\n", code


def test_input_and_both_outputs_without_a_deadlock() -> None:
    data = os.urandom(3_000_000)
    code = "import sys; d=sys.stdin.buffer.read(); sys.stderr.buffer.write(d); sys.stdout.buffer.write(d)"
    done = capture([sys.executable, "-c", code], cwd="/", stdin=data)
    assert (done.code, done.out == data, done.err == data) == (0, True, True)


def test_a_helper_over_its_time_is_killed() -> None:
    begin = time.monotonic()
    done = capture(["sh", "-c", "sleep 50"], cwd="/", timeout=0.3)
    assert done.code is None and "longer than" in done.words
    assert time.monotonic() - begin < 5


def test_output_keeps_head_on_disk_and_tail_in_memory(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    code = "import sys; sys.stdout.write('HEAD'); sys.stdout.write('x' * 3_000_000); sys.stdout.write('TAIL')"
    _, output = read(sys.executable, "-c", code, cap=1_000_000, log=log)
    assert output.total == 3_000_008
    assert len(output.tail()) == RING and output.tail().endswith(b"xTAIL")
    text = Path(log).read_bytes()
    assert text.startswith(b"HEADx") and text.endswith(b"TAIL")
    assert b"[ralph-hooks: 1737864 bytes left out here]" in text
    assert Path(log).stat().st_mode & 0o777 == 0o600


def test_both_streams_arrive_in_order() -> None:
    code = "import os\nfor n in range(50): os.write(1 + n % 2, b'%d\\n' % n)"
    _, output = read(sys.executable, "-c", code)
    assert output.tail().split() == [b"%d" % n for n in range(50)]


def test_a_log_that_cannot_be_written_costs_only_the_log() -> None:
    _, output = read("echo", "hello", log="/proc/nonexistent/log")
    assert output.tail() == b"hello\n" and "could not be written" in output.log_error


def test_a_child_that_closes_its_output_early_is_still_waited_for() -> None:
    child, output = read("sh", "-c", "exec >&- 2>&-; sleep 0.3; exit 3")
    assert child.exit_code == 3 and output.total == 0


def test_a_stray_holder_of_the_pipe_costs_at_most_a_second() -> None:
    for noise in ("sleep 20", "while sleep 0.05; do echo x; done"):
        begin = time.monotonic()
        child, _ = read("sh", "-c", f"({noise}) & exit 0")
        assert child.exit_code == 0 and time.monotonic() - begin < 4
        os.killpg(child.pid, 9)


TREE = """
import os, subprocess, sys, time
run = ["sleep", "600"]
subprocess.Popen(run)
for _ in range(5):
    deaf = "import signal,time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"
    subprocess.Popen(["python3", "-S", "-c", deaf], start_new_session=True)
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", "601"])
        os._exit(0)
subprocess.Popen(["env", "-i", "setsid", "/bin/sleep", "602"], start_new_session=True)
print("ready", flush=True)
time.sleep(600)
"""

KILLER = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
from ralph_hooks.process import table, tree
from ralph_hooks.process.output import Output, pipe
from ralph_hooks.process.spawn import spawn
r, w = pipe()
env = dict(os.environ) | {tree.RUN_ID: sys.argv[3]}
child = spawn([sys.executable, "-c", sys.argv[2]], cwd="/", env=env, stdout=w, stderr=w)
tree.adopt_orphans()
os.close(w)
out = Output(r)
while b"ready" not in out.tail():
    time.sleep(0.01)
time.sleep(0.3)
found = tree._tree(child, sys.argv[3], True)
begin = time.monotonic()
left = tree.kill_tree(child, sys.argv[3], grace=0.5)
took = time.monotonic() - begin
alive = [pid for pid in found if tree._running(pid)]
print(len(found), left, alive, took < 5)
"""


def test_a_tree_that_hides_dies_whole() -> None:
    run_id = f"test-{os.urandom(6).hex()}"
    from tests.support.project import REPOSITORY

    done = capture([sys.executable, "-c", textwrap.dedent(KILLER), str(REPOSITORY), TREE, run_id], cwd="/", timeout=30)
    found, *rest = done.out.split()
    assert int(found) >= 11 and rest == [b"[]", b"[]", b"True"], (done.out, done.err)


def test_a_tree_whose_owner_is_dead_is_found_by_its_run_id() -> None:
    run_id = f"test-{os.urandom(4).hex()}"
    child = start("sh", "-c", "sleep 600 & sleep 600", env=dict(os.environ) | {tree.RUN_ID: run_id})
    time.sleep(0.2)
    assert len(tree.sweep(run_id)) >= 2
    assert child.wait(5)


def test_ancestors_and_start_times() -> None:
    assert table.is_ancestor(os.getppid()) and not table.is_ancestor(os.getpid())
    assert table.start_time(os.getpid()).isdigit() and table.start_time(2**22 + 1) == ""


SLEEPER = """
import os, sys
sys.path.insert(0, sys.argv[1])
from ralph_hooks.process import signals, spawn
signals.unwind()
null = os.open(os.devnull, os.O_RDWR)
child = spawn.spawn(["sleep", "600"], cwd="/", env=dict(os.environ), stdout=null, stderr=null)
real = spawn._pidfd
def late(pid):
    fd = real(pid)
    import _thread, time
    _thread.start_new_thread(lambda: (time.sleep(0.2), os.kill(os.getpid(), 15)), ())
    return fd
spawn._pidfd = late
try:
    spawn.wait_any([child], None)
finally:
    os.kill(child.pid, 9)
"""


def test_a_signal_ends_a_wait_that_has_no_end_of_its_own() -> None:
    from tests.support.project import REPOSITORY

    done = capture([sys.executable, "-c", SLEEPER, str(REPOSITORY)], cwd="/", timeout=30)
    assert done.code == 143, (done.err, done.words)


def test_signals_that_nobody_raises_from_do_not_end_a_wait() -> None:
    code = SLEEPER.replace("signals.unwind()", "signals.wake_waits(); signals.on(15, lambda *_: None)")
    code = code.replace("wait_any([child], None)", "wait_any([child], 1.0)").replace(
        "finally:", "finally:\n    print('over')"
    )
    from tests.support.project import REPOSITORY

    begin = time.monotonic()
    done = capture([sys.executable, "-c", code, str(REPOSITORY)], cwd="/", timeout=30)
    assert done.code == 0 and b"over" in done.out and time.monotonic() - begin >= 1.0, done.err
