"""What a round does to the loop's own files and to the repository is put right or told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.looping import BLOCKED, COMPLETE, CONTINUE, agent, rounds_of
from tests.support.project import REPOSITORY

NOTE = "changed the record of the rounds; it was written back"
DAMAGE = {
    "the whole directory deleted": "rm -rf .ralph",
    "emptied": ": > .ralph/make-it-work/rounds.jsonl",
    "a line forged": """echo '{"run": "x", "round": 9}' >> .ralph/make-it-work/rounds.jsonl""",
    "a line edited": "sed -i 's/RED/GREEN/' .ralph/make-it-work/rounds.jsonl",
    "a directory in its place": "rm .ralph/make-it-work/rounds.jsonl; mkdir .ralph/make-it-work/rounds.jsonl",
    "a link in its place": "rm .ralph/make-it-work/rounds.jsonl; ln -s /dev/null .ralph/make-it-work/rounds.jsonl",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_the_record_outlives_what_a_round_does_to_it(tmp_path: Path, damage: str) -> None:
    scripted = agent(tmp_path, CONTINUE, f"{damage}; {CONTINUE}", BLOCKED)
    scripted.loop().ends(3, f"round 2 {NOTE}")
    lines = rounds_of(scripted.project)
    assert [(line["round"], line["state"], line["verdict"]) for line in lines] == [
        (1, "continue", "RED"),
        (2, "continue", "RED"),
        (3, "blocked", "RED"),
    ]


def test_rounds_of_earlier_runs_are_kept_too_and_an_honest_round_is_not_told(tmp_path: Path) -> None:
    scripted = agent(tmp_path, CONTINUE)
    assert NOTE not in scripted.loop("Make it work", "--max-rounds", "2").ends(4).out
    scripted.plays(f"rm -rf .ralph; {BLOCKED}").loop().ends(3, f"round 1 {NOTE}")
    assert [line["round"] for line in rounds_of(scripted.project)] == [1, 2, 1]


def test_a_repository_that_a_round_took_away_is_told(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"mv .git ../gone; {CONTINUE}", BLOCKED)
    scripted.loop().ends(
        3, "note: round 1 left the project without its git repository: content cannot be told any more"
    )


NO_REPORT = "the agent ended without a final message in the file that RALPH_HOOKS_REPORT names"


@pytest.mark.parametrize(
    "step",
    ["true", "mkdir $RALPH_HOOKS_REPORT", "mkfifo $RALPH_HOOKS_REPORT", "ln -s /etc/passwd $RALPH_HOOKS_REPORT"],
    ids=["nothing", "directory", "pipe", "link"],
)
def test_no_report_says_where_it_was_looked_for(tmp_path: Path, step: str) -> None:
    scripted = agent(tmp_path, step)
    scripted.loop().ends(1, f"round 1: no report ({NO_REPORT})", f"round 1 gave no report: {NO_REPORT}")
    assert rounds_of(scripted.project)[0]["failure"] == NO_REPORT


REFUSED = {
    "no objective": (("loop",), "ralph-hooks init"),
    "no such file": (("loop", "--file", "none.md"), "ralph-hooks init"),
    "no rounds": (("loop", "x", "--max-rounds", "0"), "--max-rounds 8"),
    "nothing to resume": (("loop", "--resume", "--name", "none"), "ralph-hooks status"),
    "a name of two lines": (("loop", "x", "--name", "a\nb"), "letters, digits"),
    "no cost": (("loop", "x", "--max-cost-usd", "1"), "--max-seconds"),
    "no tokens": (("loop", "x", "--max-tokens", "1"), "--max-seconds"),
    "no seed": (("job", "start", "--lineage-id", "x", "--seed", "none"), "ralph-hooks evolve --example"),
}


@pytest.mark.parametrize(("words", "hint"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_is_one_sentence_and_one_hint(tmp_path: Path, words: tuple[str, ...], hint: str) -> None:
    done = agent(tmp_path, CONTINUE).project.ralph(*words)
    lines = done.err.splitlines()
    assert (done.code, len(lines)) == (2, 2), done
    assert lines[0].startswith("error: ") and lines[1].startswith("hint: ") and hint in lines[1]
    assert not os.path.exists(tmp_path / "shop" / ".ralph")


def test_what_the_checks_said_is_in_the_log_the_status_and_the_receipts(tmp_path: Path) -> None:
    scripted = agent(tmp_path, CONTINUE, f"touch ok; {COMPLETE}")
    project = scripted.project.write(".gitignore", ".ralph/\n").commit()
    scripted.loop("Make it work", "--name", "night").ends(0)
    rounds = [json.loads(line) for line in project.ralph("log", "--json").out.splitlines()]
    assert [(line["event"], line["verdict"], line["reason"]) for line in rounds] == [
        ("round", "RED", "loop night, round 1"),
        ("round", "GREEN", "loop night, round 2"),
    ]
    assert "last run GREEN  round" in project.ralph("status").out
    assert "was GREEN under this plan (loop night)" in project.commit().ralph("verify").out


def test_a_used_up_loop_names_the_command_that_goes_on(tmp_path: Path) -> None:
    scripted = agent(tmp_path, CONTINUE)
    scripted.loop("Make it work", "--max-rounds", "1").ends(4)
    (row,) = json.loads(scripted.project.ralph("status", "--json").out)["loops"]
    assert 0 < row["last"][0]["seconds"] == row["seconds"]
    done = scripted.loop("--resume", "--max-rounds", "1").ends(2, "has run 1 round already")
    words = done.err.split("hint: `ralph-hooks ", 1)[1].split("`", 1)[0].split()
    assert scripted.project.ralph(*words).code == 4
    assert [line["round"] for line in rounds_of(scripted.project)] == [1, 2]


def test_a_green_of_checks_that_the_rounds_redefined_is_no_green_of_the_project(tmp_path: Path) -> None:
    checks = "[[check]]\nname = 'tests'\nrun = ['sh', 'test.sh']\n"
    scripted = agent(tmp_path, f"echo true > test.sh; {COMPLETE}", checks=checks)
    scripted.project.write("test.sh", "false\n").write(".gitignore", ".ralph/\n").commit()
    scripted.loop().ends(0, "Not verified")
    (line,) = [json.loads(one) for one in scripted.project.ralph("log", "--json").out.splitlines()]
    assert line["unsealed"] is True
    assert "no run on this machine" in scripted.project.commit().ralph("verify").out


def test_one_round_is_no_plural(tmp_path: Path) -> None:
    done = agent(tmp_path, CONTINUE).loop("Make it work", "--max-rounds", "1").ends(4)
    assert "at most 1 round, " in done.out


@pytest.mark.parametrize(
    "words",
    ["loop --file - --name x", "job start --lineage-id x --seed -", "loop --file bad.md --name x",
     "loop x --branch b", "loop x --commit green --branch 'a b'", "loop x --oscillation 1"],
)  # fmt: skip
def test_an_input_that_cannot_be_one_is_refused_with_a_hint(tmp_path: Path, words: str) -> None:
    project = agent(tmp_path, CONTINUE).project.write("bad.md", b"abc\xff").commit()
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m ralph_hooks {words} <&-"],
        cwd=project.root, env=os.environ | {"PYTHONPATH": str(REPOSITORY)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 2, done
    assert done.stderr.startswith("error: ") and "\nhint: " in done.stderr
