"""`ralph-hooks install` and `uninstall` as a person runs them (I1 to I10, I13)."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ralph_hooks import paths
from tests.support.person import by_a_person
from tests.support.project import REPOSITORY, Done, TestProject, git, make_project

RUNNER = f"{sys.executable} -m pytest -q -p no:cacheprovider"
GREEN = "def test_a():\n    assert True\n"
RED = "def test_a():\n    assert False\n"


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    made = make_project(tmp_path / "shop")
    made.write("tests/test_a.py", GREEN).write("pyproject.toml", "[tool.pytest.ini_options]\n").commit()
    made.env["PATH"] = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    made.env["PYTHONDONTWRITEBYTECODE"] = "1"
    return made


def install(project: TestProject, *args: str) -> Done:
    return project.ralph("install", "--no-prove", *args, timeout=120)


def tree(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not {".git", ".pytest_cache"} & set(path.parts)
    }


def test_from_a_clone_to_a_live_gate_and_back(project: TestProject) -> None:
    before = tree(project.root)
    done = project.ralph("install", timeout=120)
    assert done.code == 0, done.err
    assert "check    pytest -q   because `pyproject.toml` configures pytest\n" in done.out
    assert "proved   `tests`: a planted failing test blocked the stop\n" in done.out
    assert "wrote    ralph-hooks.toml\nwrote    .claude/settings.json (Claude Code: Stop, " in done.out
    assert ", green\n" in done.out and "timeout_s: tests 600 s; the hook's own timeout: 660 s" in done.out
    hook = json.loads((project.root / ".claude/settings.json").read_text())["hooks"]["Stop"][0]["hooks"][0]
    event = json.dumps({"session_id": "s", "cwd": str(project.root), "hook_event_name": "Stop"})
    assert (hook["command"], hook["timeout"]) == ("ralph-hooks", 660)
    assert project.ralph(*hook["args"], stdin=event).code == 0
    project.write("tests/test_a.py", RED)
    blocked = project.ralph(*hook["args"], stdin=event)
    assert blocked.code == 2 and "test_a" in blocked.err
    project.write("tests/test_a.py", GREEN)
    assert project.ralph("uninstall", "--purge").code == 0
    assert tree(project.root) == before
    assert not os.path.exists(paths.project_dir(str(project.root)))


def test_a_green_timed_run_is_remembered(project: TestProject) -> None:
    install(project)
    event = json.dumps({"session_id": "s", "cwd": str(project.root), "hook_event_name": "Stop"})
    assert project.ralph("hook", "claude", stdin=event).code == 0
    ledger = Path(paths.project_dir(str(project.root))) / "ledger.jsonl"
    line = json.loads(ledger.read_text().splitlines()[-1])
    assert (line["decision"], [check["remembered"] for check in line["checks"]]) == ("SKIP", [True])


def test_the_config_is_short_and_says_why(project: TestProject) -> None:
    install(project)
    text = (project.root / "ralph-hooks.toml").read_text()
    assert text.endswith(
        '\n[[check]]\n# Chosen because `pyproject.toml` configures pytest.\nname = "tests"\nrun = ["pytest", "-q"]\n'
    )
    assert text.count("\n") == 7


def test_a_second_install_changes_nothing(project: TestProject) -> None:
    install(project)
    before = tree(project.root)
    done = install(project)
    assert done.code == 0 and tree(project.root) == before
    assert "kept     ralph-hooks.toml\nkept     .claude/settings.json" in done.out


def test_a_config_is_never_overwritten(project: TestProject) -> None:
    project.config('[[check]]\nrun = ["true"]\ntimeout_s = 1200\nmin_tests = 0\n')
    before = (project.root / "ralph-hooks.toml").read_bytes()
    done = install(project)
    assert done.code == 0 and (project.root / "ralph-hooks.toml").read_bytes() == before
    assert (
        json.loads((project.root / ".claude/settings.json").read_text())["hooks"]["Stop"][0]["hooks"][0]["timeout"]
        == 1260
    )
    assert install(project, "--command", "pytest").code == 1


def test_red_today_is_installed_all_the_same(project: TestProject) -> None:
    project.write("tests/test_a.py", RED)
    done = install(project)
    assert done.code == 0 and "red today: 1 failing; installed all the same" in done.out


REFUSED = [
    (["--command", "npm test | tail -5"], "`| tail -5` hides the exit code of `npm test`"),
    (["--command", "pytest || true"], "`|| true` turns every failure into success"),
    (["--command", "vitest"], "`vitest` waits for changes for ever"),
]


@pytest.mark.parametrize(("args", "words"), REFUSED)
def test_refused_unless_forced(project: TestProject, args: list[str], words: str) -> None:
    before = tree(project.root)
    done = install(project, *args)
    assert (done.code, done.out) == (1, "") and f"error: the check `tests` is refused: {words}" in done.err
    assert "or insist with --force" in done.err and tree(project.root) == before
    forced = install(project, "--force", "--dry-run", *args)
    assert forced.code == 0 and "+++ ralph-hooks.toml" in forced.out


def test_a_masked_exit_that_only_the_canary_finds(project: TestProject) -> None:
    project.write("run.py", f"import subprocess\nsubprocess.run({RUNNER.split()!r})\n")
    before = tree(project.root)
    done = project.ralph("install", "--command", f"{sys.executable} run.py", timeout=120)
    assert done.code == 1 and "its exit code is masked" in done.err
    assert tree(project.root) == before


def test_nothing_found(tmp_path: Path) -> None:
    done = make_project(tmp_path).ralph("install")
    assert done.code == 1 and "no test command was found; looked for\n  pytest" in done.err
    assert "hint: ralph-hooks install --command" in done.err
    assert tree(tmp_path) == {}


UNUSABLE = [
    (
        "package.json",
        '{"scripts": {"test": "jest --watch"}}',
        "the script `test` of `package.json` cannot be used: `jest",
    ),
    ("Makefile", "test:\n\tprove | tail -5\n", "the target `test` of `Makefile` cannot be used: `| tail -5` hides"),
    ("composer.json", '{"scripts": {"test": ["phpunit || true"]}}', "`|| true` turns every failure into success"),
]


@pytest.mark.parametrize(("file", "text", "words"), UNUSABLE)
def test_what_stands_there_and_cannot_be_used_is_named(tmp_path: Path, file: str, text: str, words: str) -> None:
    done = make_project(tmp_path).write(file, text).ralph("install", "--yes")
    assert done.code == 1 and f"\n  but {words}" in done.err and "hint: ralph-hooks install --command" in done.err


def test_an_agents_install_leaves_no_way_through_the_guard(project: TestProject) -> None:
    """Else `install --no-guard` in a session would take the guard out with a person's token."""
    install(project)
    token = Path(paths.project_dir(str(project.root))) / "token.json"
    token.unlink()
    change = {
        "session_id": "s",
        "cwd": str(project.root),
        "hook_event_name": "ConfigChange",
        "source": "project_settings",
    }
    project.env["CLAUDECODE"] = "1"
    assert install(project, "--no-guard").code == 0
    assert project.ralph("hook", "claude", stdin=json.dumps(change)).code == 2 and not token.exists()


