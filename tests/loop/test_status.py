"""A loop as a row that unfolds into its rounds: `status`, the live view, the items of the plan (F22)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from ralph_hooks.cli.show.loop_live import LiveLoop
from ralph_hooks.cli.show.loop_rows import trend
from ralph_hooks.loop import events
from ralph_hooks.loop.call import Bounds
from ralph_hooks.loop.todo import Items, items_in
from tests.support.looping import COMPLETE, CONTINUE, agent


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("", Items()),
        (
            "# Plan\n\n- [ ] one\n  - [x] two\n* [X] three\n+ [ ] four\n- five\n[ ] six\n-[ ] seven\n",
            Items(("one", "four"), 2),
        ),
        ("- [ ]\n- [x]", Items(("",), 1)),
    ],
)
def test_items(text: str, items: Items) -> None:
    assert items_in(text) == items


def test_status_shows_the_loop_and_its_rounds(tmp_path: Path) -> None:
    scripted = agent(
        tmp_path, f"printf -- '- [x] a\\n- [ ] b\\n' > .ralph/night/plan.md; {CONTINUE}", f"touch ok; {COMPLETE}"
    )
    scripted.loop("Make it work", "--name", "night").ends(0)
    done = scripted.project.ralph("status")
    assert done.code == 0
    assert "night" in done.out
    (row,) = json.loads(scripted.project.ralph("status", "--json").out)["loops"]
    assert (row["name"], row["objective"], row["state"], row["rounds"], row["verdict"]) == (
        "night", "Make it work", "complete", 2, "GREEN",
    )  # fmt: skip
    assert (row["open"], row["done"], row["pid"]) == (1, 1, None)
    assert [line["state"] for line in row["last"]] == ["continue", "complete"]


STARTED = {
    "name": "night", "objective": "Port the parser\x1b[2J of the shop", "provider": "claude", "max_rounds": 4,
    "after": 0, "place": ".ralph/night", "root": "/nowhere", "gate_inside": True, "checks": ["tests"],
}  # fmt: skip
FINISHED = {"state": "continue", "verdict": "RED", "failing": 3, "cost_usd": 0.25, "tokens": 900, "seconds": 61.0}


def picture(width: int, *told: tuple[str, dict[str, object]], height: int = 40) -> str:
    console = Console(width=width, height=height, force_terminal=True, color_system=None, record=True, emoji=False)
    view = LiveLoop(console, Bounds(max_seconds=3600, max_cost_usd=2.0))
    for kind, facts in told:
        view(kind, **facts)
    with console.capture() as capture:
        console.print(view.render())
    return capture.get()


@pytest.mark.parametrize("width", [40, 80, 160])
def test_the_live_view_fits_its_terminal(width: int) -> None:
    text = picture(
        width,
        (events.STARTED, STARTED),
        (events.NOTE, {"text": "a note"}),
        (events.FINISHED, FINISHED | {"round": 1}),
        (events.FINISHED, FINISHED | {"round": 2, "failing": 1, "state": "", "failure": "exit code 3"}),
        (events.ROUND, {"round": 3, "logs": "x"}),
        (events.ACTION, {"round": 3, "text": "Bash: pytest " + "-q " * 100, "cost_usd": 0.1, "tokens": 5}),
    )
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    assert lines[0].startswith("ralph  Port the parser")
    assert "\x1b" not in lines[0]
    assert "Bash: pytest -q" in text
    if width > 40:
        assert "3 → 1" in text
        assert "$0.60 of $2.00" in text
        assert "2 of 4" in text
        assert "no report: exit code 3" in text
        assert "a note" in text


def test_many_rounds_are_counted_where_the_terminal_has_no_lines_for_them() -> None:
    rounds = [(events.FINISHED, FINISHED | {"round": number}) for number in range(1, 101)]
    text = picture(80, (events.STARTED, STARTED), *rounds, height=24)
    assert len(text.splitlines()) <= 24
    assert " earlier" in text
    assert "  100  " in text


def test_the_trend() -> None:
    assert trend([9, None, 4, 0]) == "9 → 4 → 0"
    assert trend([None]) == ""
    assert trend(list(range(20))).startswith("… 15 → 16")


def test_init_lays_out_what_a_loop_reads(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"touch ok; {COMPLETE}")
    project = scripted.project
    done = project.ralph("init", "night")
    assert (done.code, done.err) == (0, "")
    assert "made PROMPT.md\nmade .ralph/night/plan.md\nmade .ralph/night/specs/README.md\n" in done.out
    (project.root / "PROMPT.md").write_text("Port it\n")
    assert "kept PROMPT.md\nkept .ralph/night/plan.md\n" in project.ralph("init", "night").out
    assert (project.root / "PROMPT.md").read_text() == "Port it\n"
    scripted.loop("--file", "PROMPT.md", "--name", "night", "--max-rounds", "3").ends(0)
    assert "- [ ] Compare the code" in (project.root / ".ralph/night/plan.md").read_text()


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("config", ("[loop]", "tool = false", "An agent can then start agents")),
        ("cron", ("0 23 * * *  ralph-hooks -C ", "--name night", "--isolate --commit green")),
        ("ci", ("schedule:", "--name night", "${{ secrets.ANTHROPIC_API_KEY }}", "ralph/night")),
    ],
)
def test_init_prints_the_rest(tmp_path: Path, what: str, words: tuple[str, ...]) -> None:
    scripted = agent(tmp_path, CONTINUE)
    done = scripted.project.ralph("init", "night", "--print", what)
    assert (done.code, done.err) == (0, "")
    for word in words:
        assert word in done.out
    assert "@NAME@" not in done.out
    assert not (scripted.project.root / "PROMPT.md").exists()


def test_the_printed_config_is_one(tmp_path: Path) -> None:
    scripted = agent(tmp_path, CONTINUE)
    text = scripted.project.ralph("init", "--print", "config").out
    scripted.project.config("[[check]]\nrun = ['true']\n" + text)
    assert scripted.project.ralph("check").code == 0


@pytest.mark.parametrize(("name", "code"), [("../x", 2), ("a b", 2)])
def test_init_refuses_names_that_are_none(tmp_path: Path, name: str, code: int) -> None:
    assert agent(tmp_path, CONTINUE).project.ralph("init", name).code == code


def test_init_says_what_stands_in_its_way(tmp_path: Path) -> None:
    project = agent(tmp_path, CONTINUE).project
    (project.root / "PROMPT.md").mkdir()
    done = project.ralph("init", "night")
    assert (done.code, done.err) == (1, f"error: `{project.root}/PROMPT.md` is there and is no file\n")
