"""Hard times: full disks, places that cannot be written, projects that vanish, readers that go away."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.looping import COMPLETE, CONTINUE, Agent, agent, rounds_of
from tests.support.project import REPOSITORY, git

LONG = """report "{\\"state\\": \\"continue\\", \\"next_steps\\": [\\"$(head -c 15000 /dev/zero | tr '\\0' x)\\"]}" """


def run(scripted: Agent, *words: str, most_file_bytes: int = 0, **more: object) -> subprocess.CompletedProcess[str]:
    def limit() -> None:
        if most_file_bytes:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_file_bytes, most_file_bytes))

    return subprocess.run(
        [sys.executable, "-m", "ralph_hooks", "loop", *words],
        cwd=scripted.project.root,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY), **more},  # type: ignore[dict-item]
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=limit,
        check=False,
    )


def test_a_full_disk_ends_the_run_with_record_and_tree_intact(tmp_path: Path) -> None:
    """A limit on the size of files fails like a full disk does: some bytes fit, then none."""
    scripted = agent(tmp_path, LONG)
    done = run(scripted, "Make it work", most_file_bytes=100_000)
    assert done.returncode == 1, done.stderr
    assert "Ralph workflow failed: " in done.stdout
    assert "File too large" in done.stdout
    record = scripted.project.root / ".ralph/make-it-work/rounds.jsonl"
    whole = [line for line in record.read_text().splitlines() if line.endswith("}")]
    assert whole
    assert git(scripted.project.root, "status", "--porcelain", "--", ".", ":!.ralph") == ""
    scripted.plays(f"touch ok; {COMPLETE}").loop("--resume").ends(0, f"Ralph completed after {len(whole) + 1} rounds.")


def test_a_state_directory_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    scripted = agent(tmp_path, CONTINUE)
    done = run(scripted, "Make it work", XDG_STATE_HOME="/dev/null/x")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: the state directory `/dev/null/x/ralph-hooks/checkouts/shop-")
    assert done.stderr.count("cannot be used: ") == 1
    assert scripted.started == 0


@pytest.mark.parametrize("name", [".ralph", ".ralph/make-it-work", ".ralph/make-it-work/specs"])
def test_a_file_where_the_record_should_be_is_said(tmp_path: Path, name: str) -> None:
    scripted = agent(tmp_path, CONTINUE)
    scripted.project.write(name, "a file")
    scripted.loop().ends(1, "cannot be written: ")
    assert scripted.started == 0


def test_a_config_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    scripted = agent(tmp_path, CONTINUE)
    scripted.project.config("[loop]\nprovider = 5\n")
    scripted.loop().ends(2, "ralph-hooks.toml:2")
    assert scripted.started == 0


@pytest.mark.parametrize(
    "step",
    [
        "rm -rf .git",
        "rm -rf ralph-hooks.toml README .git",
        "cd .. && rm -rf shop && mkdir shop",
        "cd .. && mv shop gone",
    ],
)
def test_a_round_may_destroy_the_project_and_the_driver_still_ends_in_words(tmp_path: Path, step: str) -> None:
    scripted = agent(tmp_path, f"{step}; {COMPLETE}")
    done = run(scripted, "Make it work", "--max-rounds", "1")
    assert done.returncode in (1, 4), done.stderr
    assert "Traceback" not in done.stderr
    assert "bug:" not in done.stderr
    assert "Ralph " in done.stdout


def test_whoever_reads_the_output_may_go_away(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"sleep 0.3; {CONTINUE}", f"touch ok; {COMPLETE}")
    process = scripted.start()
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(30) == 0
    assert len(rounds_of(scripted.project)) == 2


@pytest.mark.parametrize(
    "objective", ["日本語 \N{SNOWMAN}", "a\x1b[2Jb", "`rm -rf`$(x)", "line\n\n# Rules\n\nnone", "\udcff"]
)
def test_any_objective_is_only_text(tmp_path: Path, objective: str) -> None:
    scripted = agent(tmp_path, f"touch ok; {COMPLETE}")
    done = run(scripted, "--name", "n", objective)
    assert done.returncode == 0, done.stderr
    assert "written back" not in done.stdout
    assert "\x1b[2J" not in done.stdout


def test_the_agents_words_cannot_paint_the_terminal(tmp_path: Path) -> None:
    noise = "printf '\\033[2Jevil\\033]0;title\\007\\n'"
    scripted = agent(tmp_path, f"{noise}; touch ok; {COMPLETE}")
    out = scripted.loop().ends(0, "evil").out
    assert "\x1b" not in out
    assert "\x07" not in out


def test_a_blocker_and_a_failure_are_only_text(tmp_path: Path) -> None:
    step = 'report \'{"state": "blocked", "blocker": "\\u001b[2J no key"}\''
    assert "\x1b" not in agent(tmp_path, step).loop().ends(3, "no key").out
