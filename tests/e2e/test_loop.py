"""The loop with the real clients: three failing tests, one fixed a round, a false `complete` refused inside."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from ralph_hooks.scripted import MessagesServer, ResponsesServer, Script, Step, call, error, hang, say, shell
from tests.support.looping_clients import claude_loop, codex_loop, report, shop, start_claude_loop
from tests.support.project import TestProject

pytestmark = pytest.mark.client

FALSE = report("complete", "all tests pass")
ROUNDS: list[list[Step]] = [
    [shell("echo 1 > one"), say(report("continue", "two", "three"))],
    [shell("echo 2 > two"), say(FALSE), say(report("continue", "three"))],
    [shell("echo 3 > three"), say(report("complete", "three tests pass"))],
]


def states(done: object) -> list[tuple[str, str, int | None]]:
    return [(line["state"], line["verdict"], line["failing"]) for line in done.rounds]  # type: ignore[attr-defined]


def test_claude_three_rounds(tmp_path: Path) -> None:
    project = shop(tmp_path, "claude")
    with MessagesServer(*ROUNDS) as server:
        done = claude_loop(project, server, "Make the shop work", "--commit", "green")
    done.ends(0, "Ralph completed after 3 rounds.")
    assert states(done) == [("continue", "RED", 2), ("continue", "RED", 1), ("complete", "GREEN", 0)]
    assert len({turn.session for turn in server.turns}) == 3
    refused = [turn.shown for turn in server.turns if "still failing" in turn.shown and "hook" in turn.shown.lower()]
    assert len(refused) == 1
    assert "test_three" in refused[0]
    assert "Then end with the report again" in refused[0]
    assert all(line["cost_usd"] > 0 and line["tokens"] > 2000 for line in done.rounds)
    first = [
        next(turn for turn in server.turns if turn.session == session)
        for session in dict.fromkeys(t.session for t in server.turns)
    ]
    assert "there is none" in first[0].shown
    assert '"three"' in first[2].shown
    assert "The checks ran after this round: RED." in first[2].shown


def test_codex_three_rounds(tmp_path: Path) -> None:
    project = shop(tmp_path, "codex")
    with ResponsesServer(*ROUNDS) as server:
        done = codex_loop(project, server, "Make the shop work")
    done.ends(0, "Ralph completed after 3 rounds.")
    assert states(done) == [("continue", "RED", 2), ("continue", "RED", 1), ("complete", "GREEN", 0)]
    assert any("Then end with the report again" in turn.shown for turn in server.turns)
    assert all(line["cost_usd"] is None and line["tokens"] > 1000 for line in done.rounds)


def test_a_malformed_report_is_refused_twice_then_ends_the_run(tmp_path: Path) -> None:
    project = shop(tmp_path, "claude")
    with MessagesServer([say("I am done."), say("Really."), say("Believe me."), say("unheard")]) as server:
        done = claude_loop(project, server, "Make the shop work")
    done.ends(1, "Ralph workflow failed: round 1 gave no report: the final message is not one JSON object")
    assert [("has not reported yet" in turn.shown) for turn in server.turns] == [False, True, True]


def test_a_malformed_report_is_put_right_inside_the_round(tmp_path: Path) -> None:
    project = shop(tmp_path, "codex")
    with ResponsesServer([say("I am done."), say(report("blocked", "no key"))]) as server:
        codex_loop(project, server, "Make the shop work").ends(3, "Blocker: no key", "Gate: RED.")
    assert "has not reported yet" in server.turns[1].shown


def test_the_registered_hook_and_ours_refuse_once(tmp_path: Path) -> None:
    """Two entries fire at one stop; the round's refusals are counted once each."""
    project = shop(tmp_path, "claude")
    import sys

    entry = {"type": "command", "command": sys.executable, "args": ["-P", "-m", "ralph_hooks", "hook", "claude"]}
    project.write(".claude/settings.json", json.dumps({"hooks": {"Stop": [{"hooks": [entry]}]}})).commit()
    with MessagesServer([say("one"), say("two"), say(report("blocked", "x"))]) as server:
        claude_loop(project, server, "Make the shop work").ends(3)
    assert len(server.turns) == 3


def test_other_hooks_switched_off_by_a_person_stay_off(tmp_path: Path) -> None:
    project = shop(tmp_path, "claude")
    project.write(".claude/settings.json", '{"disableAllHooks": true}').commit()
    script: list[Step] = [call("StructuredOutput", **json.loads(report("blocked", "no key")))]
    with MessagesServer(script) as server:
        done = claude_loop(project, server, "Make the shop work")
    done.ends(3, "hooks are switched off in", "no gate inside the rounds", "Blocker: no key")


def test_no_gate_inside_by_wish(tmp_path: Path) -> None:
    project = shop(tmp_path, "claude")
    scripts: list[list[Step]] = [
        [call("StructuredOutput", **json.loads(FALSE))],
        [
            shell("touch one two three; for f in one two three; do echo 1 > $f; done"),
            call("StructuredOutput", **json.loads(FALSE)),
        ],
    ]
    with MessagesServer(*scripts) as server:
        done = claude_loop(project, server, "Make the shop work", "--no-gate-inside")
    done.ends(0, "Ralph completed after 2 rounds.")
    assert states(done) == [("complete", "RED", 3), ("complete", "GREEN", 0)]


