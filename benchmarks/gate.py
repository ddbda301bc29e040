"""What the gate adds, as ratios measured side by side in one run.

    python benchmarks/gate.py [--rounds 21] [--quick] [--json]

The package is built as a wheel and installed into a fresh environment first: an editable install would measure the
finder of the build backend. Rows follow the work that a person waits for; every ratio is a median of pairs, taken
in turns so that noise meets both sides.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
Command = Callable[[], None]

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


class Bench:
    """A scratch place with an installed `ralph-hooks`, and a project to stop in."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.python, self.hook = install(place)
        home = place / "home"
        home.mkdir()
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.env = kept | {"HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "GIT_CONFIG_NOSYSTEM": "1"}

    def run(self, *argv: str, cwd: Path | None = None, stdin: bytes = b"", expect: tuple[int, ...] = (0,)) -> None:
        done = subprocess.run(
            argv,
            cwd=cwd or self.place,
            input=stdin,
            env=self.env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        assert done.returncode in expect, (argv, done.returncode)

    def stop(self, project: Path, expect: int = 0, **fields: object) -> None:
        event = {"session_id": os.urandom(4).hex(), "cwd": str(project), "hook_event_name": "Stop", **fields}
        self.run(self.hook, "hook", "claude", cwd=project, stdin=json.dumps(event).encode(), expect=(expect,))

    def passes(self) -> None:
        """The yardstick: an interpreter that does nothing."""
        self.run(self.python, "-c", "pass")

    def project(self, name: str, check: str = "", more: str = "") -> Path:
        root = self.place / name
        root.mkdir()
        self.run("git", "init", "-q", cwd=root)
        (root / "a.txt").write_text("a")
        (root / "check.sh").write_text(check)
        if check:
            (root / "ralph-hooks.toml").write_text(f"[[check]]\nrun = ['bash', 'check.sh']\n{more}")
        self.run("git", "add", "-A", cwd=root)
        return root


def install(place: Path) -> tuple[str, str]:
    """A fresh environment with our wheel in it; its interpreter and its `ralph-hooks`."""
    subprocess.run([sys.executable, "-m", "venv", str(place / "venv")], check=True)
    python = place / "venv" / "bin" / "python"
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(place / "dist"), str(REPOSITORY)]
    subprocess.run(build, check=True)
    (wheel,) = (place / "dist").glob("*.whl")
    subprocess.run([str(python), "-m", "pip", "install", "-q", str(wheel)], check=True)
    return str(python), str(place / "venv" / "bin" / "ralph-hooks")


def once(command: Command) -> float:
    begin = time.perf_counter()
    command()
    return time.perf_counter() - begin


def pairs(ours: Command, theirs: Command, rounds: int, before: Command | None = None) -> list[tuple[float, float]]:
    """Both sides in turns; the first pair warms caches and does not count."""
    found = []
    for _ in range(rounds + 1):
        if before is not None:
            before()
        found.append((once(ours), once(theirs)))
    return found[1:]


def row(
    name: str, found: list[tuple[float, float]], must: float, aim: float, minus: list[float] | None = None
) -> dict[str, object]:
    """One line of the table; `minus` is taken from our side first (the work that both sides share)."""
    less = statistics.median(minus) if minus else 0.0
    ratios = sorted((a - less) / b for a, b in found)
    return {
        "row": name,
        "ours_ms": round(1000 * (statistics.median(a for a, _ in found) - less), 1),
        "theirs_ms": round(1000 * statistics.median(b for _, b in found), 1),
        "ratio": round(statistics.median(ratios), 2),
        "low": round(ratios[len(ratios) // 10], 2),
        "high": round(ratios[-1 - len(ratios) // 10], 2),
        "must": must,
        "aim": aim,
    }


def small_rows(bench: Bench, rounds: int) -> list[dict[str, object]]:
    """Stops in a repository of a few files."""
    count = iter(range(10**9))
    green = bench.project("green", "sleep 1\n")
    red = bench.project("red", "sleep 1; echo 'assert 1 == 2'; exit 1\n", "[budget]\nmax_blocks = 9999\n")
    none = bench.project("none")
    known = bench.project("known", "exit 0\n")

    def touch(root: Path) -> Command:
        def write() -> None:
            (root / "a.txt").write_text(str(next(count)))

        return write

    def bare(root: Path, code: int) -> Command:
        return lambda: bench.run("bash", "check.sh", cwd=root, expect=(code,))

    rows = []
    for root, code, name in ((green, 0, "green"), (red, 2, "red")):
        plain = [once(bare(root, int(code > 0))) for _ in range(max(5, rounds // 3))]
        added = pairs(lambda root=root, code=code: bench.stop(root, code), bench.passes, rounds, touch(root))  # type: ignore[misc]
        rows.append(row(f"added latency, 1 s suite, {name} / python -c pass", added, 3.8, 3.0, plain))
        if shutil.which("jq"):
            hand = [once(by_hand(bench, root, code)) for _ in range(max(5, rounds // 3))]
            less = statistics.median(plain)
            against = [(a - less, max(0.001, statistics.median(hand) - less)) for a, _ in added]
            rows.append(row(f"added latency, {name} / bash hook with {jq_version()}", against, 0.6, 0.48))
    bench.stop(known)
    rows.append(row("no project / python -c pass", pairs(lambda: bench.stop(none), bench.passes, rounds), 1.6, 1.25))
    rows.append(
        row(
            "plan mode / python -c pass",
            pairs(lambda: bench.stop(known, permission_mode="plan"), bench.passes, rounds),
            1.6,
            1.25,
        )
    )
    rows.append(
        row("remembered green / python -c pass", pairs(lambda: bench.stop(known), bench.passes, rounds), 2.0, 1.5)
    )
    return rows


def by_hand(bench: Bench, root: Path, code: int) -> Command:
    (root / "hook.sh").write_text(BASH_HOOK)
    event = json.dumps({"session_id": "s", "cwd": str(root), "stop_hook_active": False}).encode()
    return lambda: bench.run("bash", "hook.sh", cwd=root, stdin=event, expect=(code,))


def jq_version() -> str:
    return subprocess.run(["jq", "--version"], capture_output=True, text=True, check=False).stdout.strip()


def large_rows(bench: Bench, rounds: int, files: int) -> list[dict[str, object]]:
    """Stops among many files, against what `git status` takes for the same."""
    root = bench.project("large", "exit 0\n")
    for n in range(files):
        directory = root / f"d{n % 500}"
        directory.mkdir(exist_ok=True)
        (directory / f"f{n}.txt").write_text(f"{n}\n")
    bench.run("git", "add", "-A", cwd=root)
    bench.run("git", "-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "all", cwd=root)
    bench.stop(root)
    bench.stop(root)

    def status() -> None:
        bench.run("git", "status", "--porcelain", "--untracked-files=all", cwd=root)

    rows = [
        row(
            f"remembered green, {files} files / git status -uall",
            pairs(lambda: bench.stop(root), status, rounds),
            1.3,
            1.05,
        )
    ]
    stamp = iter(range(10**9))

    def edit() -> None:
        n = next(stamp)
        for k in range(200):
            (root / f"d{k}" / f"f{k}.txt").write_text(f"edit {n} {k}\n")
        for k in range(500):
            (root / f"d{k}" / f"new-{n}-{k}.txt").write_text("new\n")

    found = pairs(lambda: bench.stop(root, permission_mode="default"), status, max(5, rounds // 3), edit)
    rows.append(row(f"first stop after 200 edits + 500 new files, {files} files / git status -uall", found, 2.2, 1.3))
    return rows


def output_rows(bench: Bench, rounds: int) -> list[dict[str, object]]:
    """A suite that prints a gibibyte, against the same through a bare pipe; and the memory that takes."""
    flood = "head -c 1073741824 /dev/zero | tr '\\0' 'x'\n"
    root = bench.project("flood", flood)
    count = iter(range(10**9))

    def touch() -> None:
        (root / "a.txt").write_text(str(next(count)))

    def pipe() -> None:
        bench.run("bash", "-c", "bash check.sh | cat > /dev/null", cwd=root)

    rows = [
        row(
            "1 GiB of output / cmd | cat > /dev/null",
            pairs(lambda: bench.stop(root), pipe, max(3, rounds // 5), touch),
            1.3,
            1.0,
        )
    ]
    touch()
    event = json.dumps({"session_id": "m", "cwd": str(root), "hook_event_name": "Stop"}).encode()
    done = subprocess.run(
        [bench.python, "-c", MEASURE_RSS, bench.hook, "hook", "claude"],
        input=event,
        env=bench.env,
        capture_output=True,
        check=True,
    )
    mib = int(done.stdout.split()[-1]) / 1024
    rows.append(
        {
            "row": "peak RSS of the hook with 1 GiB of output, MiB",
            "ours_ms": "",
            "theirs_ms": "",
            "ratio": round(mib, 1),
            "low": "",
            "high": "",
            "must": 32,
            "aim": 22,
        }
    )
    return rows


def kill_rows(bench: Bench, rounds: int) -> list[dict[str, object]]:
    """From the end of the grace to the last process of a tree of twelve that hides."""
    root = bench.project("hang", TREE, "timeout_s = 1\n[budget]\nmax_blocks = 9999\ncannot_run = 9999\n")
    found = []
    for _ in range(max(3, rounds // 5)):
        took = once(lambda: bench.stop(root, 2))
        found.append((took - 1.0 - 2.0, 1.0))
    line = row("deadline to whole tree dead, after the grace, ms (hook's own start included)", found, 250, 50)
    return [
        line | {"ratio": round(1000 * statistics.median(a for a, _ in found)), "low": "", "high": "", "theirs_ms": ""}
    ]


def table(rows: list[dict[str, object]]) -> str:
    head = "| work | ours | theirs | ratio | 10 % | 90 % | must | aim |\n|---|---|---|---|---|---|---|---|"
    lines = [
        "| "
        + " | ".join(str(r[key]) for key in ("row", "ours_ms", "theirs_ms", "ratio", "low", "high", "must", "aim"))
        + " |"
        for r in rows
    ]
    return "\n".join([head, *lines])


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
        rows = small_rows(bench, rounds) + large_rows(bench, rounds, files) + kill_rows(bench, rounds)
        if not wishes.quick:
            rows += output_rows(bench, rounds)
    print(json.dumps(rows, indent=1) if wishes.json else table(rows))


if __name__ == "__main__":
    main()
