"""I11: what is wrong with a setup, each with its fix."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ralph_hooks.install import settings
from ralph_hooks.install.doctor import diagnose, examine, files_of
from ralph_hooks.install.entries import claude, codex
from tests.support.clients import program as client_program
from tests.support.project import REPOSITORY, TestProject, make_project

CONFIG = '[[check]]\nname = "tests"\nrun = ["true"]\n'


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`ralph-hooks` on PATH, for login shells too, and no client."""
    place = tmp_path / "bin"
    place.mkdir()
    script = place / "ralph-hooks"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{REPOSITORY}" exec {sys.executable} -m ralph_hooks "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}:/usr/bin:/bin")
    monkeypatch.setenv("SHELL", "/bin/sh")
    Path(os.environ["HOME"], ".profile").write_text(f'PATH="{place}:$PATH"\n')
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    return place


@pytest.fixture
def project(tmp_path: Path, on_path: Path) -> TestProject:
    """A project with nothing to repair."""
    made = make_project(tmp_path / "shop").config(CONFIG)
    settings.install(settings.layer("claude", "project", str(made.root)), claude(660))
    return made


def ids(start: Path, *, notes: bool = False) -> list[str]:
    return [finding.id for finding in diagnose(examine(str(start))) if notes or not finding.note]


def test_nothing_to_repair(project: TestProject) -> None:
    assert ids(project.root) == []
    done = project.ralph("doctor")
    assert done.code == 0 and done.out.endswith("nothing to repair\n")


def put(name: str, text: str) -> Callable[[TestProject], object]:
    return lambda project: project.write(name, text)


def two_scopes(project: TestProject) -> None:
    settings.install(settings.layer("claude", "local", str(project.root)), claude(660))


def only_codex(project: TestProject) -> None:
    settings.uninstall(settings.layer("claude", "project", str(project.root)))
    settings.install(settings.layer("codex", "project", str(project.root)), codex(660))


def wrong_timeout(project: TestProject) -> None:
    path = project.root / ".claude/settings.json"
    path.write_text(path.read_text().replace('"timeout": 660', '"timeout": 60'))


def no_hook(project: TestProject) -> None:
    settings.uninstall(settings.layer("claude", "project", str(project.root)))


def plugin_alone(project: TestProject) -> None:
    no_hook(project)
    project.write(".claude/settings.json", '{"enabledPlugins": {"ralph-hooks@ralph-hooks": true}}')


def no_program(project: TestProject) -> None:
    os.unlink(os.path.join(os.environ["PATH"].split(":")[0], "ralph-hooks"))


def no_state(project: TestProject) -> None:
    file = project.root.parent / "a file"
    file.write_text("")
    os.environ["XDG_STATE_HOME"] = str(file)  # every test's home sets it anew


LOCAL = ".claude/settings.local.json"
SICK: dict[str, tuple[Callable[[TestProject], object], list[str]]] = {
    "a settings file that is not JSON": (put(LOCAL, "{,}"), ["settings-invalid"]),
    "a settings file of the wrong shape": (put(LOCAL, '{"hooks": []}'), ["settings-invalid"]),
    "a settings file that cannot be read": (put(LOCAL + "/x", ""), ["settings-unreadable"]),
    "no hook": (no_hook, ["no-hook"]),
    "two hooks": (two_scopes, ["two-hooks"]),
    "the plugin too": (put(LOCAL, '{"enabledPlugins": {"ralph-hooks@market": true}}'), ["plugin-and-settings"]),
    "the plugin alone": (plugin_alone, []),
    "another plugin": (put(LOCAL, '{"enabledPlugins": {"other@market": true, "ralph-hooks@x": false}}'), []),
    "all hooks disabled": (put(LOCAL, '{"disableAllHooks": true}'), ["hooks-disabled"]),
    "not disabled": (put(LOCAL, '{"disableAllHooks": false}'), []),
    "no program": (no_program, ["path"]),
    "timeout before the gate's": (wrong_timeout, ["timeout"]),
    "checks take longer": (put("ralph-hooks.toml", CONFIG + "timeout_s = 900\n"), ["timeout"]),
    "parallel checks": (
        put("ralph-hooks.toml", CONFIG + CONFIG.replace("tests", "b") + "[gate]\nparallel = true\n"),
        [],
    ),
    "checks one after the other": (put("ralph-hooks.toml", CONFIG + CONFIG.replace("tests", "b")), ["timeout"]),
    "a runner that is not there": (put("ralph-hooks.toml", CONFIG.replace("true", "no-such-runner")), ["program"]),
    "a directory that is not there": (put("ralph-hooks.toml", CONFIG + 'cwd = "web"\n'), ["cwd"]),
    "a masked exit": (put("ralph-hooks.toml", '[[check]]\nrun = "pytest || true"\n'), ["refused"]),
    "watch mode": (put("ralph-hooks.toml", '[[check]]\nrun = "vitest"\n'), ["refused"]),
    "no check": (put("ralph-hooks.toml", ""), ["no-check"]),
    "a broken config": (put("ralph-hooks.toml", "[[check]]\nrun = 3\n"), ["config"]),
    "stall off": (put("ralph-hooks.toml", CONFIG + "[budget]\nstall = 0\n"), ["stall"]),
    "stall over the client's cap": (put("ralph-hooks.toml", CONFIG + "[budget]\nstall = 8\n"), ["stall"]),
    "stall below it": (put("ralph-hooks.toml", CONFIG + "[budget]\nstall = 7\n"), []),
    "a lower cap": (put(LOCAL, '{"env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "3"}}'), ["stall"]),
    "no cap": (put(LOCAL, '{"env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "0"}}'), []),
    "state that cannot be written": (no_state, ["state"]),
    "Codex alone": (only_codex, []),
}