def test_a_round_cannot_switch_the_hook_off(tmp_path: Path) -> None:
    project = shop(tmp_path, "claude")
    off = shell("mkdir -p .claude; echo '{\"disableAllHooks\": true}' > .claude/settings.local.json")
    with MessagesServer([off, say(FALSE), say(report("blocked", "caught"))]) as server:
        claude_loop(project, server, "Make the shop work").ends(3, "Blocker: caught")


@pytest.mark.parametrize(
    ("step", "options", "code", "words"),
    [
        (error(401), (), 7, "Ralph workflow failed: the agent is not logged in"),
        (error(429, retry_after=7200), (), 7, "Ralph workflow failed: the agent's rate limit is reached"),
        (error(529), (), 7, "Ralph workflow failed: the agent's service is overloaded"),
        (error(404), (), 1, "Ralph round 1 child failed before producing a structured report. It ended with exit"),
        (hang(), ("--idle-timeout", "3"), 5, "limit of 3 s without a sign of the agent"),
        (hang(), ("--round-timeout", "3"), 5, "limit of 3 s for one round"),
        (shell("echo x"), ("--max-tokens", "3000"), 5, "Ralph reached its limit of 3000 tokens (--max-tokens)"),
        (shell("echo x"), ("--max-cost-usd", "0.01"), 5, "Ralph reached its limit of $0.01 (--max-cost-usd)"),
    ],
)  # fmt: skip
def test_claude_endings(tmp_path: Path, step: Step, options: tuple[str, ...], code: int, words: str) -> None:
    project = shop(tmp_path, "claude")
    with MessagesServer(Script([], then=step)) as server:
        done = claude_loop(project, server, "Make the shop work", *options)
    done.ends(code, words)
    if code == 7:
        assert done.rounds == []
        assert len({turn.session for turn in server.turns}) == 1


@pytest.mark.parametrize(
    ("step", "code", "words"),
    [
        (error(401), 7, "Ralph workflow failed: the agent is not logged in"),
        (error(429), 7, "Ralph workflow failed: the agent's rate limit is reached"),
        (error(429, kind="usage_limit_reached"), 7, "Ralph workflow failed: the agent's rate limit is reached"),
        (error(503), 7, "Ralph workflow failed: the agent's service is overloaded"),
    ],
)  # fmt: skip
def test_codex_endings(tmp_path: Path, step: Step, code: int, words: str) -> None:
    project = shop(tmp_path, "codex")
    with ResponsesServer(Script([], then=step)) as server:
        codex_loop(project, server, "Make the shop work").ends(code, words)


def test_every_tool_denied_is_a_blocker_that_names_them(tmp_path: Path) -> None:
    project = shop(tmp_path, "claude")
    steps: list[Step] = [shell("touch one"), call("Write", file_path="/etc/x", content="y"), say("I could not.")]
    with MessagesServer([*steps, say("no"), say("no")]) as server:
        done = claude_loop(project, server, "Make the shop work", mode="dontAsk")
    done.ends(
        3, "Ralph is blocked after 1 round.", "Blocker: the agent was denied every tool it asked for: Bash, Write"
    )


def test_a_limit_is_waited_for_within_its_bound(tmp_path: Path) -> None:
    project = shop(tmp_path, "claude")
    once = [error(429, retry_after=7200)]
    with MessagesServer(once, [say(report("blocked", "x"))]) as server:
        done = claude_loop(project, server, "Make the shop work", "--wait-for-limits", "2")
    done.ends(3, "round 1: waits 2 s, the agent's rate limit is reached", "Ralph is blocked after 1 round.")
    assert [line["round"] for line in done.rounds] == [1]


def test_output_of_the_project_is_no_rate_limit(tmp_path: Path) -> None:
    project = shop(tmp_path, "claude")
    noise = shell("echo '@upstash/ratelimit: rate limit reached, 429 Too Many Requests' | tee /dev/stderr; exit 1")
    with MessagesServer([noise, say(report("continue", "x"))], [noise, say(report("blocked", "x"))]) as server:
        claude_loop(project, server, "Make the shop work").ends(3, "Ralph is blocked after 2 rounds.")


def test_a_project_without_a_config_still_gets_its_reports_checked(tmp_path: Path) -> None:
    project = shop(tmp_path, "claude")
    (project.root / "ralph-hooks.toml").unlink()
    with MessagesServer([say("done"), say(report("complete", "it works"))]) as server:
        done = claude_loop(project, server, "Make the shop work")
    done.ends(0, "no check is configured", "Completion and blockers are worker reports, not independent evaluation.")
    assert "has not reported yet" in server.turns[1].shown


def test_after_kill_9_no_agent_lives_on_beside_the_next(tmp_path: Path) -> None:
    project = shop(tmp_path, "claude")
    fix = shell("for f in one two three; do echo 1 > $f; done")
    hanging: list[Step] = [shell("touch started; sleep 300"), say("never")]
    with MessagesServer(hanging, [fix, say(report("complete", "three tests pass"))]) as server:
        process = start_claude_loop(project, server, "Make the shop work")
        deadline = time.monotonic() + 60
        while not (project.root / "started").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.kill()
        process.wait()
        assert agents(project)
        done = claude_loop(project, server, "--resume", "Make the shop work")
    done.ends(0, "processes of a dead run were ended", "Ralph completed after 1 round.")
    assert agents(project) == []


def agents(project: TestProject) -> list[int]:
    """Processes below this project's directory."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{name}/cwd") == str(project.root):
                found.append(int(name))
        except OSError:
            continue
    return found