@pytest.mark.parametrize("where", [".", ".claude"])
def test_what_cannot_be_written_is_said_before_anything_is(
    project: TestProject, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may write anywhere, so the system's answer is ours here."""
    from ralph_hooks.errors import RalphError
    from ralph_hooks.install import setup, survey

    (project.root / ".claude").mkdir()
    real, closed = os.access, str(project.root / where)
    monkeypatch.setattr(os, "access", lambda path, mode, **keys: path != closed and real(path, mode, **keys))
    before = tree(project.root)
    with pytest.raises(RalphError, match=r"cannot be changed: .* is not writable"):
        setup.set_up(str(project.root), survey.Options(prove=False), lambda found: found.choice, lambda words: None)
    assert tree(project.root) == before


def test_a_settings_file_that_the_client_ignores_stops_everything(project: TestProject) -> None:
    project.write(".claude/settings.json", '{\n  "a": 1,\n}\n')
    before = tree(project.root)
    done = install(project)
    assert done.code == 1 and "settings.json:2:9`: not JSON: a comma before `}`" in done.err
    assert tree(project.root) == before


def test_a_dry_run_shows_everything_and_writes_nothing(project: TestProject) -> None:
    before = tree(project.root)
    done = install(project, "--dry-run", "--client", "all")
    assert done.code == 0 and tree(project.root) == before
    assert [line for line in done.out.splitlines() if line.startswith("+++")] == [
        "+++ ralph-hooks.toml",
        "+++ .claude/settings.json",
        "+++ .codex/hooks.json",
    ]
    assert "--- /dev/null" in done.out


def test_both_clients(project: TestProject) -> None:
    before = tree(project.root)
    done = install(project, "--client", "all")
    hook = json.loads((project.root / ".codex/hooks.json").read_text())["hooks"]["Stop"][0]["hooks"][0]
    assert hook == {
        "type": "command",
        "command": "ralph-hooks hook codex --within 660",
        "timeout": 660,
        "_id": "ralph-hooks",
    }
    assert "type /hooks" in done.out
    assert project.ralph("uninstall", "--client", "codex").code == 0
    assert not (project.root / ".codex").exists() and (project.root / ".claude").exists()
    project.ralph("uninstall", "--purge")
    assert tree(project.root) == before


@pytest.mark.parametrize(("scope", "file"), [("local", ".claude/settings.local.json"), ("user", "settings.json")])
def test_scopes(project: TestProject, tmp_path: Path, scope: str, file: str) -> None:
    project.env["CLAUDE_CONFIG_DIR"] = str(tmp_path / "claude")
    install(project, "--scope", scope)
    path = (tmp_path / "claude" if scope == "user" else project.root) / file
    assert b"ralph-hooks" in path.read_bytes()
    done = project.ralph("uninstall")
    if scope == "user":
        assert "still has our entry (`--client claude --scope user` takes it out)" in done.out
        project.ralph("uninstall", "--scope", "user")
    assert not path.exists()


def test_json(project: TestProject) -> None:
    done = install(project, "--json")
    data = json.loads(done.out)
    assert done.err == "" and data["checks"][0]["run"] == ["pytest", "-q"]
    assert (data["verdict"], data["within_s"], data["config"]["created"]) == ("GREEN", 660, True)
    assert data["settings"] == [
        {
            "client": "claude",
            "scope": "project",
            "path": str(project.root / ".claude/settings.json"),
            "changed": True,
        }
    ]
    gone = json.loads(project.ralph("uninstall", "--json", "--purge").out)
    assert gone["settings"][0]["gone"] and str(project.root / "ralph-hooks.toml") in gone["removed"]


def test_from_a_subdirectory_the_whole_checkout_is_meant(project: TestProject) -> None:
    (project.root / "src").mkdir()
    inner = TestProject(project.root / "src", project.env)
    assert install(inner).code == 0
    assert (project.root / "ralph-hooks.toml").exists() and not (project.root / "src" / "ralph-hooks.toml").exists()


def test_without_git(tmp_path: Path) -> None:
    made = make_project(tmp_path / "a project", repository=False)
    made.write("test_a.py", GREEN)
    done = install(made, "--command", RUNNER)
    assert done.code == 0 and "this is no git repository" in done.out
    assert "(Claude Code: Stop, ConfigChange, UserPromptSubmit)" in done.out


def test_the_type_checker_and_linter_on_request(project: TestProject) -> None:
    project.write("pyproject.toml", "[tool.pytest.ini_options]\n[tool.ruff]\n[tool.mypy]\n")
    done = install(project, "--dry-run")
    assert "mypy" not in done.out
    done = install(project, "--with", "types", "--with", "lint")
    config = (project.root / "ralph-hooks.toml").read_text()
    assert 'run = ["mypy", "."]' in config and 'run = ["ruff", "check"]' in config
    hook = json.loads((project.root / ".claude/settings.json").read_text())["hooks"]["Stop"][0]["hooks"][0]
    assert hook["timeout"] == 3 * 600 + 60


def test_a_slow_suite_gets_more_time(project: TestProject, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The rule is five times the run in whole minutes; the run is made long by a clock of ours."""
    from ralph_hooks.check import once
    from ralph_hooks.check.verdict import GREEN as PASSED
    from ralph_hooks.check.verdict import CheckResult, Run
    from ralph_hooks.install import setup, survey

    def slow(*args: object, **keys: object) -> Run:
        run = Run("run", 0.0)
        run.checks = [CheckResult("tests", PASSED)]
        run.checks[0].duration = 181.0
        return run

    monkeypatch.setattr(once, "judge", slow)
    options = survey.Options(prove=False)
    outcome = setup.set_up(str(project.root), options, lambda found: found.choice, lambda words: None)
    assert "timeout_s = 960\n" in (project.root / "ralph-hooks.toml").read_text()
    hook = json.loads((project.root / ".claude/settings.json").read_text())["hooks"]["Stop"][0]["hooks"][0]
    assert (hook["timeout"], hook["args"][-1], outcome.seconds) == (1020, "1020", 1020)


def test_asked_only_at_a_terminal(project: TestProject) -> None:
    """One question, one answer; the type checker and linter with a plain yes or no."""
    project.write("pyproject.toml", "[tool.pytest.ini_options]\n[tool.ruff]\n").write("tox.ini", "[testenv]\n")
    ours, theirs = pty.openpty()
    env = os.environ | {"PYTHONPATH": str(REPOSITORY), "TERM": "dumb"} | project.env
    argv = [sys.executable, "-m", "ralph_hooks", "install", "--no-prove", "--dry-run"]
    child = subprocess.Popen(argv, cwd=project.root, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown, answers = b"", [(b"which one decides?", b"2\n"), (b"also ruff check", b"y\n")]
    deadline = time.monotonic() + 60
    while child.poll() is None and time.monotonic() < deadline:
        try:
            shown += os.read(ours, 4096)
        except OSError:
            break
        if answers and answers[0][0] in shown:
            os.write(ours, answers.pop(0)[1])
    assert child.wait(10) == 0 and answers == []
    assert b'run = ["tox"]' in shown and b'run = ["ruff", "check"]' in shown and b"1  pytest -q" in shown


def test_two_installs_at_once(project: TestProject) -> None:
    env = os.environ | {"PYTHONPATH": str(REPOSITORY)} | project.env
    argv = [sys.executable, "-m", "ralph_hooks", "install", "--no-prove", "--yes"]
    racers = [subprocess.Popen(argv, cwd=project.root, env=env, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    ended = [(racer.communicate(timeout=120)[1], racer.returncode) for racer in racers]
    assert sorted(code for _, code in ended) in ([0, 0], [0, 1])
    assert all(code == 0 or "appeared in the meantime" in err for err, code in ended)
    hooks = json.loads((project.root / ".claude/settings.json").read_text())["hooks"]["Stop"]
    assert len(hooks) == 1 and len(hooks[0]["hooks"]) == 1


def test_uninstall_says_when_there_was_nothing(project: TestProject) -> None:
    done = project.ralph("uninstall")
    assert (done.code, done.out) == (0, "nothing of ours was registered here\n")


def test_uninstall_from_a_clone_of_a_teammate(project: TestProject, tmp_path: Path) -> None:
    """Nothing is remembered on this machine about how the file was made; the file itself is enough."""
    project.write(".claude/settings.json", '{\n  "model": "x"\n}\n').commit()
    install(project)
    project.commit("gate")
    git(tmp_path, "clone", "-q", str(project.root), "clone")
    clone = TestProject(tmp_path / "clone", project.env)
    assert clone.ralph("uninstall").code == 0
    assert (clone.root / ".claude/settings.json").read_bytes() == b'{\n  "model": "x"\n}\n'


def test_the_config_alone(project: TestProject) -> None:
    done = install(project, "--config-only")
    assert done.code == 0 and (project.root / "ralph-hooks.toml").exists()
    assert not (project.root / ".claude").exists() and "wrote    ralph-hooks.toml\ntimed" in done.out


def test_the_guard_is_registered_unless_told_otherwise(project: TestProject) -> None:
    project.config('[[check]]\nrun = ["true"]\n[gate]\nsubagents = true\n[guard]\npre_tool_use = true\n')
    install(project)
    path = project.root / ".claude/settings.json"
    hooks = json.loads(path.read_text())["hooks"]
    assert {event: (groups[0].get("matcher"), groups[0]["hooks"][0]["timeout"]) for event, groups in hooks.items()} == {
        "Stop": (None, 660),
        "SubagentStop": (None, 660),
        "ConfigChange": (None, 30),
        "UserPromptSubmit": (None, 30),
        "PreToolUse": ("Edit|MultiEdit|Write|NotebookEdit|Bash", 30),
    }
    install(project, "--no-guard")
    assert sorted(json.loads(path.read_text())["hooks"]) == ["Stop", "SubagentStop"]


def test_a_persons_install_seals_and_an_agents_does_not(project: TestProject) -> None:
    seal = Path(paths.project_dir(str(project.root))) / "seal.json"
    project.env["CLAUDECODE"] = "1"
    assert "a person has yet to approve it: `ralph-hooks seal`" in install(project).out
    assert json.loads(seal.read_text())["pending"] is True
    project.env["CLAUDECODE"] = ""
    install(project)
    sealed = json.loads(seal.read_text())
    assert sealed["pending"] is False
    project.env["CLAUDECODE"] = "1"
    project.write("ralph-hooks.toml", '[[check]]\nrun = ["true"]\n')
    assert install(project).code == 0
    assert json.loads(seal.read_text()) == sealed


def test_an_agent_cannot_uninstall(project: TestProject) -> None:
    install(project)
    project.env["CLAUDECODE"] = "1"
    done = project.ralph("uninstall")
    assert done.code == 2 and "a person's verb" in done.err
    assert (project.root / ".claude/settings.json").exists()


def test_interrupted_while_proving_leaves_nothing(project: TestProject) -> None:
    """^C during the scratch runs: nothing written, nothing left running."""
    mark = project.root.parent / "mark"
    project.write(
        "tests/test_a.py",
        f"import pathlib, time\ndef test_a():\n    pathlib.Path({str(mark)!r}).touch()\n    time.sleep(60)\n",
    )
    before = tree(project.root)
    env = os.environ | {"PYTHONPATH": str(REPOSITORY)} | project.env
    argv = [sys.executable, "-m", "ralph_hooks", "install", "--yes"]
    child = subprocess.Popen(argv, cwd=project.root, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not mark.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=30)
    assert child.returncode == 130 and tree(project.root) == before
    deadline = time.monotonic() + 10
    while running() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert running() == []


def running() -> list[str]:
    """Processes whose HOME is this test's and that run pytest."""
    found = []
    for name in set(os.listdir("/proc")) - {str(os.getpid()), "self", "thread-self"}:
        try:
            environment = Path("/proc", name, "environ").read_bytes()
            words = Path("/proc", name, "cmdline").read_bytes()
        except OSError:
            continue
        if f"HOME={os.environ['HOME']}\0".encode() in environment and b"pytest\0-q" in words:
            found.append(words.decode("utf-8", "replace"))
    return found


def test_a_working_directory_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = (
        "import os, shutil, sys; shutil.rmtree(os.getcwd())\n"
        "from ralph_hooks.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    for verb in ("install", "uninstall", "doctor"):
        gone.mkdir(exist_ok=True)
        argv = [*by_a_person(), sys.executable, "-c", code, verb]
        env = os.environ | {"PYTHONPATH": str(REPOSITORY)}
        done = subprocess.run(argv, cwd=gone, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "the working directory cannot be read" in done.stderr, done.stderr


def test_the_config_in_pyproject_is_a_config_too(project: TestProject) -> None:
    project.write("pyproject.toml", f'[tool.pytest.ini_options]\n[[tool.ralph-hooks.check]]\nrun = "{RUNNER}"\n')
    done = project.ralph("install", timeout=120)
    assert done.code == 0 and "kept     pyproject.toml\n" in done.out and "proved   `" in done.out
    assert not (project.root / "ralph-hooks.toml").exists()
    gone = project.ralph("uninstall", "--purge")
    assert (
        "pyproject.toml, with the table [tool.ralph-hooks]" in gone.out and (project.root / "pyproject.toml").exists()
    )


def test_in_the_home_directory_project_and_user_are_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path(os.environ["HOME"])
    made = make_project(home, repository=False)
    assert install(made, "--command", "true", "--force").code == 0
    assert "2 to repair" not in made.ralph("doctor").out
    assert made.ralph("uninstall").code == 0 and not (home / ".claude").exists()


def test_a_running_session_takes_the_persons_uninstall_and_nobody_elses(project: TestProject) -> None:
    """The guard of a session that goes on refuses the same change when a person has not made it."""
    install(project)
    path = project.root / ".claude/settings.json"
    common = {"session_id": "s", "cwd": str(project.root)}
    prompt = {**common, "hook_event_name": "UserPromptSubmit", "prompt": "go on"}
    change = {**common, "hook_event_name": "ConfigChange", "source": "project_settings", "file_path": str(path)}
    text = path.read_bytes()
    assert project.ralph("hook", "claude", stdin=json.dumps(prompt)).code == 0
    token = Path(paths.project_dir(str(project.root))) / "token.json"
    token.unlink()
    path.unlink()
    assert project.ralph("hook", "claude", stdin=json.dumps(change)).code == 2
    path.write_bytes(text)
    assert project.ralph("uninstall").code == 0 and not path.exists()
    assert project.ralph("hook", "claude", stdin=json.dumps(change)).code == 0
