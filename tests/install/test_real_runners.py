"""`ralph-hooks install` over each real runner: it finds the command, proves it, and its hook stops on red (I10)."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.install.real_projects import REAL
from tests.support import runners
from tests.support.project import make_project

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", REAL)
def test_installed_proved_and_blocking(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = REAL[name]
    runners.need(real.program)
    for variable, value in (*runners.toolchains().items(), ("COMPOSER_ALLOW_SUPERUSER", "1")):
        monkeypatch.setenv(variable, value)
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable), prepend=os.pathsep)
    project = make_project(tmp_path / "a shop")
    for path, text in real.files.items():
        project.write(path, text)
    real.prepare(project.root)
    project.commit()

    done = project.ralph("install", *(["--command", real.command] if real.command else []), timeout=170)
    assert done.code == 0, done.err
    shown = real.check or real.command
    assert done.out.startswith(f"check    {shown}   because" if real.check else f"check    {shown}\n"), done.out
    assert "proved   `tests`: a planted failing test blocked the stop\n" in done.out, done.out
    assert ", green\n" in done.out, done.out

    hook = json.loads((project.root / ".claude/settings.json").read_text())["hooks"]["Stop"][0]["hooks"][0]
    event = json.dumps({"session_id": "s", "cwd": str(project.root), "hook_event_name": "Stop"})
    assert project.ralph(*hook["args"], stdin=event, timeout=120).code == 0
    for path, text in real.red.items():
        project.write(path, text)
    blocked = project.ralph(*hook["args"], stdin=event, timeout=120)
    assert blocked.code == 2 and "still failing" in blocked.err, blocked
    assert not [path.name for path in project.root.rglob("*canary*") if "node_modules" not in path.parts]
