"""I14: the repository is a Claude Code plugin, and its launcher finds or makes the program."""

from __future__ import annotations

import json
import os
import shutil
import stat
import struct
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from ralph_hooks import __version__
from ralph_hooks.scripted import MessagesServer, Script, say, shell
from tests.support.clients import claude
from tests.support.clients import program as client_program
from tests.support.project import REPOSITORY, TestProject, make_project

LAUNCHER = REPOSITORY / "hooks" / "tests-green"
EVENT = json.dumps({"session_id": "s", "hook_event_name": "Stop"})
TOOLS = (
    "sh",
    "sed",
    "dirname",
    "grep",
    "tr",
    "cut",
    "cat",
    "mkdir",
    "rm",
    "touch",
    "find",
    "tail",
    "date",
    "env",
    "git",
)


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    return make_project(tmp_path / "a shop").check("test", "-e", "green")


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A directory with the plain tools and nothing else, to stand in for PATH."""
    place = tmp_path / "tools"
    place.mkdir()
    for tool in TOOLS:
        (place / tool).symlink_to(str(shutil.which(tool)))
    return place


def launch(cwd: Path, *args: str, env: dict[str, str], stdin: str = EVENT) -> subprocess.CompletedProcess[str]:
    argv = [str(LAUNCHER), *args]
    whole = {"HOME": os.environ["HOME"], "CLAUDE_PROJECT_DIR": str(cwd), **env}
    return subprocess.run(
        argv, cwd=cwd, input=stdin, capture_output=True, text=True, timeout=120, env=whole, check=False
    )


def message(done: subprocess.CompletedProcess[str]) -> str:
    return str(json.loads(done.stdout)["systemMessage"])


def test_the_program_on_path_is_taken(project: TestProject, tools: Path) -> None:
    fake = tools / "ralph-hooks"
    fake.write_text('#!/bin/sh\necho "$@"\nexit 2\n')
    fake.chmod(0o755)
    done = launch(project.root, "hook", "claude", "--within", "3600", env={"PATH": str(tools)})
    assert (done.returncode, done.stdout) == (2, "hook claude --within 3600\n")


def test_a_private_environment_is_taken(project: TestProject, tools: Path, tmp_path: Path) -> None:
    own = tmp_path / "data" / f"env-{__version__}"
    (own / "bin").mkdir(parents=True)
    (own / "bin" / "ralph-hooks").write_text("#!/bin/sh\necho private\n")
    (own / "bin" / "ralph-hooks").chmod(0o755)
    env = {"PATH": str(tools), "CLAUDE_PLUGIN_DATA": str(tmp_path / "data")}
    assert "NOT VERIFIED" in message(launch(project.root, "hook", "claude", env=env))
    (own / "ready").touch()
    assert launch(project.root, "hook", "claude", env=env).stdout == "private\n"


def test_until_it_is_ready_a_stop_is_not_verified_and_the_person_is_told(
    project: TestProject, tools: Path, tmp_path: Path
) -> None:
    env = {"PATH": str(tools), "CLAUDE_PLUGIN_DATA": str(tmp_path / "data")}
    done = launch(project.root, "hook", "claude", env=env)
    assert done.returncode == 0
    assert message(done) == (
        "ralph-hooks: NOT VERIFIED (bootstrapping): it is still being installed; nothing was checked at this stop."
    )
    ledger = Path(os.environ["HOME"], ".local/state/ralph-hooks/ledger.jsonl")
    line = json.loads(ledger.read_text())
    assert (line["decision"], line["reason"]) == ("UNVERIFIED", "bootstrapping")
    other = launch(project.root, "status", env=env)
    assert (other.returncode, other.stdout) == (1, "") and "still being installed" in other.stderr


def test_where_no_config_is_the_plugin_has_no_business(tools: Path, tmp_path: Path) -> None:
    make_project(tmp_path / "other")
    env = {"PATH": str(tools), "CLAUDE_PLUGIN_DATA": str(tmp_path / "data")}
    done = launch(tmp_path / "other", "hook", "claude", env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_python_that_is_too_old_is_named_and_never_installed(
    project: TestProject, tools: Path, tmp_path: Path
) -> None:
    """The only Python there says that it is 3.10."""
    old = tools / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    env = {"PATH": str(tools), "CLAUDE_PLUGIN_DATA": str(tmp_path / 'da"ta')}
    done = launch(project.root, "bootstrap", env=env)
    assert (done.returncode, "no Python 3.11 or newer" in message(done)) == (0, True)
    assert "no Python 3.11 or newer" in message(launch(project.root, "hook", "claude", env=env))
    assert [name.name for name in (tmp_path / 'da"ta').iterdir()] == ["why"]


@pytest.fixture
def fake_builder(tools: Path) -> Path:
    """`uv` that makes an environment at once, as slowly as its file `slow` says."""
    (tools / "python3").symlink_to(sys.executable)
    uv = tools / "uv"
    uv.write_text(
        "#!/bin/sh\n"
        'echo "$@" >>"$UV_LOG"\n'
        '[ "$1" = venv ] || exit ${UV_EXIT:-0}\n'
        f'{shutil.which("sleep")} "${{UV_SLEEP:-0}}"\n'
        'for last in "$@"; do :; done\n'
        'mkdir -p "$last/bin" && printf "#!/bin/sh\\necho built\\n" >"$last/bin/ralph-hooks"\n'
        f'{shutil.which("chmod")} 755 "$last/bin/ralph-hooks"\n'
    )
    uv.chmod(0o755)
    return uv


def waited(path: Path, seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    return path.exists()


def test_two_sessions_build_once(project: TestProject, tools: Path, fake_builder: Path, tmp_path: Path) -> None:
    data, log = tmp_path / "data", tmp_path / "log"
    (data / "env-0.0.1").mkdir(parents=True)
    env = {"PATH": str(tools), "CLAUDE_PLUGIN_DATA": str(data), "UV_LOG": str(log), "UV_SLEEP": "1"}
    began = time.monotonic()
    for _ in range(2):
        assert launch(project.root, "bootstrap", env=env).stdout == ""
    assert time.monotonic() - began < 10
    assert "still being installed" in message(launch(project.root, "hook", "claude", env=env))
    assert waited(data / f"env-{__version__}" / "ready")
    assert launch(project.root, "hook", "claude", env=env).stdout == "built\n"
    assert log.read_text().count("venv") == 1 and "--no-python-downloads" in log.read_text()
    deadline = time.monotonic() + 10
    while (data / "lock").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert sorted(name.name for name in data.iterdir()) == ["build.log", f"env-{__version__}"]


def test_a_builder_that_died_is_replaced(project: TestProject, tools: Path, fake_builder: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "lock").mkdir(parents=True)
    (data / "lock" / "pid").write_text("999999999\n")
    env = {"PATH": str(tools), "CLAUDE_PLUGIN_DATA": str(data), "UV_LOG": str(tmp_path / "log")}
    launch(project.root, "bootstrap", env=env)
    assert waited(data / f"env-{__version__}" / "ready")


def test_a_build_that_fails_is_told(project: TestProject, tools: Path, fake_builder: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    env = {"PATH": str(tools), "CLAUDE_PLUGIN_DATA": str(data), "UV_LOG": str(tmp_path / "log"), "UV_EXIT": "1"}
    launch(project.root, "bootstrap", env=env)
    assert waited(data / "why")
    assert "installing it failed" in message(launch(project.root, "hook", "claude", env=env))


@pytest.mark.slow
def test_a_real_private_environment(project: TestProject, tools: Path, tmp_path: Path) -> None:
    """venv and pip, from the plugin root: the hook blocks with it."""
    (tools / "python3").symlink_to(sys.executable)
    data = tmp_path / "data"
    env = {"PATH": f"{tools}:/usr/bin:/bin", "CLAUDE_PLUGIN_DATA": str(data)}
    env |= {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "HTTP", "http"))}
    launch(project.root, "bootstrap", env=env)
    ready = waited(data / f"env-{__version__}" / "ready", 150)
    assert ready, (data / "build.log").read_text()
    done = launch(project.root, "hook", "claude", "--within", "60", env=env)
    assert done.returncode == 2 and "still failing" in done.stderr


def test_the_manifests_agree_with_the_package() -> None:
    plugin = json.loads((REPOSITORY / ".claude-plugin/plugin.json").read_text())
    market = json.loads((REPOSITORY / ".claude-plugin/marketplace.json").read_text())
    assert plugin["version"] == __version__
    assert market["plugins"][0]["name"] == plugin["name"]
    for key in ("icon", "hooks", "commands"):
        assert (REPOSITORY / plugin[key]).exists()
    icon = (REPOSITORY / plugin["icon"]).read_bytes()
    assert struct.unpack(">II", icon[16:24]) == (512, 512)
    assert LAUNCHER.stat().st_mode & stat.S_IXUSR


@pytest.mark.slow
def test_the_launcher_is_executable_in_the_wheel(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(argv, cwd=REPOSITORY, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        info = archive.getinfo("ralph_hooks/_data/hooks/tests-green")
    assert info.external_attr >> 16 & stat.S_IXUSR


@pytest.mark.client
@pytest.mark.slow
def test_the_real_client_finds_nothing_to_say() -> None:
    argv = [client_program("claude"), "plugin", "validate", "--strict", "--profile", "directory", str(REPOSITORY)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "These checks found nothing to report" in done.stdout


def play(project: TestProject, *args: str) -> list[str]:
    """One turn that ends red, is blocked, turns green and ends; what the model was shown."""
    script = Script([say("Done."), shell("touch green"), say("Green now.")])
    with MessagesServer(script) as server:
        run = claude(project, "Make it green.", server, *args)
    assert run.code == 0, run.err
    return run.shown


@pytest.mark.client
def test_loaded_from_its_directory(project: TestProject, installed: Path) -> None:
    shown = play(project, "--plugin-dir", str(REPOSITORY))
    assert len(shown) == 3 and "the suite is still failing" in shown[1]


def from_marketplace() -> None:
    env = {**os.environ, "CLAUDE_CONFIG_DIR": f"{os.environ['HOME']}/claude", "DISABLE_AUTOUPDATER": "1"}
    for words in (["marketplace", "add", str(REPOSITORY)], ["install", "ralph-hooks@ralph-hooks"]):
        argv = [client_program("claude"), "plugin", *words]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, env=env, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.client
@pytest.mark.slow
def test_installed_from_the_marketplace(project: TestProject, installed: Path) -> None:
    from_marketplace()
    shown = play(project)
    assert len(shown) == 3 and "the suite is still failing" in shown[1]


@pytest.mark.client
@pytest.mark.slow
@pytest.mark.parametrize("place", ["project/.claude/settings.local.json", "home/claude/settings.json"])
def test_the_agent_cannot_switch_the_plugin_off(project: TestProject, installed: Path, place: str) -> None:
    """Without the guard, the user's settings without the plugin in them end the gate in that very turn (measured)."""
    from_marketplace()
    base, _, name = place.partition("/")
    path = (project.root if base == "project" else Path(os.environ["HOME"])) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    off = json.dumps({"enabledPlugins": {"ralph-hooks@ralph-hooks": False}})
    script = Script([shell(f"echo '{off}' >'{path}'; sleep 1"), say("Done."), shell("touch green"), say("Green now.")])
    with MessagesServer(script) as server:
        run = claude(project, "Make it green.", server)
    assert len(run.shown) == 4 and "the suite is still failing" in run.shown[2]


@pytest.mark.client
def test_plugin_and_settings_are_one_run_and_one_charge(project: TestProject, installed: Path) -> None:
    """Case 23."""
    assert project.ralph("install", "--no-prove", "--yes").code == 0
    shown = play(project, "--plugin-dir", str(REPOSITORY))
    assert len(shown) == 3
    lines = [json.loads(line) for line in _ledger(project).read_text().splitlines()]
    blocks = [line for line in lines if line["decision"] == "BLOCK"]
    assert len(blocks) == 2 and sorted(line["charged"] for line in blocks) == [False, True]
    assert [("run" in line, line["charged"]) for line in blocks if line["charged"]] == [(True, True)]


def _ledger(project: TestProject) -> Path:
    from ralph_hooks import paths

    return Path(paths.project_dir(str(project.root))) / "ledger.jsonl"


@pytest.mark.client
def test_a_command_reaches_the_model_with_the_launchers_path(project: TestProject, installed: Path) -> None:
    project.write("green", "")
    with MessagesServer(Script([say("Done.")])) as server:
        run = claude(project, "/ralph-hooks:status", server, "--plugin-dir", str(REPOSITORY))
    assert run.code == 0 and f'"{REPOSITORY}/hooks/tests-green" status' in run.shown[0]
