"""Imports go downward only, children start in one package, the hot path stays light."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.gate import event
from tests.support.project import REPOSITORY, TestProject, make_project

PACKAGE = REPOSITORY / "ralph_hooks"
LAYERS = [
    {"", "__version__", "errors", "files", "paths", "fastjson", "fasthash", "bugs", "resources"},
    {"process"},
    {"plan"},
    {"check"},
    {"ledger"},
    {"gate", "clients", "scripted"},
    {"loop", "install", "demo"},
    {"evolve", "jobs"},
    {"guard", "cli", "mcp", "mcp_server", "hook", "__main__"},
]
STARTERS = {"subprocess", "multiprocessing", "pty", "popen2"}
OS_STARTERS = ("system", "popen", "fork", "forkpty", "exec", "spawn", "posix_spawn")
HEAVY = (
    "click",
    "pydantic",
    "rich",
    "tomllib",
    "subprocess",
    "dataclasses",
    "typing",
    "logging",
    "tempfile",
    "asyncio",
)


def modules() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path, ast.parse(path.read_text())


def room_of(name: str) -> str:
    return name.split(".")[1] if "." in name else name


def level(room: str) -> int:
    return next(number for number, rooms in enumerate(LAYERS) if room in rooms)


def imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            base = node.module or ""
            yield base
            if base == "ralph_hooks":
                yield from (f"ralph_hooks.{alias.name}" for alias in node.names)


def test_imports_go_downward_only() -> None:
    wrong = []
    for path, tree in modules():
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py").replace("__init__", "")
        for name in imports(tree):
            if name.startswith("ralph_hooks.") and level(room_of(name)) > level(room):
                wrong.append(f"{path.relative_to(REPOSITORY)} imports {name}")
    assert not wrong


def test_children_start_in_one_package() -> None:
    wrong = []
    for path, tree in modules():
        if path.parent.name == "process":
            continue
        wrong += [f"{path.name} imports {name}" for name in imports(tree) if name.split(".")[0] in STARTERS]
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
                wrong += [f"{path.name}:{node.lineno} os.{node.attr}"] if node.attr.startswith(OS_STARTERS) else []
    assert not wrong


PROBE = """
import sys, atexit, os
real = os._exit
def leave(code):
    with open(os.environ["PROBE_OUT"], "w") as file:
        file.write("\\n".join(sorted(sys.modules)))
    real(code)
os._exit = leave
sys.argv = ["ralph-hooks", "hook", "claude"]
from ralph_hooks.__main__ import main
main()
"""


def loaded(tmp_path: Path, check: str, setup: str = "") -> list[str]:
    """The modules that the hook process had loaded when it left."""
    project = make_project(tmp_path / "p").config(f"[[check]]\nrun = {check!r}\n{setup}").commit()
    project.ralph("hook", "claude", stdin=json.dumps(event(project, session_id="warm")))  # compiles the plan
    return probe(project, tmp_path)


def probe(project: TestProject, tmp_path: Path) -> list[str]:
    out = tmp_path / "modules"
    env = os.environ | {"PYTHONPATH": str(REPOSITORY), "PROBE_OUT": str(out)}
    data = json.dumps(event(project)).encode()
    argv = [sys.executable, "-c", PROBE]
    subprocess.run(argv, input=data, env=env, cwd=project.root, check=False, capture_output=True)
    return out.read_text().split()


@pytest.mark.parametrize("check", ["true", "exit 1"])
def test_the_hook_never_loads_the_heavy_libraries(tmp_path: Path, check: str) -> None:
    names = loaded(tmp_path, check)
    assert "ralph_hooks.gate.stop" in names
    assert not {"click", "pydantic", "rich", "tomllib"} & set(names)


def test_a_stop_that_runs_nothing_loads_next_to_nothing(tmp_path: Path) -> None:
    names = loaded(tmp_path, "true", "[gate]\nsubagents = false\n")
    before_the_check = [name for name in HEAVY if name in loaded_by_import("ralph_hooks.hook")]
    assert names and not before_the_check


def loaded_by_import(*names: str) -> list[str]:
    code = f"import sys, {', '.join(names)}; print('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(REPOSITORY)!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


HOT = [
    "ralph_hooks.hook", "ralph_hooks.gate.stop", "ralph_hooks.plan.compiled", "ralph_hooks.gate.skip",
    "ralph_hooks.check.once", "ralph_hooks.check.run", "ralph_hooks.ledger.ledger", "ralph_hooks.clients.hosts",
    "ralph_hooks.check.anew", "ralph_hooks.check.digest.foresee", "ralph_hooks.gate.twin",
]  # fmt: skip


def test_the_hot_path_before_the_check_is_os_time_and_our_own_modules() -> None:
    ours = [name for name in loaded_by_import(*HOT) if name.startswith("ralph_hooks")]
    heavy = [
        name
        for name in (
            *HEAVY,
            "json",
            "re",
            "enum",
            "signal",
            "collections",
            "functools",
            "contextlib",
            "threading",
            "hashlib",
            "pathlib",
        )
        if name in loaded_by_import(*HOT)
    ]
    assert not heavy
    assert len(ours) <= 55, ours


def test_a_write_to_the_real_home_is_caught() -> None:
    from tests.conftest import FORBIDDEN, touched

    with pytest.raises(PermissionError, match="real home"):
        os.open(FORBIDDEN[0] + "/x", os.O_WRONLY | os.O_CREAT)
    assert touched
    touched.clear()


def test_remembered_green_loads_no_lock_library(tmp_path: Path) -> None:
    """`filelock` costs more than the rest of such a stop; it is for charges, while a check runs."""
    project = make_project(tmp_path / "p").config("[[check]]\nrun = 'true'\n").commit()
    for _ in range(2):
        project.ralph("hook", "claude", stdin=json.dumps(event(project)))
    names = probe(project, tmp_path)
    assert "ralph_hooks.gate.green" in names
    assert not {"filelock", "re", "json", "subprocess", "logging", "pathlib"} & set(names)
