"""Lines of a running child: as they come, whatever it does with its streams, in flat memory."""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path

import pytest

from ralph_hooks.process import tree
from ralph_hooks.process.lines import LONGEST_LINE, Lines, start_lines
from ralph_hooks.process.spawn import CouldNotStart


def start(tmp_path: Path, program: str, stdin: bytes = b"") -> Lines:
    logs = (str(tmp_path / "out.log"), str(tmp_path / "err.log"))
    found = start_lines(
        [sys.executable, "-c", program], cwd=str(tmp_path), env=dict(os.environ), stdin=stdin, logs=logs
    )
    assert isinstance(found, Lines)
    return found


def drain(lines: Lines, seconds: float = 30) -> list[bytes]:
    found = []
    deadline = time.monotonic() + seconds
    while not lines.over:
        assert time.monotonic() < deadline, "the child did not end"
        found += lines.poll(0.5)
    lines.close()
    return found


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("print('a'); print('b')", [b"a", b"b"]),
        ("print('a'); print('b', end='')", [b"a", b"b"]),
        ("import sys; sys.stdout.buffer.write(b'a\\r\\n\\n\\nb\\xff\\n')", [b"a", b"b\xff"]),
        ("pass", []),
        ("import sys; print(sys.stdin.read()[::-1])", [b"tpmorp"]),
        ("import os; os.close(0); print('deaf')", [b"deaf"]),
        ("import os, time; os.close(1); time.sleep(.3)", []),
    ],
)
def test_takes_every_line(tmp_path: Path, program: str, expected: list[bytes]) -> None:
    lines = start(tmp_path, program, b"prompt")
    assert drain(lines) == expected
    assert lines.child.exit_code == 0


def test_a_line_is_there_before_the_child_ends(tmp_path: Path) -> None:
    lines = start(tmp_path, "import time; print('now', flush=True); time.sleep(60)")
    assert lines.poll(10) == [b"now"]
    assert not lines.over
    assert lines.poll(0.05) == []
    assert tree.kill_tree(lines.child, "", 1.0) == []
    drain(lines)
    assert lines.child.signal == 15


def test_a_mebibyte_on_stderr_and_a_prompt_nobody_reads_do_not_deadlock(tmp_path: Path) -> None:
    program = "import sys; sys.stderr.write('e' * (1 << 20)); print('done')"
    lines = start(tmp_path, program, b"p" * (4 << 20))
    assert drain(lines) == [b"done"]
    assert (tmp_path / "err.log").stat().st_size == 1 << 20


def test_a_large_prompt_arrives_whole_while_output_flows(tmp_path: Path) -> None:
    program = "import sys; [print('x' * 1000) for _ in range(5000)]; print(len(sys.stdin.read()))"
    assert drain(start(tmp_path, program, b"p" * (3 << 20)))[-1] == b"%d" % (3 << 20)


def test_a_grandchild_that_keeps_the_pipe_does_not_hold_us(tmp_path: Path) -> None:
    program = "import subprocess; subprocess.Popen(['sleep', '5']); print('bye')"
    lines = start(tmp_path, program)
    begin = time.monotonic()
    assert drain(lines) == [b"bye"]
    assert time.monotonic() - begin < 4
    tree.kill_tree(lines.child, "", 0.0)


def test_memory_stays_flat_and_an_endless_line_is_left_out(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    program = (
        "import sys\nw = sys.stdout.write\n"
        f"w('long' * {LONGEST_LINE // 2}); w('\\n')\n"
        "for _ in range(100): w('x' * 1048575 + '\\n')\nw('end\\n')"
    )
    lines = start(tmp_path, program)
    count = 0
    last = b""
    while not lines.over:
        found = lines.poll(0.5)
        count += len(found)
        last = found[-1] if found else last
    lines.close()
    assert (count, last, lines.long_lines) == (101, b"end", 1)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 80 * 1024
    assert (tmp_path / "out.log").stat().st_size < 17 << 20


def test_no_descriptor_is_left_behind(tmp_path: Path) -> None:
    def one(number: int) -> None:
        place = tmp_path / str(number)
        place.mkdir()
        drain(start(place, "print(1)"))

    one(0)
    before = len(os.listdir("/proc/self/fd"))
    for number in range(1, 6):
        one(number)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_log_that_is_there_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out.log").write_text("earlier")
    assert drain(start(tmp_path, "print('new')")) == [b"new"]
    assert (tmp_path / "out.log").read_text() == "earlier"


def test_what_cannot_start_is_said(tmp_path: Path) -> None:
    found = start_lines(["no-such-agent"], cwd=str(tmp_path), env={}, stdin=b"", logs=("/dev/null", "/dev/null"))
    assert isinstance(found, CouldNotStart)
    assert found.missing == "no-such-agent"
