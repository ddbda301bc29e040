"""Hooks that somebody pasted: doctor names them, install puts none beside them in silence (I5, I11)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ralph_hooks.install import settings
from ralph_hooks.install.by_hand import pasted
from ralph_hooks.install.doctor import diagnose, examine
from ralph_hooks.install.entries import claude
from tests.support.project import TestProject, make_project

CONFIG = '[[check]]\nname = "tests"\nrun = ["true"]\nmin_tests = 0\n'
OURS: list[dict[str, object]] = [
    {"command": "ralph-hooks hook claude"},
    {"command": "ralph-hooks hook claude --within 600"},
    {"command": "/opt/venv/bin/ralph-hooks", "args": ["hook", "claude"]},
    {"command": "cd sub && RALPH=1 ralph-hooks hook claude"},
    {"command": "env X=1 ralph-hooks hook claude"},
    {"command": "python3 -m ralph_hooks hook claude"},
    {"command": "/usr/bin/python3.12", "args": ["-P", "-m", "ralph_hooks", "hook", "claude"]},
]
OTHERS: list[dict[str, object]] = [
    {"command": "echo ralph-hooks hook claude"},
    {"command": "ralph-hooks status"},
    {"command": "ralph-hooks-2 hook claude"},
    {"command": "./ralph-hooks.sh hook claude"},
    {"command": "say 'unclosed ralph-hooks hook"},
    {"command": "say", "args": ["ralph-hooks", "hook"]},
]


def text_of(hook: dict[str, object], event: str = "Stop") -> str:
    return json.dumps({"hooks": {event: [{"hooks": [{"type": "command", **hook}]}]}}, indent=2)


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    return make_project(tmp_path / "shop").config(CONFIG)


def by_hand(project: TestProject) -> list[tuple[str, str]]:
    return [(each.what, each.fix) for each in diagnose(examine(str(project.root))) if each.id == "by-hand"]


@pytest.mark.parametrize("hook", OURS)
def test_found_with_file_and_line(project: TestProject, hook: dict[str, object]) -> None:
    project.write(".claude/settings.json", text_of(hook))
    ((what, fix),) = by_hand(project)
    assert f"`{project.root}/.claude/settings.json:6`: a Stop hook that was written by hand" in what
    assert '`"_id": "ralph-hooks"`' in fix
    assert not [each for each in diagnose(examine(str(project.root))) if each.id == "no-hook"]


@pytest.mark.parametrize("hook", OTHERS)
def test_what_only_looks_like_it_is_left_out(project: TestProject, hook: dict[str, object]) -> None:
    project.write(".claude/settings.json", text_of(hook))
    assert pasted(settings.layers("claude", str(project.root))) == []


def test_beside_the_one_that_install_wrote(project: TestProject) -> None:
    settings.install(settings.layer("claude", "project", str(project.root)), claude(660))
    project.write(".claude/settings.local.json", text_of(OURS[0]))
    ((what, fix),) = by_hand(project)
    assert "settings.local.json:6" in what and "beside the one that `install` wrote" in what and fix == "take it out"


def test_in_codex(project: TestProject) -> None:
    project.write(".codex/hooks.json", text_of({"command": "ralph-hooks hook codex"}))
    ((what, _),) = by_hand(project)
    assert ".codex/hooks.json:6" in what


def test_install_refuses_to_put_one_beside_it(project: TestProject) -> None:
    pasted_text = text_of(OURS[0])
    project.write(".claude/settings.local.json", pasted_text)
    done = project.ralph("install", "--no-prove", "--yes")
    assert done.code == 1 and "settings.local.json:6`: a Stop hook that was written by hand starts" in done.err
    assert 'put `"_id": "ralph-hooks"` into it' in done.err and not (project.root / ".claude/settings.json").exists()
    forced = project.ralph("install", "--no-prove", "--yes", "--force")
    assert forced.code == 0 and "settings.local.json:6` starts `ralph-hooks` too" in forced.out
    assert (project.root / ".claude/settings.local.json").read_text() == pasted_text


def test_a_pasted_one_becomes_ours_by_its_id(project: TestProject) -> None:
    project.write(".claude/settings.json", text_of({**OURS[0], "_id": "ralph-hooks"}))
    assert project.ralph("install", "--no-prove", "--yes").code == 0
    (group,) = json.loads((project.root / ".claude/settings.json").read_text())["hooks"]["Stop"]
    assert [hook["timeout"] for hook in group["hooks"]] == [660]
    assert by_hand(project) == []


def test_another_client_is_not_in_the_way(project: TestProject) -> None:
    project.write(".claude/settings.json", text_of(OURS[0]))
    assert project.ralph("install", "--no-prove", "--yes", "--client", "codex").code == 0
