"""One driver per checkout, signals, stop requests, and going on after a crash (F19, F22)."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ralph_hooks.plan.locate import Project
from tests.support.gate import stop
from tests.support.looping import COMPLETE, CONTINUE, Agent, agent, rounds_of

WAIT = "touch $here/running-$n; while [ ! -e $here/go ]; do sleep 0.02; done; "


def until(true: Callable[[], object], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def running(scripted: Agent, number: int = 1) -> None:
    """Wait until this process of the agent is at work."""
    until((scripted.place / f"running-{number}").exists)


def finish(process: subprocess.Popen[str], seconds: float = 20) -> tuple[int, str]:
    out, _ = process.communicate(timeout=seconds)
    return process.returncode, out


def left(scripted: Agent) -> list[str]:
    """Processes that carry the mark of a loop of this test."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            environment = Path(f"/proc/{name}/environ").read_bytes()
            words = Path(f"/proc/{name}/cmdline").read_bytes()
        except OSError:
            continue
        if b"RALPH_LOOP_RUN=" in environment and str(scripted.place.parent).encode() in environment:
            found.append(words.decode())
    return found


def checkout(scripted: Agent) -> str:
    root = str(scripted.project.root)
    return Project(root, root, "").checkout


def test_the_second_driver_is_refused_with_the_firsts_name(tmp_path: Path) -> None:
    scripted = agent(tmp_path, WAIT + f"touch ok; {COMPLETE}")
    first = scripted.start("Make it work", "--name", "night")
    running(scripted)
    second = scripted.loop("Something else")
    second.ends(1, f"`night` (pid {first.pid}) already drives this checkout", "ralph-hooks loop stop night")
    (scripted.place / "go").touch()
    assert finish(first)[0] == 0
    assert scripted.started == 1
    assert not os.path.exists(os.path.join(checkout(scripted), "driver.json"))


def test_stops_of_other_sessions_are_skipped_while_a_loop_runs(tmp_path: Path) -> None:
    scripted = agent(tmp_path, WAIT + f"touch ok; {COMPLETE}")
    first = scripted.start("Make it work", "--name", "night")
    running(scripted)
    stop(scripted.project).lets_go("SKIP", "loop_running: night")
    (scripted.place / "go").touch()
    assert finish(first)[0] == 0
    (scripted.project.root / "ok").unlink()
    stop(scripted.project).blocks("attempt 1/20")


@pytest.mark.parametrize(
    ("signals", "code", "rounds"),
    [
        ((signal.SIGINT,), 130, 1),
        ((signal.SIGINT, signal.SIGINT), 130, 0),
        ((signal.SIGTERM,), 143, 0),
        ((signal.SIGHUP,), 143, 0),
    ],
)
def test_signals(tmp_path: Path, signals: tuple[signal.Signals, ...], code: int, rounds: int) -> None:
    scripted = agent(tmp_path, f"setsid sleep 300 & {WAIT}{CONTINUE}")
    process = scripted.start()
    running(scripted)
    for each in signals:
        process.send_signal(each)
        time.sleep(0.1)
    if rounds:
        assert process.poll() is None
        (scripted.place / "go").touch()
    begin = time.monotonic()
    left_with, out = finish(process)
    assert left_with == code
    assert time.monotonic() - begin < 6
    assert "Ralph workflow was cancelled" in out
    assert len(rounds_of(scripted.project)) == rounds
    assert left(scripted) == []
    assert scripted.started == 1


def test_a_completion_beats_the_wish_to_stop_after_the_round(tmp_path: Path) -> None:
    scripted = agent(tmp_path, WAIT + f"touch ok; {COMPLETE}")
    process = scripted.start()
    running(scripted)
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    (scripted.place / "go").touch()
    assert finish(process)[0] == 0


