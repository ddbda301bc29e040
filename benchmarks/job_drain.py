"""The two programs that drain queued no-op jobs, and a scratch place to run them in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
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
