"""Providers: how they start a process, and what they make of what real clients printed (tests/loop/streams)."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ralph_hooks.loop import infra
from ralph_hooks.loop.call import RefusedError
from ralph_hooks.loop.providers import PROVIDERS, check_arguments, provider_for
from ralph_hooks.loop.providers.base import Capabilities, Launch, Listener, Order
from ralph_hooks.loop.providers.claude import take_settings

STREAMS = Path(__file__).parent / "streams"
REPORT = '{"state":"continue","next_steps":["x"],"evidence":[],"blocker":null}'


def heard(name: str) -> Any:
    provider = PROVIDERS[name.partition("-")[0]]
    listener: Listener = provider.listen(Launch(argv=[], stdin=b""))
    for line in (STREAMS / f"{name}.jsonl").read_bytes().splitlines():
        listener.hear(line)
    listener.look()
    return listener.heard


@pytest.mark.parametrize(
    ("name", "final", "tokens", "cost"),
    [
        ("claude-ok", REPORT, 201000, 0.82),
        ("claude-background", REPORT, 301500, 1.23),
        ("claude-denied", "I could not", 301500, 1.23),
        ("claude-schema", '{"state": "continue", "next_steps": ["x"], "evidence": [], "blocker": null}', 100500, 0.41),
        ("codex-ok", REPORT, 201000, None),
        ("codex-readonly", "cannot", 201000, None),
    ],
)
def test_a_turn_that_ended_well(name: str, final: str, tokens: int, cost: float | None) -> None:
    told = heard(name)
    assert (told.final, told.tokens, told.cost_usd) == (final, tokens, None if cost is None else pytest.approx(cost))
    assert (told.fault, told.failure) == (None, "")
    assert told.session
    assert told.action


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("claude-e401", infra.AUTH, "Failed to authenticate"),
        ("claude-e429", infra.RATE_LIMIT, "Request rejected (429)"),
        ("claude-e529", infra.OVERLOAD, "529 scripted overloaded_error"),
        ("claude-ecredit", infra.BILLING, "Credit balance is too low"),
        ("claude-close", infra.OVERLOAD, "Connection dropped"),
        ("claude-e404", None, "issue with the selected model"),
        ("claude-maxturns", None, "Reached maximum number of turns"),
        ("claude-budget", None, "Reached maximum budget"),
        ("codex-e401", infra.AUTH, "401 Unauthorized"),
        ("codex-e429", infra.RATE_LIMIT, "429 Too Many Requests"),
        ("codex-usage", infra.RATE_LIMIT, "hit your usage limit"),
        ("codex-e503", infra.OVERLOAD, "at capacity"),
        ("codex-e500", infra.OVERLOAD, "high demand"),
    ],
)
def test_a_turn_that_failed(name: str, kind: str | None, words: str) -> None:
    told = heard(name)
    assert told.final is None
    assert words in told.failure
    assert (told.fault.kind if told.fault else None) == kind
    assert told.over_cost is (name == "claude-budget")


def test_denied_tools_are_counted() -> None:
    told = heard("claude-denied")
    assert (told.tools, told.denied) == (2, ["Bash", "Write"])


def test_a_subscription_limit_tells_its_reset() -> None:
    listener = PROVIDERS["claude"].listen(Launch(argv=[], stdin=b""))
    info = {"status": "rejected", "resetsAt": 1796050000, "rateLimitType": "five_hour"}
    listener.hear(json.dumps({"type": "rate_limit_event", "rate_limit_info": info}).encode())
    words = "You've hit your session limit · resets 3pm"
    result = {"type": "result", "subtype": "success", "is_error": True, "terminal_reason": "api_error", "result": words}
    listener.hear(json.dumps(result).encode())
    fault = listener.heard.fault
    assert fault is not None
    assert (fault.kind, fault.resets_at) == (infra.RATE_LIMIT, 1796050000)


@pytest.mark.parametrize("name", ["claude", "codex", "command"])
@pytest.mark.parametrize(
    "line",
    [b"", b"garbage", b"\xff\xfe", b"null", b"[]", b'"x"', b"{}", b'{"type": 5}', b'{"type": "result"}', b"[" * 100000,
     b'{"type": "result", "subtype": "success", "usage": 5, "modelUsage": [1], "permission_denials": "x"}',
     b'{"type": "assistant", "message": {"usage": {"input_tokens": "many"}, "content": "text"}}',
     b'{"type": "assistant", "message": {"content": [1, {"type": "tool_use", "input": null}]}}',
     b'{"type": "item.completed", "item": 5}', b'{"type": "turn.failed"}', b'{"type": "turn.completed", "usage": []}'],
)  # fmt: skip
def test_any_line_is_survived(name: str, line: bytes) -> None:
    listener = PROVIDERS[name].listen(Launch(argv=[], stdin=b""))
    listener.hear(line)
    listener.look()


def order(tmp_path: Path, **changes: Any) -> Order:
    base = Order(cwd=str(tmp_path), prompt="go", scratch=str(tmp_path / "s"), most_chars=999, round_file="/r.json")
    return replace(base, **changes)


def test_claude_gets_our_hook_beside_the_persons_settings(tmp_path: Path) -> None:
    stops = [{"hooks": [{"type": "command", "command": "mine"}]}]
    own = {"env": {"A": "1"}, "hooks": {"Stop": stops, "PreToolUse": []}}
    (tmp_path / "own.json").write_text(json.dumps(own))
    for given in (("--settings", "own.json"), ("--settings=own.json",), ("--settings", json.dumps(own))):
        launch = PROVIDERS["claude"].launch(order(tmp_path, arguments=("--model", "m", *given)))
        assert launch.argv[:2] == ["claude", "-p"]
        assert launch.argv.count("--settings") == 1
        assert launch.argv[launch.argv.index("--model") + 1] == "m"
        settings = json.loads(Path(launch.argv[-1]).read_text())
        assert (settings["env"], settings["disableAllHooks"]) == ({"A": "1"}, False)
        mine, ours = settings["hooks"]["Stop"]
        assert mine == stops[0]
        assert ours["hooks"][0]["args"][:4] == ["-P", "-m", "ralph_hooks", "hook"]
        assert (launch.stdin, launch.env) == (b"go", {"RALPH_HOOKS_ROUND": "/r.json"})


def test_without_a_gate_inside_claude_gets_a_schema_and_no_hook(tmp_path: Path) -> None:
    launch = PROVIDERS["claude"].launch(order(tmp_path, round_file="", arguments=("--settings", "x"), cost_left=1.5))
    assert json.loads(launch.argv[-1])["required"] == ["state", "next_steps", "evidence", "blocker"]
    assert launch.argv[-2] == "--json-schema"
    assert launch.argv[launch.argv.index("--max-budget-usd") + 1] == "1.500000"
    assert launch.env == {}


def test_nothing_dangerous_is_added(tmp_path: Path) -> None:
    for name in ("claude", "codex"):
        words = PROVIDERS[name].launch(order(tmp_path)).argv
        assert not any("danger" in word or "bypass" in word or "yolo" in word for word in words if word.startswith("-"))


def test_codex_gets_its_hook_and_the_schema(tmp_path: Path) -> None:
    launch = PROVIDERS["codex"].launch(order(tmp_path, hook_seconds=90.5))
    assert launch.argv[:4] == ["codex", "exec", "--json", "--output-schema"]
    assert launch.argv[-1] == "-"
    hook = launch.argv[launch.argv.index("-c") + 1]
    assert hook.startswith("hooks.Stop=[{hooks=[{")
    assert f"{sys.executable} -P -m ralph_hooks hook codex --within 90.5" in hook
    assert "timeout=90" in hook


@pytest.mark.parametrize(("value", "off"), [(True, True), (False, False), (None, False), ("true", False)])
@pytest.mark.parametrize("file", [".claude/settings.json", ".claude/settings.local.json", "home"])
def test_hooks_that_a_person_switched_off_are_not_forced(
    tmp_path: Path, value: object, off: bool, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    path = tmp_path / ("config/settings.json" if file == "home" else file)
    path.parent.mkdir()
    path.write_text(json.dumps({"disableAllHooks": value}))
    gate_off = PROVIDERS["claude"].gate_off
    assert gate_off(str(tmp_path), ()) == (str(path) if off else "")
    assert gate_off(str(tmp_path), ("--settings", '{"disableAllHooks": false}')) == ""
    assert gate_off(str(tmp_path), ("--settings", '{"disableAllHooks": true}')) == "--settings"


def test_codex_hooks_that_a_person_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    assert PROVIDERS["codex"].gate_off("/", ()) == ""
    (tmp_path / "config.toml").write_text("[features]\nhooks = false\n")
    assert PROVIDERS["codex"].gate_off("/", ()) == str(tmp_path / "config.toml")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("claude", "--continue"), ("claude", "-c"), ("claude", "--resume x"), ("claude", "-r"), ("claude", "--bare"),
        ("claude", "--resume=x"), ("claude", "--fork-session"), ("claude", "--session-id 1"), ("claude", "--safe-mode"),
        ("claude", "--json-schema {}"), ("claude", "--json-schema={}"), ("claude", "--output-format text"),
        ("codex", "resume x"), ("codex", "fork"), ("codex", "--disable hooks"), ("codex", "--disable=hooks"),
        ("codex", "-c features.hooks=false"), ("codex", "--output-schema x"), ("codex", "-C /"),
        ("claude", "-r5f0e"), ("codex", "-cfeatures.hooks=false"), ("codex", "-c=features.hooks=false"),
        ("codex", "-C/"), ("codex", "-ofile"), ("codex", "--config='features={hooks=false}'"),
    ],
)  # fmt: skip
def test_arguments_that_are_refused(name: str, words: str) -> None:
    with pytest.raises(RefusedError, match="cannot be passed to"):
        check_arguments(PROVIDERS[name], ["--model", "m", *words.split()])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("claude", "--model opus --permission-mode acceptEdits --settings x --dangerously-skip-permissions"),
        ("codex", "-c model=gpt-5 -m x -s workspace-write --dangerously-bypass-hook-trust --disable web"),
        ("command", "--continue --resume"),
    ],
)  # fmt: skip
def test_arguments_that_pass(name: str, words: str) -> None:
    check_arguments(PROVIDERS[name], words.split())


@pytest.mark.parametrize(
    ("can", "says"),
    [
        (Capabilities(structured_output=False), 'Ralph subagent provider "x" does not support structured output'),
        (Capabilities(fresh=False),
         'Ralph subagent provider "x" inherits parent context; Ralph requires a fresh provider'),
    ],
)  # fmt: skip
def test_providers_that_no_loop_may_use(can: Capabilities, says: str) -> None:
    known = {"x": replace(PROVIDERS["claude"], name="x", capabilities=can)}
    with pytest.raises(RefusedError) as caught:
        provider_for("x", known)
    assert caught.value.message == says
    with pytest.raises(RefusedError) as caught:
        provider_for("y", known)
    assert caught.value.message == 'Ralph subagent provider "y" is not registered'


def test_settings_are_taken_out_of_the_arguments() -> None:
    assert take_settings(["a", "--settings", "x", "b"]) == ("x", ["a", "b"])
    assert take_settings(["--settings=x"]) == ("x", [])
    assert take_settings(["--settings"]) == ("", [])


@pytest.mark.parametrize("how", ["directory", "fifo", "link", "half"])
def test_a_report_file_that_is_none(tmp_path: Path, how: str) -> None:
    path = tmp_path / "report"
    (tmp_path / "target").write_text(REPORT)
    listener = PROVIDERS["command"].listen(Launch(argv=[], stdin=b"", report_file=str(path)))
    if how == "directory":
        path.mkdir()
    elif how == "fifo":
        os.mkfifo(path)
    elif how == "link":
        path.symlink_to(tmp_path / "target")
    else:
        path.write_text(REPORT[:20])
    listener.look()
    assert listener.heard.final == (REPORT[:20] if how == "half" else None)
    if how == "half":
        path.write_text(REPORT)
        listener.look()
        assert listener.heard.final == REPORT
