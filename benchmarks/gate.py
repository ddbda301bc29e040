"""What the gate adds, as ratios measured side by side in one run.

    python -m benchmarks.gate [--rounds 21] [--quick] [--json]

The package is built as a wheel and installed into a fresh environment first: an editable install would measure the
finder of the build backend. Rows follow the work that a person waits for; every ratio is a median of pairs, taken
in turns so that noise meets both sides.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from benchmarks.side_by_side import Bench, Command, Row, once, pairs, row, single, table

# The hook that people write by hand: three jq calls, the suite, exit 2 with the tail.
BASH_HOOK = """#!/usr/bin/env bash
input=$(cat)
session=$(jq -r .session_id <<<"$input")
active=$(jq -r .stop_hook_active <<<"$input")
cd "$(jq -r .cwd <<<"$input")" || exit 0
if out=$(bash check.sh 2>&1); then exit 0; fi
echo "$out" | tail -40 >&2
exit 2
"""


# Feeds its standard input to a command and prints the command's own peak memory in KiB.
MEASURE_RSS = """
import os, sys
read, write = os.pipe()
os.write(write, sys.stdin.buffer.read())
os.close(write)
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, read, 0)])
print(os.wait4(pid, 0)[2].ru_maxrss)
"""

TREE = """for i in 1 2 3 4 5; do (trap '' TERM; exec setsid sleep 99) & done
for i in 1 2 3; do setsid sh -c 'sleep 98 & sleep 97' & done
sleep 96
"""


def small_rows(bench: Bench, rounds: int) -> Iterator[Row]:
    """Stops in a repository of a few files: with a run, and without one."""
    yield from added_rows(bench, rounds, 0, "sleep 1\n")
    yield from added_rows(bench, rounds, 2, "sleep 1; echo 'assert 1 == 2'; exit 1\n")
    none, known = bench.project("none"), bench.project("known", "exit 0\n")
    bench.stop(known)
    stops: list[tuple[str, Command, tuple[float, float]]] = [
        ("no project", lambda: bench.stop(none), (1.6, 1.25)),
        ("plan mode", lambda: bench.stop(known, permission_mode="plan"), (1.6, 1.25)),
        ("remembered green", lambda: bench.stop(known), (2.0, 1.5)),
    ]
    for name, stop, bounds in stops:
        yield row(f"{name} / python -c pass", pairs(stop, bench.passes, rounds), bounds)


def added_rows(bench: Bench, rounds: int, code: int, check: str) -> Iterator[Row]:
    """What a stop adds to a suite of a second, against an interpreter and against a hook by hand."""
    name = "red" if code else "green"
    root = bench.project(name, check, "[budget]\nmax_blocks = 9999\n" if code else "")

    def bare() -> None:
        bench.run("bash", "check.sh", cwd=root, expect=(int(code > 0),))

    plain = [once(bare) for _ in range(max(5, rounds // 3))]
    added = pairs(lambda: bench.stop(root, code), bench.passes, rounds, edit(root / "a.txt"))
    yield row(f"added latency, 1 s suite, {name} / python -c pass", added, (3.8, 3.0), plain)
    if shutil.which("jq"):
        hand = [once(by_hand(bench, root, code)) for _ in range(max(5, rounds // 3))]
        less = statistics.median(plain)
        against = [(a - less, max(0.001, statistics.median(hand) - less)) for a, _ in added]
        yield row(f"added latency, {name} / bash hook with {jq_version()}", against, (0.6, 0.48))


def edit(path: Path) -> Command:
    """Write something new into a file."""
    number = count()

    def write() -> None:
        path.write_text(str(next(number)))

    return write


def by_hand(bench: Bench, root: Path, code: int) -> Command:
    (root / "hook.sh").write_text(BASH_HOOK)
    event = json.dumps({"session_id": "s", "cwd": str(root), "stop_hook_active": False}).encode()
    return lambda: bench.run("bash", "hook.sh", cwd=root, stdin=event, expect=(code,))


def jq_version() -> str:
    return subprocess.run(["jq", "--version"], capture_output=True, text=True, check=False).stdout.strip()


def large_rows(bench: Bench, rounds: int, files: int) -> Iterator[Row]:
    """Stops among many files, against what `git status` takes for the same."""
    root = large_project(bench, files)

    def status() -> None:
        bench.run("git", "status", "--porcelain", "--untracked-files=all", cwd=root)

    found = pairs(lambda: bench.stop(root), status, rounds)
    yield row(f"remembered green, {files} files / git status -uall", found, (1.3, 1.05))
    change = many_edits(root)
    until, whole = [], []
    for _ in range(max(6, rounds // 3 + 1)):
        change()
        begin, moment = time.perf_counter(), time.time()
        bench.stop(root)
        took = time.perf_counter() - begin
        theirs = once(status)
        until.append((float((root / ".git" / "started").read_text()) - moment, theirs))
        whole.append((took, theirs))
    name = f"200 edits + 500 new files among {files}"
    yield row(f"first stop after {name}, until the check starts / git status -uall", until[1:], (2.2, 1.3))
    yield row("the same to its end, with a check that takes 3 ms / git status -uall", whole[1:], ("", ""))


def large_project(bench: Bench, files: int) -> Path:
    """Committed, looked at, and green. The check notes when it was started, in a place where git does not look."""
    root = bench.project("large", "echo $EPOCHREALTIME > .git/started\n")
    for n in range(files):
        directory = root / f"d{n % 500}"
        directory.mkdir(exist_ok=True)
        (directory / f"f{n}.txt").write_text(f"{n}\n")
    bench.run("git", "add", "-A", cwd=root)
    bench.run("git", "-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "all", cwd=root)
    bench.stop(root)
    bench.stop(root)
    return root


def many_edits(root: Path) -> Command:
    """200 files edited, 500 new ones."""
    number = count()

    def write() -> None:
        n = next(number)
        for k in range(200):
            (root / f"d{k}" / f"f{k}.txt").write_text(f"edit {n} {k}\n")
        for k in range(500):
            (root / f"d{k}" / f"new-{n}-{k}.txt").write_text("new\n")

    return write


def output_rows(bench: Bench, rounds: int) -> Iterator[Row]:
    """A suite that prints a gibibyte, against the same through a bare pipe; and the memory that takes."""
    root = bench.project("flood", "head -c 1073741824 /dev/zero | tr '\\0' 'x'\n")
    touch = edit(root / "a.txt")

    def pipe() -> None:
        bench.run("bash", "-c", "bash check.sh | cat > /dev/null", cwd=root)

    found = pairs(lambda: bench.stop(root), pipe, max(3, rounds // 5), touch)
    yield row("1 GiB of output / cmd | cat > /dev/null", found, (1.3, 1.0))
    touch()
    event = json.dumps({"session_id": "m", "cwd": str(root), "hook_event_name": "Stop"}).encode()
    argv = [bench.python, "-c", MEASURE_RSS, bench.hook, "hook", "claude"]
    done = subprocess.run(argv, input=event, env=bench.env, capture_output=True, check=True)
    mib = round(int(done.stdout.split()[-1]) / 1024, 1)
    yield single("peak RSS of the hook with 1 GiB of output, MiB", mib, (32, 22))


def kill_rows(bench: Bench, rounds: int) -> Iterator[Row]:
    """From the end of the grace to the last process of a tree of twelve that hides."""
    root = bench.project("hang", TREE, "timeout_s = 1\n[budget]\nmax_blocks = 9999\ncannot_run = 9999\n")
    took = [once(lambda: bench.stop(root, 2)) - 1.0 - 2.0 for _ in range(max(3, rounds // 5))]
    name = "deadline to whole tree dead, after the grace, ms (hook's own start included)"
    yield single(name, round(1000 * statistics.median(took)), (250, 50))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=21, help="pairs per row (at least 15 for figures to quote)")
    parser.add_argument("--files", type=int, default=50_000, help="files of the large repository")
    parser.add_argument("--quick", action="store_true", help="5 pairs, 2,000 files, no gibibyte")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    wishes = parser.parse_args()
    rounds, files = (5, 2000) if wishes.quick else (wishes.rounds, wishes.files)
    with tempfile.TemporaryDirectory(prefix="ralph-hooks-bench-") as place:
        bench = Bench(Path(place))
        rows = [*small_rows(bench, rounds), *large_rows(bench, rounds, files), *kill_rows(bench, rounds)]
        if not wishes.quick:
            rows += output_rows(bench, rounds)
    print(json.dumps(rows, indent=1) if wishes.json else table(rows))


if __name__ == "__main__":
    main()
