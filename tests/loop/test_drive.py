"""The driver with a real process as its agent: every ending, by the exit code it leaves with."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tests.support.looping import BLOCKED, COMPLETE, CONTINUE, agent
from tests.support.project import git

Words = tuple[str, ...]
WORKER = "Completion and blockers are worker reports, not independent evaluation."


def test_three_rounds_to_green(tmp_path: Path) -> None:
    scripted = agent(tmp_path, CONTINUE, COMPLETE, f"touch ok; {COMPLETE}")
    done = scripted.loop().ends(0, "Ralph completed after 3 rounds.")
    assert WORKER not in done.out
    assert [(line["state"], line["verdict"]) for line in done.rounds] == [
        ("continue", "RED"),
        ("complete", "RED"),
        ("complete", "GREEN"),
    ]
    assert done.err == ""


@pytest.mark.parametrize(
    ("steps", "options", "code", "words"),
    [
        ((CONTINUE, BLOCKED), (), 3, ("Ralph is blocked after 2 rounds.", "Blocker: no key", "Gate: RED.", WORKER)),
        ((CONTINUE,), ("--max-rounds", "1"), 4,
         ("Ralph reached its 1 round limit; the worker reported work remaining.",)),
        ((CONTINUE,), ("--max-rounds=2",), 4,
         ("Ralph reached its 2 rounds limit; the worker reported work remaining.",)),
        ((COMPLETE,), ("--max-rounds", "3"), 4,
         ("Ralph reached its 3 rounds limit; the worker reported complete, the gate is red.",)),
        ((CONTINUE, f"touch ok; {COMPLETE}"), ("--max-rounds", "2"), 0, ("Ralph completed after 2 rounds.",)),
        ((COMPLETE,), ("--no-verify",), 0, ("Ralph completed after 1 round.", WORKER, "note: --no-verify")),
        ((CONTINUE, "true"), (), 1,
         ("Ralph workflow failed: round 2 gave no report: the agent ended without a final message",)),
        (("report '3 tests still fail, so I will NOT output COMPLETE yet'",), (), 1,
         ("Ralph workflow failed: round 1 gave no report: the final message is not one JSON object",)),
        (("report \"$(head -c 20000 /dev/zero | tr '\\0' x)\"",), (), 1, ("at most 16384 are allowed",)),
        (('echo "$(cat "$here/prompt-$n")"; report "$(cat "$here/prompt-$n")"',), (), 1, ("Ralph workflow failed",)),
        (("cat > $RALPH_HOOKS_REPORT.other",), (), 1, ("ended without a final message",)),
        (("echo 'out of cheese' >&2; exit 3",), (), 1,
         ("Ralph round 1 child failed before producing a structured report. It ended with exit code 3: out of cheese.",
          "No previous handoff was available.")),
        ((CONTINUE, "kill -SEGV $$"), (), 1,
         ("Ralph round 2 child failed before producing a structured report. It ended with killed by SIGSEGV.",
          "Last successful handoff:", '"next_steps": [\n    "more"\n  ]')),
        ((f"{CONTINUE}; exit 9", f"touch ok; {COMPLETE}; kill -9 $$"), (), 0, ("Ralph completed after 2 rounds.",)),
        (("sleep 60",), ("--round-timeout", "0.5"), 5,
         ("Ralph reached its limit of 0.5 s for one round (--round-timeout) after 1 round.",)),
        ((CONTINUE, "sleep 60"), ("--idle-timeout", "0.5"), 5,
         ("Ralph reached its limit of 0.5 s without a sign of the agent (--idle-timeout) after 2 rounds.",)),
        (("while :; do echo busy; sleep .05; done",), ("--idle-timeout", "5", "--max-seconds", "1"), 5,
         ("Ralph reached its limit of 1 s in total (--max-seconds) after 1 round.",)),
        ((CONTINUE,), ("--max-seconds", "0.8"), 5, ("limit of 0.8 s in total (--max-seconds) after",)),
        (("exit 1", CONTINUE, "exit 1", f"touch ok; {COMPLETE}"), ("--tolerate", "1"), 0, ("after 4 rounds.",)),
        ((CONTINUE, "exit 1", "exit 1"), ("--tolerate", "1"), 1, ("Ralph round 3 child failed",)),
        (("sleep 60", f"touch ok; {COMPLETE}"), ("--tolerate", "1", "--round-timeout", "0.5"), 0, ("after 2 rounds.",)),
        (("true",), ("--tolerate", "9"), 1, ("Ralph workflow failed: round 1 gave no report",)),
        ((f"{CONTINUE}; echo done; exec sleep 60", f"touch ok; {COMPLETE}"), ("--grace", "0.5"), 0,
         ("after 2 rounds.",)),
    ],
)  # fmt: skip
def test_endings(
    tmp_path: Path, steps: tuple[str, ...], options: tuple[str, ...], code: int, words: tuple[str, ...]
) -> None:
    agent(tmp_path, *steps).loop("Make it work", *options).ends(code, *words)


@pytest.mark.parametrize(
    ("steps", "options", "words"),
    [
        ((CONTINUE,), ("--no-progress", "2"), "Ralph stopped after 2 rounds: 2 rounds in a row changed neither"),
        ((f"echo $n > work; {CONTINUE}", CONTINUE), ("--no-progress", "2"), "Ralph stopped after 3 rounds"),
        ((COMPLETE,), ("--no-progress", "3"), "Ralph stopped after 3 rounds"),
        ((f"echo $((n % 2)) > work; {CONTINUE}",), ("--oscillation", "3"), "Ralph stopped after 4 rounds: content and"),
        ((f"echo $((n % 3)) > work; {CONTINUE}",), ("--oscillation", "3"), "Ralph stopped after 6 rounds: content and"),
    ],
)  # fmt: skip
def test_going_nowhere(tmp_path: Path, steps: Words, options: Words, words: str) -> None:
    agent(tmp_path, *steps).loop("Make it work", *options, "--max-rounds", "9").ends(6, words)


def test_a_rising_count_of_failures_ends_the_loop(tmp_path: Path) -> None:
    suite = "print('FAILED t.py::x - no'); print(open('n').read().strip(), 'failed, 1 passed in 0.1s'); exit(1)"
    checks = f'[[check]]\nname = "tests"\nrun = ["python3", "-c", """{suite}"""]\nformat = "pytest"\n'
    scripted = agent(tmp_path, f"echo $n > n; {CONTINUE}", checks=checks)
    done = scripted.loop("Make it work", "--regression", "3").ends(6, "rose over 3 rounds (--regression 3)")
    assert [line["failing"] for line in done.rounds] == [1, 2, 3]


def test_a_false_complete_on_a_red_tree_is_never_accepted(tmp_path: Path) -> None:
    done = agent(tmp_path, COMPLETE).loop("Make it work", "--max-rounds", "6").ends(4, "the gate is red")
    assert [line["state"] for line in done.rounds] == ["complete"] * 6
    assert done.rounds[0]["feedback"].startswith("The round before reported complete, but the checks do not agree")


def test_complete_is_verified_by_a_run_of_our_own(tmp_path: Path) -> None:
    checks = "[[check]]\nname = 'tests'\nrun = 'echo run >> ../runs; test -e ok'\n"
    agent(tmp_path, f"touch ok; {CONTINUE}", COMPLETE, checks=checks).loop().ends(0, "after 2 rounds.")
    assert (tmp_path / "runs").read_text() == "run\n" * 2


def test_without_a_check_completion_is_the_workers_word(tmp_path: Path) -> None:
    scripted = agent(tmp_path, COMPLETE)
    text = (scripted.project.root / "ralph-hooks.toml").read_text()
    scripted.project.config(text[text.index("[loop]") :])
    scripted.loop().ends(0, "no check is configured", "Ralph completed after 1 round.", WORKER)


def test_only_the_handoff_crosses(tmp_path: Path) -> None:
    scripted = agent(tmp_path, CONTINUE, f"touch ok; {COMPLETE}")
    scripted.loop().ends(0)
    first, second = scripted.prompt(1), scripted.prompt(2)
    same = first[: first.index("# Handoff\n\n")]
    assert second.startswith(same)
    assert "there is none" in first
    assert '"next_steps": [\n    "more"\n  ]' in second
    assert "The checks ran after this round: RED." in second


def test_the_agent_gets_the_environment_without_the_marks_of_a_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = {"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT",
            "CLAUDE_CODE_SSE_PORT", "CLAUDE_PID"}  # fmt: skip
    kept = {"CLAUDE_CODE_USE_BEDROCK", "ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR", "OPENAI_API_KEY"}
    for name in gone | kept:
        monkeypatch.setenv(name, "x")
    scripted = agent(tmp_path, f"touch ok; {COMPLETE}")
    scripted.loop().ends(0)
    names = {line.partition("=")[0] for line in scripted.environment(1).splitlines()}
    assert names & (gone | kept) == kept
    assert {"RALPH_HOOKS_REPORT", "RALPH_LOOP_RUN"} <= names


def test_arguments_after_two_dashes_are_the_agents(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"touch ok; {COMPLETE}")
    scripted.loop("Make it work", "--", "--model", "big one", "--").ends(0)
    assert scripted.words(1) == ["--model", "big one", "--"]


def test_what_a_round_does_to_the_config_is_reported_and_not_used(tmp_path: Path) -> None:
    cheat = f"sed -i \"s/'test', '-e', 'ok'/'true'/\" ralph-hooks.toml; {COMPLETE}"
    scripted = agent(tmp_path, cheat, f"git checkout -q ralph-hooks.toml; touch ok; {COMPLETE}")
    done = scripted.loop().ends(0, "round 1 left `ralph-hooks.toml` changed; this run goes on with the old one")
    assert [line["verdict"] for line in done.rounds] == ["RED", "GREEN"]
    assert "only a person can put such a change into force" in scripted.prompt(2)


def test_a_changed_objective_is_written_back(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"echo easier > .ralph/*/objective.md; {CONTINUE}", f"touch ok; {COMPLETE}")
    scripted.loop().ends(0, "round 1 changed the objective; it was written back")
    assert (scripted.project.root / ".ralph/make-it-work/objective.md").read_text() == "Make it work\n"


def test_a_round_that_throws_the_whole_record_away_costs_nothing(tmp_path: Path) -> None:
    scripted = agent(tmp_path, CONTINUE, f"rm -rf .ralph; {CONTINUE}", f"touch ok; {COMPLETE}")
    done = scripted.loop().ends(0, "Ralph completed after 3 rounds.")
    assert [line["round"] for line in done.rounds] == [1, 2, 3]


def test_garbage_and_a_mebibyte_on_stderr_are_no_report_and_no_deadlock(tmp_path: Path) -> None:
    noise = "head -c 1048576 /dev/urandom >&2; head -c 3000000 /dev/urandom; "
    agent(tmp_path, noise + CONTINUE, noise).loop().ends(1, "round 2 gave no report")


def test_a_project_that_speaks_of_rate_limits_has_none(tmp_path: Path) -> None:
    words = "echo 'rate limit reached: 429 Too Many Requests' >&2; echo '@upstash/ratelimit 401 Unauthorized'; exit 1"
    agent(tmp_path, words).loop().ends(1, "Ralph round 1 child failed before producing")


def test_a_missing_agent_is_no_round(tmp_path: Path) -> None:
    scripted = agent(tmp_path, CONTINUE)
    (scripted.place / "agent.sh").unlink()
    done = scripted.loop().ends(7, "Ralph workflow failed: the agent was not found")
    assert done.rounds == []


def test_the_whole_tree_of_a_silent_agent_dies_on_time(tmp_path: Path) -> None:
    spawn = f"setsid sh -c 'echo $$ >> {tmp_path}/pids; exec sleep 300' & (sleep 300 & echo $! >> {tmp_path}/pids); "
    scripted = agent(tmp_path, spawn + "sleep 0.2; exec sleep 300")
    begin = time.monotonic()
    scripted.loop("Make it work", "--idle-timeout", "1").ends(5)
    assert time.monotonic() - begin < 20
    assert len(gone(tmp_path)) == 2


def test_what_an_agent_leaves_running_after_a_good_round_dies_too(tmp_path: Path) -> None:
    leave = f"setsid sh -c 'echo $$ >> {tmp_path}/pids; exec sleep 300' & sleep 0.2; touch ok; "
    agent(tmp_path, leave + COMPLETE).loop().ends(0)
    assert len(gone(tmp_path)) == 1


def gone(tmp_path: Path) -> list[int]:
    """The noted processes, once none of them runs."""
    pids = [int(line) for line in (tmp_path / "pids").read_text().split()]
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    return pids


def test_json_lines(tmp_path: Path) -> None:
    done = agent(tmp_path, CONTINUE, f"touch ok; {COMPLETE}").loop("Make it work", "--json").ends(0)
    events = [json.loads(line) for line in done.out.splitlines()]
    kinds = [event["event"] for event in events]
    assert kinds == ["started", "round", "checking", "finished", "round", "checking", "finished", "ended"]
    ended = events[-1]
    assert (ended["status"], ended["verified"], ended["rounds"], ended["verdict"]) == ("complete", True, 2, "GREEN")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("",), "Ralph objective must be a non-empty string"),
        ((" \n ",), "Ralph objective must be a non-empty string"),
        ((), "Ralph objective must be a non-empty string"),
        (("x", "--max-rounds", "0"), "Ralph maxRounds must be a positive safe integer"),
        (("x", "--max-rounds", "many"), "Ralph maxRounds must be a positive safe integer"),
        (("x", "--max-rounds", "9007199254740992"), "Ralph maxRounds must be a positive safe integer"),
        (("x", "--max-rounds", "257"), "Ralph maxRounds 257 exceeds the deployment ceiling 256"),
        (("x", "--max-iterations", "5"), "No such option '--max-iterations'"),
        (("x", "--file", "README"), "give the objective or --file, not both"),
        (("--file", "missing.md"), "`missing.md` cannot be read: No such file or directory"),
        (("--file", "."), "`.` cannot be read: Is a directory"),
        (("--file", "empty.md"), "Ralph objective must be a non-empty string"),
        (("--file", "binary.md"), "`binary.md` is not UTF-8 text at byte 1"),
        (("--file", "nul.md"), "`nul.md` is not text: it holds NUL bytes"),
        (("--file", "huge.md"), "`huge.md` is larger than 1 MiB"),
        (("x", "--name", "../x"), "`../x` cannot name a loop"),
        (("x", "--max-cost-usd", "1"), "provider `command` reports no cost, so --max-cost-usd cannot hold"),
        (("x", "--max-tokens", "1"), "provider `command` reports no tokens, so --max-tokens cannot hold"),
        (("x", "--round-timeout", "nan"), "is not a number of 0 or more"),
        (("x", "--round-timeout", "-1"), "is not a number of 0 or more"),
        (("x", "--oscillation", "1"), "--oscillation must be 0 or at least 2"),
        (("x", "--branch", "b"), "--branch needs --commit green"),
        (("--resume",), "which loop is to go on?"),
        (("--resume", "--name", "x"), "there is no loop `x`"),
        (("x", "y"), "unexpected extra argument"),
        (("stop",), "Missing argument 'NAME'"),
    ],
)  # fmt: skip
def test_refusals_start_nothing(tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    scripted = agent(tmp_path, CONTINUE)
    files = {"empty.md": b" \n", "binary.md": b"a\xff\xfe", "nul.md": b"a\0b", "huge.md": b"x" * ((1 << 20) + 1)}
    for name, data in files.items():
        scripted.project.write(name, data)
    done = scripted.project.ralph("loop", *words)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert scripted.started == 0
    assert not (scripted.project.root / ".ralph").exists()


def test_the_objective_may_come_from_a_file_or_a_pipe(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"touch ok; {COMPLETE}")
    scripted.project.write("PROMPT.md", "# Port the parser\n\nAll of it.\n")
    scripted.loop("--file", "PROMPT.md").ends(0)
    assert "# Objective\n\n# Port the parser\n\nAll of it.\n" in scripted.prompt(1)
    (scripted.project.root / "ok").unlink()
    scripted.loop("--file", "-", "--name", "piped", stdin="From a pipe").ends(0)
    assert "# Objective\n\nFrom a pipe\n" in scripted.prompt(2)
    assert sorted(path.name for path in (scripted.project.root / ".ralph").iterdir()) == ["piped", "port-the-parser"]


def test_another_objective_under_the_same_name_is_refused(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"touch ok; {COMPLETE}")
    scripted.loop("One thing", "--name", "night").ends(0)
    scripted.loop("Another thing", "--name", "night").ends(2, "the loop `night` has another objective", "--name")
    assert scripted.started == 1


@pytest.mark.parametrize(
    ("provider", "says"),
    [("'nobody'", 'Ralph subagent provider "nobody" is not registered')],
)
def test_an_unknown_provider(tmp_path: Path, provider: str, says: str) -> None:
    scripted = agent(tmp_path, CONTINUE)
    text = (scripted.project.root / "ralph-hooks.toml").read_text()
    scripted.project.config(text.replace("'command'", provider))
    scripted.loop().ends(2, says)


def test_outside_a_git_repository_it_works_and_says_what_is_missing(tmp_path: Path) -> None:
    scripted = agent(tmp_path, CONTINUE, f"touch ok; {COMPLETE}", repository=False)
    scripted.loop().ends(0, "not a git repository", "Ralph completed after 2 rounds.")
    scripted.loop("x", "--no-progress", "2").ends(2, "is not in a git repository, which --no-progress needs")
    scripted.loop("x", "--commit", "green").ends(2, "is not in a git repository, which --commit needs")


def test_the_content_of_the_tree_is_told_apart_from_the_record(tmp_path: Path) -> None:
    done = agent(tmp_path, f"echo $n >> .ralph/*/plan.md; {CONTINUE}").loop("x", "--no-progress", "2").ends(6)
    digests = {line["digest"] for line in done.rounds}
    assert len(digests) == 1
    assert digests != {""}


def test_the_persons_files_are_all_still_there(tmp_path: Path) -> None:
    scripted = agent(tmp_path, CONTINUE, f"touch ok; {COMPLETE}")
    project = scripted.project
    project.write("stashed", "1").write("README", "changed\n")
    git(project.root, "add", "stashed")
    git(project.root, "stash", "-q")
    project.write("staged", "2").write("untracked", "3")
    git(project.root, "add", "staged")
    before = git(project.root, "status", "--porcelain"), git(project.root, "stash", "list")
    scripted.loop().ends(0)
    after = (
        git(project.root, "status", "--porcelain", "--", ".", ":!.ralph", ":!ok"),
        git(project.root, "stash", "list"),
    )
    assert before == after


def test_a_check_that_a_round_redefined_verifies_nothing(tmp_path: Path) -> None:
    checks = "[[check]]\nname = 'tests'\nrun = 'npm test'\n"
    scripted = agent(tmp_path, f'echo \'{{"scripts": {{"test": "true"}}}}\' > package.json; {COMPLETE}', checks=checks)
    scripted.project.write("package.json", '{"scripts": {"test": "test -e ok"}}').commit()
    done = scripted.loop("Make it work", "--json").ends(0)
    ended = json.loads(done.out.splitlines()[-1])
    assert (ended["status"], ended["verified"]) == ("complete", False)
    assert ended["detail"].startswith("Not verified: ")
    assert "package.json" in ended["detail"]


def test_what_was_sealed_is_what_decides(tmp_path: Path) -> None:
    scripted = agent(tmp_path, COMPLETE, f"touch ok; {COMPLETE}")
    assert scripted.project.ralph("seal").code == 0
    text = (scripted.project.root / "ralph-hooks.toml").read_text()
    scripted.project.config(text.replace("'test', '-e', 'ok'", "'true'"))
    done = scripted.loop().ends(0, "note: the config differs from what was sealed: the sealed one was used")
    assert [line["verdict"] for line in done.rounds] == ["RED", "GREEN"]


def test_a_change_beside_our_table_is_none(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"echo '[tool.other]' >> pyproject.toml; touch ok; {COMPLETE}")
    text = (scripted.project.root / "ralph-hooks.toml").read_text()
    (scripted.project.root / "ralph-hooks.toml").unlink()
    ours = text.replace("[[check]]", "[[tool.ralph-hooks.check]]").replace("[loop]", "[tool.ralph-hooks.loop]")
    scripted.project.write("pyproject.toml", ours).commit()
    assert "changed" not in scripted.loop().ends(0).out
