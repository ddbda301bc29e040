"""What `ralph-hooks install` writes, in the real clients (I15, cases 4, 21, 25)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ralph_hooks.install import settings
from ralph_hooks.scripted import MessagesServer, ResponsesServer, Script, say, shell
from tests.support.clients import claude, codex
from tests.support.project import TestProject, make_project

pytestmark = [pytest.mark.client, pytest.mark.slow]
ODD = (Path(__file__).parent / "settings" / "twelve-hooks.json").read_bytes()


@pytest.fixture
def project(tmp_path: Path, installed: Path) -> TestProject:
    made = make_project(tmp_path / "a shop (old)")
    return made.write("check.sh", "test -e green || { echo 'no green'; exit 1; }\n").commit()


def script() -> Script:
    return Script([say("Done."), shell("touch green"), say("Green now.")])


def install(project: TestProject, *args: str) -> None:
    done = project.ralph("install", "--command", "sh check.sh", "--no-prove", "--yes", *args)
    assert done.code == 0, done.err


@pytest.mark.parametrize("scope", ["project", "local", "user"])
def test_claude_code(project: TestProject, scope: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{Path.home()}/claude")
    install(project, "--scope", scope)
    with MessagesServer(script()) as server:
        run = claude(project, "Make it green.", server)
    assert run.code == 0 and len(run.shown) == 3 and "the suite is still failing" in run.shown[1], run.err


def test_claude_code_with_many_foreign_hooks(project: TestProject) -> None:
    """Ours works beside them, and after the uninstall the client still reads the very same file."""
    foreign = ODD.replace(b'"say done"', b'"touch foreign"').replace(b'"./scripts/guard.sh"', b'"true"')
    project.write(".claude/settings.json", foreign)
    install(project)
    with MessagesServer(script()) as server:
        run = claude(project, "Make it green.", server)
    assert len(run.shown) == 3 and (project.root / "foreign").exists()
    assert project.ralph("uninstall").code == 0
    assert (project.root / ".claude/settings.json").read_bytes() == foreign
    (project.root / "foreign").unlink()
    (project.root / "green").unlink()
    with MessagesServer(Script([say("Done.")])) as server:
        run = claude(project, "Again.", server)
    assert len(run.shown) == 1 and (project.root / "foreign").exists()


def test_codex(project: TestProject) -> None:
    install(project, "--client", "codex")
    with ResponsesServer(script()) as server:
        run = codex(project, "Make it green.", server)
    assert run.code == 0 and len(run.shown) == 3 and "the suite is still failing" in run.shown[1], run.err


def test_both_at_once_and_out_again(project: TestProject) -> None:
    install(project, "--client", "all")
    assert project.ralph("uninstall", "--purge").code == 0
    with MessagesServer(Script([say("Done.")])) as server:
        assert len(claude(project, "Anything.", server).shown) == 1


INVALID = ['{"a": 1,}', '{"hooks": {"PreToolUse": [{"matcher": {}, "hooks": []}]}}', '{"env": []}']


@pytest.mark.parametrize("text", INVALID)
def test_a_file_that_we_refuse_is_one_that_the_client_ignores(project: TestProject, text: str) -> None:
    """I6: the sentence "the client itself ignores this file now" is true: a valid hook in it does not run."""
    layer = settings.layer("claude", "project", str(project.root))
    hook = '{"hooks": [{"type": "command", "command": "touch ran"}]}'
    good = json.dumps({"hooks": {"Stop": [json.loads(hook)]}})
    project.write(".claude/settings.json", good)
    with MessagesServer(Script([say("Done.")])) as server:
        claude(project, "Anything.", server)
    assert (project.root / "ran").exists()
    (project.root / "ran").unlink()
    bad = good[:-1] + "," + text[1:] if '"hooks"' not in text else text[:-2] + f', "Stop": [{hook}]}}}}'
    project.write(".claude/settings.json", bad)
    with pytest.raises(Exception, match="itself ignores this file now"):
        settings.check(layer, bad)
    with MessagesServer(Script([say("Done.")])) as server:
        claude(project, "Anything.", server)
    assert not (project.root / "ran").exists()
