"""Bad input and bad places: a message that names them, nothing started, nothing lost."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from ralph_hooks.check.identity import new_run_id
from ralph_hooks.jobs.tables import meta
from tests.jobs.conftest import MakeJobs, on_both
from tests.support.jobs import SEED, JobProject
from tests.support.project import REPOSITORY, git

pytestmark = pytest.mark.slow


def seed_of(project: JobProject, text: str = SEED) -> str:
    project.project.write("../seed.yaml", text)
    return str(project.project.root.parent / "seed.yaml")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "`lineage_id` is missing or blank"),
        (["--lineage-id", " "], "`lineage_id` is missing or blank"),
        (["--lineage-id", "x", "--max-generations", "2.5"], "`max_generations` is 2.5, but must be a whole number"),
        (["--lineage-id", "x", "--max-generations", "eleven"], "is 'eleven', but must be a whole number from 1 to 10"),
        (["--lineage-id", "x", "--max-total-seconds", "nan"], "is nan, but must be a number from 1 to 86400"),
        (["--lineage-id", "x", "--per-iteration-timeout-seconds", "29"], "is 29, but must be a number from 30 to 7200"),
        (["--lineage-id", "x", "--commit-policy", "often"], "`commit_policy` is 'often', but must be one of `none`"),
        (["--lineage-id", "x", "--checkpoint-commits", "{"], "`checkpoint_commits` is '{', but must be a list"),
        (["--lineage-id", "x", "--skip-qa", "--no-execute"], "`skip_qa` cannot be true while `execute` is false"),
        (["--lineage-id", "x", "--project-dir", "/nowhere"], "`project_dir` is '/nowhere', but must be a directory"),
        (["--lineage-id", "x", "--seed", "/nowhere.yaml"], "the seed `/nowhere.yaml` cannot be read: No such file"),
        (["--lineage-id", "x", "--seed-content", "goal: [a"], "seed_content:1: not YAML"),
        (["--lineage-id", "x", "--seed-content", "goal: a\ngoal: b"], "seed_content:2: `goal` appears twice"),
        (["--lineage-id", "x"], "lineage `x` has no seed yet"),
        (["--lineage-id", "x", "--seed-content", "goal: a", "--rewind", "1"], "`--rewind 1` is out of range"),
    ],
)  # fmt: skip
def test_a_wrong_call_starts_nothing(jobs: MakeJobs, options: list[str], words: str) -> None:
    project = jobs(1)
    done = project.job("start", *options)
    assert done.code == 2, done.err
    assert words in done.err
    assert not project.workers()
    assert not project.processes("agent.py")
    if (Path(os.environ["XDG_STATE_HOME"]) / "ralph-hooks" / "jobs" / "jobs.sqlite").exists():
        assert project.json("list")["jobs"] == []


def test_work_that_nothing_could_judge_is_refused(jobs: MakeJobs) -> None:
    project = jobs(1)
    (project.project.root / "ralph-hooks.toml").write_text("[loop]\nprovider = 'command'\ncommand = ['true']\n")
    done = project.job("start", "--lineage-id", "x", "--seed", seed_of(project))
    assert (done.code, "nothing could judge the work" in done.err) == (2, True)


@pytest.mark.parametrize("provider", ["provider = 'nobody'", "provider = 'command'\ncommand = []"])
def test_an_agent_that_cannot_run_is_refused(jobs: MakeJobs, provider: str) -> None:
    project = jobs(1)
    (project.project.root / "ralph-hooks.toml").write_text(f"[[check]]\nrun = 'true'\n[loop]\n{provider}\n")
    done = project.job("start", "--lineage-id", "x", "--seed", seed_of(project))
    assert done.code == 2, done.err
    assert "provider" in done.err


def test_a_dirty_tree_is_refused_for_checkpoints(jobs: MakeJobs) -> None:
    project = jobs(1)
    project.project.write("mine.txt", "x")
    done = project.job("start", "--lineage-id", "x", "--seed", seed_of(project), "--commit-policy", "ac_checkpoint")
    assert done.code == 2
    assert "has changes of its own: mine.txt" in done.err


def test_a_call_from_inside_a_run_is_refused(jobs: MakeJobs) -> None:
    project = jobs(1)
    project.env["RALPH_HOOKS_RUN_ID"] = new_run_id()
    done = project.job("start", "--lineage-id", "x", "--seed", seed_of(project))
    assert done.code == 2
    assert "from inside a round or a generation" in done.err


@pytest.mark.parametrize(
    ("url", "words", "code"),
    [
        ("postgresql://nobody:secret@127.0.0.1:1/none", "cannot be used: connection failed", 1),
        ("mysql://localhost/x", "names a `mysql` database; only PostgreSQL and SQLite are supported", 1),
        ("nonsense", "RALPH_HOOKS_DATABASE_URL is not a database URL", 1),
        ("sqlite:////proc/none/x.sqlite", "cannot be used", 1),
    ],
)
def test_a_database_that_cannot_be_used_is_named(jobs: MakeJobs, url: str, words: str, code: int) -> None:
    project = jobs(1)
    project.env["RALPH_HOOKS_DATABASE_URL"] = url
    for argv in (["start", "--lineage-id", "x", "--seed", seed_of(project)], ["list"]):
        done = project.job(*argv)
        assert done.code == code, done.err
        assert words in done.err
        assert "hint:" in done.err
        assert "secret" not in done.err
        assert "Traceback" not in done.err
    assert not project.workers()


@on_both
def test_a_schema_of_a_newer_version_is_left_alone(jobs: MakeJobs) -> None:
    project = jobs(1)
    assert project.json("list")["jobs"] == []
    with project.store.engine.begin() as connection:
        connection.execute(sa.update(meta).where(meta.c.name == "schema").values(value="99"))
    done = project.job("start", "--lineage-id", "x", "--seed", seed_of(project))
    assert done.code == 1
    assert "has schema version 99, and this program knows versions up to 1" in done.err
    assert "hint: pip install --upgrade" in done.err


def test_a_file_that_is_no_database_is_named(jobs: MakeJobs) -> None:
    project = jobs(1)
    place = Path(os.environ["XDG_STATE_HOME"]) / "ralph-hooks" / "jobs" / "jobs.sqlite"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"certainly not SQLite" * 100)
    done = project.job("list")
    assert (done.code, "file is not a database" in done.err) == (1, True)
    assert place.read_bytes() == b"certainly not SQLite" * 100


def test_a_full_disk_is_said_and_loses_nothing(jobs: MakeJobs) -> None:
    project = jobs(1)
    first = project.start("kept", "--no-worker")
    place = Path(os.environ["XDG_STATE_HOME"]) / "ralph-hooks" / "jobs" / "jobs.sqlite"
    with sqlite3.connect(place) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    argv = [sys.executable, "-m", "ralph_hooks", "job", "start", "--lineage-id", "y", "--seed", seed_of(project)]
    limit = 16 * 1024
    done = subprocess.run(
        argv,
        cwd=project.project.root,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "cannot be used" in done.stderr
    assert "Traceback" not in done.stderr
    assert [row["job_id"] for row in project.json("list")["jobs"]] == [first]
    assert project.job("resume", first).code == 0
    assert project.end(first)["status"] == "completed"


def test_a_continued_lineage_goes_on_where_it_stopped(jobs: MakeJobs) -> None:
    project = jobs(3)
    one = project.start("line", "--max-generations", "2")
    assert project.end(one)["stop_reason"] == "max_generations reached"
    done = project.job("start", "--lineage-id", "line", "--max-total-seconds", "600")
    result = project.end(done.out.strip())
    assert [one["generation"] for one in result["iterations"]] == [3]
    assert result["stop_reason"] == "qa passed"


def test_a_database_that_goes_away_is_waited_for(jobs: MakeJobs) -> None:
    """A writer that holds SQLite's lock for longer than anybody waits costs time, and no generation."""
    project = jobs(2, agent_seconds=1)
    job = project.start()
    project.until(lambda: project.rounds("begin") == 1)
    place = Path(os.environ["XDG_STATE_HOME"]) / "ralph-hooks" / "jobs" / "jobs.sqlite"
    holder = sqlite3.connect(place, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    project.until(lambda: project.rounds("end") == 1)
    holder.execute("ROLLBACK")
    holder.close()
    result = project.end(job)
    assert (result["status"], project.rounds("begin")) == ("completed", 2)


def test_criteria_are_committed_as_they_pass(jobs: MakeJobs) -> None:
    project = jobs(2)
    project.project.write(".gitignore", "__pycache__/\n").commit()
    text = (
        "goal: count\nacceptance_criteria:\n"
        "- {description: at least one, verify_command: 'test $(cat n.txt) -ge 1'}\n"
        "- {description: at least two, verify_command: 'test $(cat n.txt) -ge 2'}\n"
    )
    done = project.job(
        "start", "--lineage-id", "ac", "--seed", seed_of(project, text), "--commit-policy", "ac_checkpoint"
    )
    result = project.end(done.out.strip())
    assert result["status"] == "completed", result
    assert [record["ac_ids"] for record in result["checkpoint_commits"]] == [["AC-1"], ["AC-2"]]
    assert result["checkpoint_attempted_ac_ids"] == ["AC-1", "AC-2"]


def test_a_job_works_in_a_clone_and_pushes_a_branch(jobs: MakeJobs, tmp_path: Path) -> None:
    project = jobs(3)
    bare = tmp_path / "origin.git"
    git(tmp_path, "clone", "-q", "--bare", str(project.project.root), str(bare))
    options = ["--lineage-id", "far", "--git-remote", str(bare), "--git-ref", "main", "--oscillation-window", "9"]
    done = project.job("start", *options, "--seed", seed_of(project), "--max-generations", "2")
    assert done.code == 0, done.err
    assert project.end(done.out.strip())["stop_reason"] == "max_generations reached"
    done = project.job("start", *options)
    result = project.end(done.out.strip())
    assert result["stop_reason"] == "qa passed", result
    assert git(bare, "show", "ralph/far:n.txt") == "3"
    assert git(bare, "log", "--format=%s", "main..ralph/far").splitlines() == [
        f"Generation {number} of far" for number in (3, 2, 1)
    ]
    assert (project.project.root / "n.txt").read_text() == "0"
    assert git(project.project.root, "status", "--porcelain") == ""


def test_a_remote_that_is_not_there_is_an_infrastructure_failure(jobs: MakeJobs) -> None:
    project = jobs(1)
    done = project.job("start", "--lineage-id", "far", "--git-remote", "/nowhere.git", "--seed", seed_of(project))
    result = project.end(done.out.strip())
    assert (result["stop_reason"], result["failure_reason_code"]) == ("step_error", "infrastructure")
    assert "/nowhere.git" in result["detail"]


def test_plugin_mode_starts_no_job(jobs: MakeJobs) -> None:
    project = jobs(1)
    config = (project.project.root / "ralph-hooks.toml").read_text()
    project.project.config(config + "[evolve]\ndispatch = 'plugin'\n")
    answer = project.json("start", "--lineage-id", "x", "--seed", seed_of(project), "--max-generations", "3")
    assert (answer["job_id"], answer["status"]) == (None, "delegated_to_plugin")
    envelope = answer["_subagent"]
    assert set(envelope) == {"tool_name", "title", "agent", "prompt", "context", "timeout"}
    assert envelope["context"]["max_generations"] == 3
    assert envelope["context"]["oscillation_window"] == 3
    for words in ("`wall_clock_exhausted`", "`iteration_timeout`", "advisory", "5400 s", "1800 s"):
        assert words in envelope["prompt"]
    assert not project.workers()
    assert project.json("list")["jobs"] == []
    assert project.job("start", "--lineage-id", "x", "--max-generations", "99").code == 2


def test_a_conductors_generation_needs_its_decision(jobs: MakeJobs) -> None:
    project = jobs(1)
    directive = '{"focus": "count on"}'
    options = ["--lineage-id", "c", "--seed", seed_of(project), "--max-generations", "1"]
    options += ["--conductor-directive", directive, "--conductor-decision-id", "d1", "--predecessor-execution-id", "e1"]
    assert "no such decision is stored" in project.job("start", *options).err
    decide = ["evolve", "decide", "--decision-id", "d1", "--predecessor", "e1", "--directive", directive]
    assert project.project.ralph(*decide).code == 0
    assert project.project.ralph(*decide).code == 0
    assert project.project.ralph(*decide[:-1], '{"focus": "else"}').code == 2
    assert project.project.ralph(*decide[:-1], '{"focus": "skip the tests"}').code == 2
    done = project.job("start", *options)
    assert done.code == 0, done.err
    assert project.end(done.out.strip())["status"] == "completed"
