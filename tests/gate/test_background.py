from __future__ import annotations

import time

import pytest

from ralph_hooks.gate import background
from ralph_hooks.gate.event import Event
from ralph_hooks.plan.config import Background

SHELL: dict[str, object] = {
    "id": "b1",
    "type": "shell",
    "status": "running",
    "description": "long build",
    "command": "make all",
}


def event(*tasks: dict[str, object], name: str = "Stop", agent: str = "") -> Event:
    return Event({"session_id": "s", "hook_event_name": name, "background_tasks": list(tasks), "agent_id": agent}, b"")


def test_a_task_counts_three_times_and_never_again() -> None:
    said = [background.pending(event(SHELL), Background()) for _ in range(5)]
    assert said == ["background: long build"] * 3 + ["", ""]
    assert background.pending(event(SHELL), Background(max_skips=50)) == ""


def test_a_new_task_counts_anew() -> None:
    for _ in range(4):
        background.pending(event(SHELL), Background())
    assert (
        background.pending(event(SHELL, SHELL | {"id": "b2", "description": "other"}), Background())
        == "background: other"
    )


@pytest.mark.parametrize(
    ("kind", "after", "counts"),
    [("shell", 601, False), ("shell", 599, True), ("subagent", 3599, True), ("workflow", 3601, False)],
)
def test_age(kind: str, after: float, counts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    start = time.time()
    limits = Background(max_skips=0)
    monkeypatch.setattr(time, "time", lambda: start)
    assert background.pending(event(SHELL | {"type": kind}), limits)
    monkeypatch.setattr(time, "time", lambda: start + after)
    assert bool(background.pending(event(SHELL | {"type": kind}), limits)) == counts


def test_a_clock_that_goes_back_does_not_extend_a_skip(monkeypatch: pytest.MonkeyPatch) -> None:
    assert background.pending(event(SHELL), Background(max_skips=0))
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    assert background.pending(event(SHELL), Background(max_skips=0)) == ""


def test_both_bounds_off_wait_for_ever() -> None:
    limits = Background(max_skips=0, max_age_s=0)
    assert all(background.pending(event(SHELL), limits) for _ in range(10))


@pytest.mark.parametrize("status", ["completed", "failed", "killed", "Stopped"])
def test_tasks_that_are_over_do_not_count(status: str) -> None:
    assert background.pending(event(SHELL | {"status": status}), Background()) == ""


def test_a_stopping_subagent_does_not_wait_for_itself() -> None:
    own: dict[str, object] = {"id": "a1", "type": "subagent", "status": "running", "description": "sub"}
    assert background.pending(event(own, name="SubagentStop", agent="a1"), Background()) == ""
    assert background.pending(event(own | {"id": "a2"}, name="SubagentStop", agent="a1"), Background()) != ""


@pytest.mark.parametrize(
    ("command", "pattern", "fits"),
    [
        ("npm run dev -- --port 5173", "npm run dev*", True),
        ("npm run develop", "npm run dev", False),
        ("tail -f x.log", "tail -f*", True),
        ("cat tail -f", "tail -f*", False),
        ("vitest --watch", "* --watch*", True),
        ("aXbXc", "a*b*c", True),
        ("ab", "a*b*b", False),
        ("abb", "a*b*b", True),
        ("a", "a*a", False),
        ("", "*", True),
    ],
)
def test_patterns(command: str, pattern: str, fits: bool) -> None:
    assert background.matches(command, pattern) is fits


@pytest.mark.parametrize(
    "command", ["npm run dev", "python3 -m http.server 80", "tail -f a", "docker compose up -d", "jest --watch"]
)
def test_servers_and_watchers_are_ignored_by_default(command: str) -> None:
    assert background.pending(event(SHELL | {"command": command}), Background()) == ""


def test_corrupt_notes_are_replaced(own_home: object) -> None:
    background.pending(event(SHELL), Background())
    import os

    from ralph_hooks import paths

    path = next(os.path.join(paths.sessions_dir(), n) for n in os.listdir(paths.sessions_dir()) if n.endswith(".tasks"))
    with open(path, "w") as file:
        file.write('{"b1": "x", "y": [1]} garbage')
    assert background.pending(event(SHELL), Background()) != ""