@pytest.mark.parametrize("name", SICK)
def test_findings(project: TestProject, name: str) -> None:
    harm, expected = SICK[name]
    harm(project)
    assert ids(project.root) == expected
    for finding in diagnose(examine(str(project.root))):
        assert finding.what and finding.fix


def drop_entry(project: TestProject) -> None:
    settings.uninstall(settings.layer("claude", "project", str(project.root)))
    settings.install(settings.layer("claude", "local", str(project.root)), claude(660))


def other_program(project: TestProject) -> None:
    script = Path(os.environ["PATH"].split(":")[0]) / "ralph-hooks"
    script.write_text(script.read_text() + "# edited\n")


SINCE: dict[str, tuple[Callable[[TestProject], object], list[str]]] = {
    "nothing": (lambda project: None, []),
    "our entry moved": (drop_entry, ["seal-settings", "seal-settings"]),
    "env": (put(LOCAL, '{"env": {"HOME": "/tmp"}}'), ["seal-settings"]),
    "another variable": (put(LOCAL, '{"env": {"EDITOR": "vi"}}'), []),
    "the program": (other_program, ["seal-program"]),
}


@pytest.mark.parametrize("name", SINCE)
def test_what_changed_since_the_seal(project: TestProject, name: str) -> None:
    assert "no-seal" in ids(project.root, notes=True)
    assert project.ralph("seal").code == 0
    harm, expected = SINCE[name]
    harm(project)
    assert [each for each in ids(project.root, notes=True) if each.startswith(("seal", "no-seal"))] == expected


def test_an_agents_install_waits_for_a_person(project: TestProject) -> None:
    project.env["CLAUDECODE"] = "1"
    assert project.ralph("install", "--no-prove").code == 0
    assert ids(project.root) == ["seal-pending"]


def test_no_config_at_all(project: TestProject) -> None:
    (project.root / "ralph-hooks.toml").unlink()
    assert ids(project.root) == ["no-config"]


def test_a_session_in_a_subdirectory(project: TestProject) -> None:
    """Case 24."""
    inside = project.root / "packages" / "api"
    inside.mkdir(parents=True)
    (finding,) = [each for each in diagnose(examine(str(inside))) if not each.note]
    assert finding.id == "subdirectory"
    assert finding.what == f"a session started here, in `packages/api`, does not load the hooks of `{project.root}`"
    assert "`ralph-hooks install --scope user`" in finding.fix
    settings.uninstall(settings.layer("claude", "project", str(project.root)))
    settings.install(settings.layer("claude", "user", str(project.root)), claude(660))
    assert ids(inside) == []