def test_term_while_the_checks_run_ends_them_too(tmp_path: Path) -> None:
    checks = f"[[check]]\nname = 'tests'\nrun = 'touch {tmp_path}/checking; setsid sleep 300 & sleep 300'\n"
    scripted = agent(tmp_path, COMPLETE, checks=checks)
    process = scripted.start()
    until((tmp_path / "checking").exists)
    process.send_signal(signal.SIGTERM)
    code, out = finish(process)
    assert code == 143
    assert "Ralph workflow was cancelled" in out
    until(lambda: not left(scripted), 3)


@pytest.mark.parametrize(("options", "code", "rounds"), [((), 130, 1), (("--now",), 143, 0)])
def test_stop_from_another_terminal(tmp_path: Path, options: tuple[str, ...], code: int, rounds: int) -> None:
    scripted = agent(tmp_path, WAIT + CONTINUE)
    process = scripted.start("Make it work", "--name", "night")
    running(scripted)
    other = scripted.project.ralph("loop", "stop", "day")
    assert (other.code, other.err) == (1, "error: no loop `day` runs\nhint: running now: night\n")
    done = scripted.project.ralph("loop", "stop", "night", *options)
    assert (done.code, done.err) == (0, "")
    assert f"`night` (pid {process.pid}) ends" in done.out
    time.sleep(0.6)
    (scripted.place / "go").touch()
    left_with, _ = finish(process)
    assert (left_with, len(rounds_of(scripted.project))) == (code, rounds)
    assert left(scripted) == []


def test_after_kill_9_resume_goes_on_and_the_dead_tree_is_gone(tmp_path: Path) -> None:
    linger = f"setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done' & {WAIT}{CONTINUE}"
    scripted = agent(
        tmp_path, CONTINUE, linger, f"test $(cat $here/prompt-$n | grep -c more) = 1; touch ok; {COMPLETE}"
    )
    process = scripted.start()
    running(scripted, 2)
    process.kill()
    process.communicate()
    assert left(scripted) != []
    done = scripted.loop("--resume").ends(0, "after 1 finished", "Ralph completed after 2 rounds.")
    assert left(scripted) == []
    assert [(line["round"], line["state"]) for line in done.rounds] == [(1, "continue"), (2, "complete")]
    assert '"more"' in scripted.prompt(3)
    logs = sorted(path.name for path in Path(own_loops(scripted)).iterdir())
    assert logs == ["0001-1", "0002-1", "0002-2"]
    assert "processes of a dead run were ended" in done.out


def own_loops(scripted: Agent) -> str:
    root = str(scripted.project.root)
    (run,) = (Path(Project(root, root, "").state) / "loops" / "make-it-work").iterdir()
    return str(run)


def test_a_new_run_after_kill_9_starts_from_the_beginning(tmp_path: Path) -> None:
    scripted = agent(tmp_path, CONTINUE, WAIT, f"touch ok; {COMPLETE}")
    process = scripted.start()
    running(scripted, 2)
    process.kill()
    process.communicate()
    done = scripted.loop().ends(0, "Ralph completed after 1 round.")
    assert [line["round"] for line in done.rounds] == [1, 1]
    assert "there is none" in scripted.prompt(3)
    assert left(scripted) == []


def test_resume_knows_what_is_over(tmp_path: Path) -> None:
    scripted = agent(tmp_path, CONTINUE)
    scripted.loop("Make it work", "--max-rounds", "2").ends(4)
    scripted.loop("--resume", "--max-rounds", "2").ends(2, "has run 2 rounds already", "--max-rounds 3` goes on")
    scripted.plays(f"touch ok; {COMPLETE}").loop("--resume", "--max-rounds", "3").ends(
        0, "Ralph completed after 3 rounds."
    )
    scripted.loop("--resume").ends(2, "the loop `make-it-work` is complete")
    scripted.loop("Another thing", "--name", "make-it-work", "--resume").ends(2, "has another objective")
    assert [line["round"] for line in rounds_of(scripted.project)] == [1, 2, 3]


