"""What the loop's driver adds to a round, beside a plain shell loop with the same no-op agent (F25).

    python benchmarks/loop.py [--rounds 10000] [--json]

Both loops run in turns, a slice of rounds each, so that noise meets both sides. The agent reads its prompt and writes
the same report every round; there is no check, so what is measured is the driver alone: process, report, record.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
AGENT = """#!/bin/sh
cat > /dev/null
printf '{"state":"continue","next_steps":["more"]}' > "$RALPH_HOOKS_REPORT"
"""
SHELL_LOOP = 'n=0; while [ $n -lt "$1" ]; do cat PROMPT.md | "$2"; n=$((n+1)); done'
SLICE = 100


class Bench:
    """A scratch repository with a no-op agent."""

    def __init__(self, place: Path) -> None:
        self.root = place / "project"
        self.agent = place / "agent.sh"
        self.agent.write_text(AGENT)
        self.agent.chmod(0o755)
        self.root.mkdir()
        (self.root / "PROMPT.md").write_text("Do it\n")
        config = f"[loop]\nprovider = 'command'\ncommand = ['{self.agent}']\nround_ceiling = 10000000\n"
        (self.root / "ralph-hooks.toml").write_text(config)
        self.env = os.environ | {
            "PYTHONPATH": str(REPOSITORY),
            "XDG_STATE_HOME": str(place / "state"),
            "RALPH_HOOKS_REPORT": str(place / "report"),
        }
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)

    def shell(self, rounds: int) -> float:
        """Seconds per round of the shell loop."""
        begin = time.monotonic()
        argv = ["bash", "-c", SHELL_LOOP, "bash", str(rounds), str(self.agent)]
        subprocess.run(argv, cwd=self.root, env=self.env, check=True)
        return (time.monotonic() - begin) / rounds

    def driver(self, rounds: int) -> Iterator[tuple[float, int]]:
        """After every slice of rounds: seconds per round, and the driver's memory in KiB. Paused in between."""
        argv = [
            sys.executable,
            "-m",
            "ralph_hooks",
            "loop",
            "--file",
            "PROMPT.md",
            "--max-rounds",
            str(rounds),
            "--json",
        ]
        process = subprocess.Popen(argv, cwd=self.root, env=self.env, stdout=subprocess.PIPE)
        assert process.stdout is not None
        begin, done = 0.0, 0
        for line in process.stdout:
            event = json.loads(line)
            if event["event"] == "round" and not begin:
                begin = time.monotonic()
            if event["event"] != "finished":
                continue
            done += 1
            if done % SLICE == 0:
                took = (time.monotonic() - begin) / SLICE
                os.kill(process.pid, 19)  # STOP: the other side's slice is not to be disturbed
                yield took, resident(process.pid)
                os.kill(process.pid, 18)
                begin = time.monotonic()
        process.wait()


def resident(pid: int) -> int:
    """Resident memory in KiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def measure(bench: Bench, rounds: int) -> dict[str, object]:
    """The ratios over a whole run of the driver."""
    ours, theirs, memory = [], [], []
    for took, resident_now in bench.driver(rounds):
        ours.append(took)
        memory.append(resident_now)
        theirs.append(bench.shell(SLICE))
    edge = max(1, len(ours) // 10)
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    first, last = statistics.median(ratios[:edge]), statistics.median(ratios[-edge:])
    return {
        "rounds": rounds,
        "driver_ms": round(statistics.median(ours) * 1000, 2),
        "shell_ms": round(statistics.median(theirs) * 1000, 2),
        "ratio": round(statistics.median(ratios), 2),
        "ratio_must": 8.0,
        "ratio_first_tenth": round(first, 2),
        "ratio_last_tenth": round(last, 2),
        "last_to_first": round(last / first, 2),
        "memory_first_kib": memory[0],
        "memory_last_kib": memory[-1],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10_000, help=f"rounds of the driver, in slices of {SLICE}")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    wishes = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ralph-hooks-bench-") as place:
        figures = measure(Bench(Path(place)), max(SLICE, wishes.rounds // SLICE * SLICE))
    print(json.dumps(figures) if wishes.json else "\n".join(f"{name:<18} {value}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