def test_managed_settings(project: TestProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    managed = tmp_path / "managed.json"
    monkeypatch.setattr(files_of, "MANAGED", {"linux": str(managed)})
    managed.write_text('{"allowManagedHooksOnly": true, "disableAllHooks": true}')
    project.write(LOCAL, '{"disableAllHooks": false}')
    assert ids(project.root) == ["hooks-disabled", "managed-only"]


def test_only_in_an_active_virtual_environment(
    project: TestProject, on_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", str(on_path.parent))
    assert ids(project.root) == ["path-venv"]


def test_a_login_shell_that_does_not_find_us(project: TestProject) -> None:
    only_codex(project)
    Path(os.environ["HOME"], ".profile").write_text("PATH=/usr/bin:/bin\n")
    assert ids(project.root) == ["login-path"]


def test_notes_are_no_findings(project: TestProject) -> None:
    project.write(".gitignore", ".claude\n")
    assert ids(project.root, notes=True) == ["client-missing", "ignored", "no-seal"]
    assert project.ralph("doctor").code == 0


def test_json(project: TestProject) -> None:
    project.write(LOCAL, '{"disableAllHooks": true}')
    done = project.ralph("doctor", "--json")
    data = json.loads(done.out)
    assert (done.code, data["clean"], data["root"]) == (1, False, str(project.root))
    assert data["findings"][0] == {
        "id": "hooks-disabled",
        "what": "`disableAllHooks` is true, so no hook runs at all",
        "fix": "take `disableAllHooks` out of the settings",
        "note": False,
    }


def test_text(project: TestProject) -> None:
    project.write(LOCAL, '{"disableAllHooks": true}')
    done = project.ralph("doctor")
    what, fix = "`disableAllHooks` is true, so no hook runs at all", "take `disableAllHooks` out of the settings"
    assert done.out.startswith(f"finding: {what}\n  fix: {fix}\n")
    assert done.code == 1 and done.out.endswith("1 to repair\n")


@pytest.fixture
def with_clients(monkeypatch: pytest.MonkeyPatch, on_path: Path) -> None:
    """The pinned clients on PATH, behind the system's own programs."""
    place = Path(client_program("claude")).parent
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{place}")


@pytest.mark.client
def test_codex_trust(project: TestProject, with_clients: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Codex itself says which hooks it would run: none without the project's trust, then an unreviewed one."""
    only_codex(project)
    assert project.ralph("seal").code == 0
    home = tmp_path / "codex"
    home.mkdir()
    monkeypatch.setenv("CODEX_HOME", str(home))
    assert ids(project.root) == ["codex-untrusted-project"]
    (home / "config.toml").write_text(f'[projects."{project.root}"]\ntrust_level = "trusted"\n')
    (finding,) = diagnose(examine(str(project.root)))
    assert (finding.id, finding.what) == (
        "codex-untrusted-hook",
        "Codex skips our hook without a word: it is untrusted",
    )
    reviewed = reviewed_state(project, home)
    (home / "config.toml").write_text((home / "config.toml").read_text() + reviewed)
    assert ids(project.root, notes=True) == []
    path = project.root / ".codex/hooks.json"
    path.write_text(path.read_text().replace("--within 660", "--within 600"))
    assert [finding.what for finding in diagnose(examine(str(project.root)))][-1].endswith("it is modified")


def reviewed_state(project: TestProject, home: Path) -> str:
    from ralph_hooks.install.doctor.codex_trust import hooks

    listed = hooks(str(project.root), dict(os.environ))
    assert listed
    hook = listed["hooks"][0]
    return f'[hooks.state."{hook["key"]}"]\nenabled = true\ntrusted_hash = "{hook["currentHash"]}"\n'


@pytest.mark.client
@pytest.mark.slow
def test_live(project: TestProject, with_clients: None) -> None:
    """The real clients: a red stop is blocked, a green one let go."""
    done = project.ralph("doctor", "--live", "--json", timeout=170)
    assert json.loads(done.out)["live"] == ["claude"], done.out + done.err
    settings.install(settings.layer("codex", "project", str(project.root)), codex(660))
    done = project.ralph("doctor", "--live", timeout=170)
    for client in ("Claude Code", "Codex"):
        assert f"live: in {client} a red stop was blocked and a green one let go\n" in done.out, done.out + done.err


@pytest.mark.client
def test_live_finds_a_gate_that_does_not_block(project: TestProject, with_clients: None, on_path: Path) -> None:
    (on_path / "ralph-hooks").write_text("#!/bin/sh\nexit 0\n")
    from ralph_hooks.install.doctor import live

    (finding,) = live.findings(live.try_all(examine(str(project.root))))
    assert finding.what == "in Claude Code the gate does not work: a stop on red was not blocked"


def test_live_without_a_client(project: TestProject) -> None:
    done = project.ralph("doctor", "--live")
    assert done.code == 1 and "neither Claude Code nor Codex is on PATH" in done.out