def test_resume_with_nothing_on_record_starts(tmp_path: Path) -> None:
    agent(tmp_path, f"touch ok; {COMPLETE}").loop("Make it work", "--resume").ends(0, "Ralph completed after 1 round.")


def test_a_torn_line_is_left_out(tmp_path: Path) -> None:
    scripted = agent(tmp_path, CONTINUE)
    scripted.loop("Make it work", "--max-rounds", "2").ends(4)
    record = scripted.project.root / ".ralph/make-it-work/rounds.jsonl"
    record.write_bytes(record.read_bytes() + b'{"run": "x", "rou')
    scripted.plays(f"touch ok; {COMPLETE}").loop("--resume").ends(0, "Ralph completed after 3 rounds.")
    lines = record.read_bytes().split(b"\n")
    assert [line[:1] for line in lines] == [b"{", b"{", b"{", b"{", b""]


def test_totals_go_on_over_a_resume(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"sleep 0.6; {CONTINUE}")
    scripted.loop("Make it work", "--max-rounds", "1").ends(4)
    scripted.loop("--resume", "--max-seconds", "0.7").ends(5, "limit of 0.7 s in total")


def test_inside_a_round_no_loop_starts(tmp_path: Path) -> None:
    """A command's round has no state file of its own; this one is what a hooked client's round would carry."""
    inner = f"{sys.executable} -m ralph_hooks loop again > $here/inner 2>&1; echo $? >> $here/inner"
    fake = f"""
        export RALPH_HOOKS_ROUND=$here/round.json
        echo "{{\\"driver\\": $(cat $RALPH_HOOKS_TEST_DRIVER)}}" > $RALPH_HOOKS_ROUND
        {inner}; touch ok; {COMPLETE}
        """
    scripted = agent(tmp_path, fake)
    scripted.project.env["RALPH_HOOKS_TEST_DRIVER"] = os.path.join(checkout(scripted), "driver.json")
    scripted.loop().ends(0)
    said = (scripted.place / "inner").read_text()
    assert "this is a round of the loop `make-it-work`; a round starts no loop" in said
    assert said.endswith("\n2\n")


@pytest.mark.slow
def test_kill_9_at_any_moment_loses_no_round_and_leaves_no_second_agent(tmp_path: Path) -> None:
    chance = random.Random(5)
    step = f"echo $n >> {tmp_path}/starts; sleep 0.$((RANDOM % 3))$((RANDOM % 9)); echo $n > work; {CONTINUE}"
    scripted = agent(tmp_path, step)
    record = scripted.project.root / ".ralph/n/rounds.jsonl"
    seen: list[int] = []
    for _ in range(25):
        process = scripted.start("Make it work", "--resume", "--name", "n")
        time.sleep(chance.uniform(0.2, 1.6))
        process.kill()
        process.communicate()
        lines = [line["round"] for line in rounds_of(scripted.project)] if record.exists() else []
        assert lines[: len(seen)] == seen
        assert lines == sorted(set(lines))
        seen = lines
    scripted.plays(f"touch ok; {COMPLETE}").loop("--resume").ends(0)
    rounds = [line["round"] for line in rounds_of(scripted.project)]
    assert rounds == list(range(1, len(rounds) + 1))
    assert len(rounds) > 3
    assert left(scripted) == []


def test_a_signal_that_was_ignored_from_the_start_stays_so(tmp_path: Path) -> None:
    scripted = agent(tmp_path, WAIT + f"touch ok; {COMPLETE}")
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = scripted.start()
    finally:
        signal.signal(signal.SIGHUP, before)
    running(scripted)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    (scripted.place / "go").touch()
    assert finish(process)[0] == 0


def test_of_many_that_start_at_once_one_drives(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"sleep 1; touch ok; {COMPLETE}")
    codes = sorted(finish(process)[0] for process in [scripted.start() for _ in range(5)])
    assert codes == [0, 1, 1, 1, 1]
    assert scripted.started == 1
