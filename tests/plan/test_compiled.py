"""The hook's reader and the dataclasses say the same, and the stored plan is used exactly while it holds."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ralph_hooks.plan import compiled
from ralph_hooks.plan.compiled import Plan, plan_for
from ralph_hooks.plan.load import ConfigError, load
from ralph_hooks.plan.locate import Project, find_project
from ralph_hooks.plan.schema import sections
from tests.support.project import REPOSITORY

SET = """
[[check]]
name = "unit"
run = ["pytest", "-q"]
cwd = "packages/api"
timeout_s = 12.5
env = { A = "1", CI = "" }
keep_env = ["GIT_DIR"]
paths = ["src", "tests"]
junit = "out/*.xml"
format = "pytest"
min_tests = 0
flaky_retry = 1
[[check]]
run = "make lint | cat"
[gate]
parallel = true
fail_fast = true
memory = false
memory_inputs = [".env"]
memory_max_age_s = 60
when = "changed"
subagents = true
announce = true
on_release = ["notify", "me"]
[budget]
max_blocks = 3
stall = 0
cannot_run = 1
renew = "prompt"
[background]
ignore = []
max_skips = 0
max_age_s = 0
[feedback]
tail_lines = 0
max_chars = 1000
[loop]
provider = "codex"
max_rounds = 7
round_ceiling = 9
max_report_chars = 300
max_result_chars = 400
tool = true
command = ["agent", "--x"]
[evolve]
pass_threshold = 0.5
stop_on_cycle = true
dispatch = "plugin"
lineage_cap = 2
arguments = ["--model", "x"]
[guard]
pre_tool_use = true
ratchet = "block"
baseline = "new-only"
baseline_setup = ["npm", "ci"]
declare_blocked = true
notes = true
"""
TEXTS = {"defaults": "", "one check": '[[check]]\nrun = "true"\n', "all set": SET}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "ralph-hooks.toml").write_text(SET)
    found = find_project(str(tmp_path))
    assert found
    return found


def write(project: Project, text: str) -> None:
    Path(project.config_path).write_text(text)


def plain(plan: Any) -> Any:
    """A bag as plain values."""
    if isinstance(plan, Plan):
        return {key: plain(value) for key, value in vars(plan).items() if key not in {"digest", "text"}}
    return [plain(value) for value in plan] if isinstance(plan, list) else plan


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_both_readers_agree(project: Project, text: str) -> None:
    write(project, text)
    expected = dataclasses.asdict(load(project.config_path))
    first, second = plan_for(project), plan_for(project)
    assert plain(first) == plain(second) == expected
    assert first.text == second.text == text
    assert first.digest == second.digest
    assert len(first.digest) == 40


def test_the_table_above_sets_every_key() -> None:
    """A key that is added without a value in `SET` would be compared by its default alone."""
    import tomllib

    data = tomllib.loads(SET)
    for name, section in sections().items():
        given = data[name][0] if name == "check" else data[name]
        assert list(given) and {field.name for field in dataclasses.fields(section)} == set(given), name


def test_equal_plans_have_equal_digests(project: Project) -> None:
    write(project, '[[check]]\nrun = "true"\n')
    short = plan_for(project).digest
    write(project, '# the same\n[budget]\nstall = 5\n[[check]]\nname = "true"\ntimeout_s = 600\nrun = "true"\n')
    assert plan_for(project).digest == short
    write(project, '[[check]]\nrun = "false"\n')
    assert plan_for(project).digest != short


def count_compiles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    from ralph_hooks.plan import compile as compiler

    real, calls = compiler.compile_plan, list[str]()

    def compile_plan(path: str, form: str) -> dict[str, str]:
        calls.append(path)
        return real(path, form)

    monkeypatch.setattr(compiler, "compile_plan", compile_plan)
    return calls


def test_compiles_once_per_text_and_version(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = count_compiles(monkeypatch)
    plan_for(project)
    plan_for(project)
    assert len(calls) == 1
    write(project, SET + "# more\n")
    plan_for(project)
    assert len(calls) == 2
    monkeypatch.setattr(compiled, "FORMAT", "2 later")
    plan_for(project)
    plan_for(project)
    assert len(calls) == 3


def damage(stored: bytes, key: str, value: object) -> bytes:
    return json.dumps(json.loads(stored) | {key: value}).encode()


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "half": lambda stored: stored[: len(stored) // 2],
    "not UTF-8": lambda _: b"\xff",
    "a list": lambda _: b"[]",
    "no keys": lambda _: b"{}",
    "other plan": lambda stored: damage(stored, "plan", '{"check":[]}'),
    "plan of another type": lambda stored: damage(stored, "plan", 3),
    "other path": lambda stored: damage(stored, "path", "/elsewhere"),
    "other digest": lambda stored: damage(stored, "digest", "00"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_plan_is_made_again(project: Project, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    good = plain(plan_for(project))
    stored = Path(project.state, "plan.json")
    whole = stored.read_bytes()
    stored.write_bytes(DAMAGE[name](whole))
    calls = count_compiles(monkeypatch)
    assert plain(plan_for(project)) == good
    assert len(calls) == 1
    assert stored.read_bytes() == whole


def test_state_that_cannot_be_written_is_no_obstacle(project: Project) -> None:
    Path(project.state).parent.mkdir(parents=True)
    Path(project.state).write_text("a file where the directory should be")
    assert plan_for(project).check[0].name == "unit"


def test_errors_pass_through_and_leave_the_stored_plan(project: Project) -> None:
    plan_for(project)
    stored = Path(project.state, "plan.json").read_bytes()
    write(project, "[gate]\nmemory = 1\n")
    with pytest.raises(ConfigError, match=r"`gate\.memory` is 1; expected true or false"):
        plan_for(project)
    os.unlink(project.config_path)
    os.mkfifo(project.config_path)
    with pytest.raises(ConfigError, match="is not a regular file"):
        plan_for(project)
    assert Path(project.state, "plan.json").read_bytes() == stored


def test_the_second_reading_imports_nothing_heavy(project: Project) -> None:
    plan_for(project)
    script = (
        "import sys; before = set(sys.modules)\n"
        "from ralph_hooks.plan.locate import find_project\n"
        "from ralph_hooks.plan.compiled import plan_for\n"
        f"assert plan_for(find_project({project.root!r})).check[1].run == 'make lint | cat'\n"
        "print(*sorted(set(sys.modules) - before))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(REPOSITORY)!r})\n{script}"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = [name for name in done.stdout.split() if not name.startswith("ralph_hooks")]
    assert loaded == ["__future__", "_blake2", "_json"]
