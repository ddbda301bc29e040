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
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))
AT_ONCE = 32
POLL_SECONDS = 0.1
SEED = "goal: nothing\nacceptance_criteria:\n- {description: d, verify_command: 'true'}\n"

BARE = """
import sys, time
from dbos import DBOS, DBOSClient, DBOSPortableJSONSerializer
url, count, at_once, poll = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
config = {"name": "bare", "system_database_url": url, "application_version": "1", "log_level": "ERROR",
          "serializer": DBOSPortableJSONSerializer()}
DBOS(config=config)

@DBOS.step()
def nothing(number):
    return {"number": number}

@DBOS.workflow()
def work(number):
    return nothing(number)

DBOS.migrate(url)
client = DBOSClient(system_database_url=url, serializer=DBOSPortableJSONSerializer(), application_name="bare")
for number in range(count):
    client.enqueue({"workflow_name": "work", "queue_name": "bare", "app_version": "1"}, number)
begin = time.monotonic()
DBOS.launch()
DBOS.register_queue("bare", worker_concurrency=at_once, polling_interval_sec=poll)
while client.list_workflows(status=["ENQUEUED", "PENDING"], limit=1, load_input=False, load_output=False):
    time.sleep(0.05)
print(time.monotonic() - begin, flush=True)
import os; os._exit(0)
"""

OURS = """
import os, sys, threading, time
import dbos
from ralph_hooks.evolve.iteration import Iteration
from ralph_hooks.jobs.worker import Worker
from ralph_hooks.jobs import worker as module
from ralph_hooks.jobs.opening import reading

def nothing(order, watch):
    return Iteration(generation=order.generation)

module.POLL_SECONDS = float(sys.argv[2])

def look():
    with reading() as store:
        while store.page(1, live=True):
            time.sleep(0.05)
    print(time.monotonic() - begin, flush=True)
    os._exit(0)

def launch(*given):
    global begin
    begin = time.monotonic()
    threading.Thread(target=look, daemon=True).start()
    return launched(*given)

launched, module.launch_dbos = module.launch_dbos, launch
Worker(idle_seconds=0, at_once=int(sys.argv[1]), launch=nothing).run()
"""


class Bench:
    """A scratch home, a scratch project, and the database that the environment names."""

    def __init__(self, place: Path, url: str = "") -> None:
        self.place = place
        self.project = place / "project"
        self.project.mkdir(parents=True)
        (place / "seed.yaml").write_text(SEED)
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.env = kept | {"HOME": str(place), "PYTHONPATH": str(REPOSITORY)}
        if url:
            self.env["RALPH_HOOKS_DATABASE_URL"] = url

    def python(self, *argv: str) -> str:
        done = subprocess.run(
            [sys.executable, *argv], cwd=self.project, env=self.env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    def ralph(self, *argv: str) -> str:
        return self.python("-P", "-m", "ralph_hooks", *argv)

    def queue(self, count: int) -> None:
        """Queue no-op jobs through the same function that `job start` calls, in one process."""
        os.environ.update({k: v for k, v in self.env.items() if k in ("HOME", "RALPH_HOOKS_DATABASE_URL")})
        from ralph_hooks.evolve.refusal import parse_call
        from ralph_hooks.evolve.setting import settle
        from ralph_hooks.jobs.database import migrate
        from ralph_hooks.jobs.opening import client, opened
        from ralph_hooks.jobs.start import queue

        calls = [
            parse_call(
                {
                    "lineage_id": f"l{number}",
                    "seed_content": SEED,
                    "skip_qa": True,
                    "max_generations": 1,
                    "project_dir": str(self.project),
                }
            )
            for number in range(count)
        ]
        setting = settle(calls[0])
        with opened() as (database, store):
            migrate(database, store.engine)
            with client(store) as dbos:
                for call in calls:
                    queue((store, dbos), call, setting, None)


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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1000, help="no-op jobs to drain")
    parser.add_argument("--listed", type=int, default=10_000, help="jobs behind `job list`")
    parser.add_argument("--rounds", type=int, default=5, help="pairs per row")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    wishes = parser.parse_args()
    rows = [start_row(wishes.rounds), drain_row("SQLite", wishes.jobs, sqlite_files, wishes.rounds)]
    from tests.support import postgres

    with postgres.server() as server:
        rows.append(drain_row("PostgreSQL", wishes.jobs, partial(postgres_databases, server), wishes.rounds))
    os.environ.pop("RALPH_HOOKS_DATABASE_URL", None)
    rows.append(list_row(wishes.listed, wishes.rounds))
    if wishes.json:
        print(json.dumps(rows, indent=1))
        return
    print("| work | ours | theirs | ratio | must |\n|---|---|---|---|---|")
    for one in rows:
        print("| " + " | ".join(str(one[key]) for key in ("row", "ours", "theirs", "ratio", "must")) + " |")


if __name__ == "__main__":
    main()
