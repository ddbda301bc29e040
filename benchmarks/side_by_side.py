"""A scratch place with an installed `ralph-hooks`, commands timed in pairs, and the table of their ratios."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
Command = Callable[[], None]
Row = dict[str, object]
COLUMNS = ("row", "ours_ms", "theirs_ms", "ratio", "low", "high", "must", "aim")


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
    name: str, found: list[tuple[float, float]], bounds: tuple[object, object], minus: list[float] | None = None
) -> Row:
    """One line of the table; `bounds` are "must" and "aim", `minus` is taken from our side (work that both share)."""
    less = statistics.median(minus) if minus else 0.0
    ratios = sorted((a - less) / b for a, b in found)
    return {
        "row": name,
        "ours_ms": round(1000 * (statistics.median(a for a, _ in found) - less), 1),
        "theirs_ms": round(1000 * statistics.median(b for _, b in found), 1),
        "ratio": round(statistics.median(ratios), 2),
        "low": round(ratios[len(ratios) // 10], 2),
        "high": round(ratios[-1 - len(ratios) // 10], 2),
        "must": bounds[0],
        "aim": bounds[1],
    }


def single(name: str, value: float, bounds: tuple[object, object]) -> Row:
    """A line that is no ratio."""
    return dict.fromkeys(COLUMNS, "") | {"row": name, "ratio": value, "must": bounds[0], "aim": bounds[1]}


def table(rows: list[Row]) -> str:
    """The lines as Markdown."""
    lines = ["work", "ours", "theirs", "ratio", "10 %", "90 %", "must", "aim"], ["---"] * 8
    cells = [[str(one[key]).replace("|", "\\|") for key in COLUMNS] for one in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in (*lines, *cells))
