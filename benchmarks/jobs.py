"""What jobs cost, as ratios measured side by side in one run (E17).

    python benchmarks/jobs.py [--jobs 1000] [--listed 10000] [--rounds 5] [--json]

Three rows: `job start` against `import dbos`; draining queued no-op jobs against a bare DBOS program with one step per
workflow on the same kind of database, both with the same queue settings; a page of `job list` over many jobs against
a page over few. PostgreSQL rows need RALPH_HOOKS_TEST_DATABASE_URL or an installed server.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.job_drain import BARE, OURS, Bench

AT_ONCE = 32
POLL_SECONDS = 0.1


def start_row(rounds: int) -> dict[str, Any]:
    """`job start` on a database that exists, in turns with the import."""
    pairs = []
    with tempfile.TemporaryDirectory(prefix="ralph-jobs-bench-") as place:
        bench = Bench(Path(place))
        bench.ralph("job", "list")
        for number in range(rounds):
            ours = clocked(
                lambda number=number: bench.ralph(
                    "job", "start", "--no-worker", "--lineage-id", f"s{number}", "--seed", "../seed.yaml"
                )
            )
            pairs.append((ours, clocked(lambda: bench.python("-c", "import dbos"))))
    return row("job start / import dbos", pairs, "<= 3")


def drain_row(name: str, count: int, databases: Any, rounds: int) -> dict[str, Any]:
    """Jobs per second of ours over those of the bare program, medians; the higher the better."""
    pairs = []
    for _ in range(rounds):
        with databases() as (url, bare_url):
            pairs.append(drained(count, url, bare_url))
    return {
        "row": f"drain {count} no-op jobs, {name}: ours / bare DBOS, jobs per second",
        "ours": round(count / statistics.median(a for a, _ in pairs), 1),
        "theirs": round(count / statistics.median(b for _, b in pairs), 1),
        "ratio": round(statistics.median(b / a for a, b in pairs), 2),
        "must": ">= 0.7",
    }


def drained(count: int, url: str, bare_url: str) -> tuple[float, float]:
    """Seconds of ours and of the bare program."""
    with tempfile.TemporaryDirectory(prefix="ralph-jobs-bench-") as place:
        bench = Bench(Path(place), url)
        bench.queue(count)
        ours = float(bench.python("-c", OURS, str(AT_ONCE), str(POLL_SECONDS)))
        bare_url = bare_url or f"sqlite:///{place}/bare.sqlite"
        theirs = float(bench.python("-c", BARE, bare_url, str(count), str(AT_ONCE), str(POLL_SECONDS)))
    return ours, theirs


def list_row(count: int, rounds: int) -> dict[str, Any]:
    """One page of many against one page of few."""
    pairs = []
    with tempfile.TemporaryDirectory(prefix="ralph-jobs-bench-") as many, tempfile.TemporaryDirectory() as few:
        large, small = Bench(Path(many)), Bench(Path(few))
        small.queue(50)
        large.queue(count)
        for _ in range(rounds):
            pairs.append((clocked(lambda: large.ralph("job", "list")), clocked(lambda: small.ralph("job", "list"))))
    return row(f"job list over {count} jobs / over 50", pairs, "one page: <= 1.2")


def row(name: str, pairs: list[tuple[float, float]], must: str) -> dict[str, Any]:
    """Medians in milliseconds and the median ratio."""
    return {
        "row": name,
        "ours": round(1000 * statistics.median(a for a, _ in pairs)),
        "theirs": round(1000 * statistics.median(b for _, b in pairs)),
        "ratio": round(statistics.median(a / b for a, b in pairs), 2),
        "must": must,
    }


def clocked(work: Any) -> float:
    """Seconds that it takes."""
    begin = time.monotonic()
    work()
    return time.monotonic() - begin


@contextmanager
def sqlite_files() -> Iterator[tuple[str, str]]:
    """The default of both sides."""
    os.environ.pop("RALPH_HOOKS_DATABASE_URL", None)
    yield "", ""


@contextmanager
def postgres_databases(server: str) -> Iterator[tuple[str, str]]:
    """Two empty databases on a real server."""
    from tests.support import postgres

    with postgres.database(server) as ours, postgres.database(server) as bare:
        yield ours, bare


def measured(wishes: argparse.Namespace, only: list[str]) -> Iterator[dict[str, Any]]:
    """The rows that are wanted, one after the other."""
    if "start" in only:
        yield start_row(wishes.rounds)
    if "sqlite" in only:
        yield drain_row("SQLite", wishes.jobs, sqlite_files, wishes.rounds)
    if "postgresql" in only:
        from tests.support import postgres

        with postgres.server() as server:
            yield drain_row("PostgreSQL", wishes.jobs, partial(postgres_databases, server), wishes.rounds)
        os.environ.pop("RALPH_HOOKS_DATABASE_URL", None)
    if "list" in only:
        yield list_row(wishes.listed, wishes.rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1000, help="no-op jobs to drain")
    parser.add_argument("--listed", type=int, default=10_000, help="jobs behind `job list`")
    parser.add_argument("--rounds", type=int, default=5, help="pairs per row")
    parser.add_argument("--only", default="start,sqlite,postgresql,list", help="rows, separated by commas")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    wishes = parser.parse_args()
    rows = list(measured(wishes, wishes.only.split(",")))
    if wishes.json:
        print(json.dumps(rows, indent=1))
        return
    print("| work | ours | theirs | ratio | must |\n|---|---|---|---|---|")
    for one in rows:
        print("| " + " | ".join(str(one[key]) for key in ("row", "ours", "theirs", "ratio", "must")) + " |")


if __name__ == "__main__":
    main()
