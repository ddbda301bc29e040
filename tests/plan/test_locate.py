"""Which directory has a config: a text search only asks the question, the TOML reader answers it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ralph_hooks.plan.compiled import plan_for
from ralph_hooks.plan.locate import config_in, find_project
from tests.support.gate import Stopped, stop
from tests.support.project import REPOSITORY, make_project

HEAD = "[[tool.ralph-hooks.check]]\nrun = ['false']\n"


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        (HEAD, True),
        (f"\ufeff{HEAD}", True),
        (f'[project]\nname = "a"\n\n  {HEAD}', True),
        ("[tool . ralph-hooks]\n", True),
        ('[tool."ralph-hooks"]\n', True),
        ("[ 'tool' . 'ralph-hooks' ]  # ours\n", True),
        ("[tool.ralph-hooks.gate]\nannounce = true\n", True),
        ("[tool]\nralph-hooks.gate.announce = true\n", True),
        ("[tool]\nralph-hooks = {check = [{run = ['false']}]}\n", True),
        ("tool.ralph-hooks.gate.announce = true\n", True),
        ('[a]\nb = """\ntext\n"""\n' + HEAD, True),
        ("[a]\nb = '''\ntext\n'''\n" + HEAD, True),
        (HEAD.replace("\n", "\r\n"), True),
        ("", False),
        ("[tool.ralph-hooks-other]\nx = 1\n", False),
        ("[tool.other]\nralph-hooks = 1\n", False),
        ("# [tool.ralph-hooks]\n", False),
        ('[project]\ndescription = """\nAn example:\n' + HEAD + '"""\n', False),
        ("[project]\ndescription = '''\n[tool.ralph-hooks]\n'''\n", False),
        ('["tool.ralph-hooks"]\nx = 1\n', False),
        ('[a]\nb = [\n  ["tool.ralph-hooks"],\n]\n', False),
        ('[project]\ndependencies = [\n  "ralph-hooks>=1",\n  "ralph-hooks==1",\n]\n', False),
        ('[tool.poetry.dependencies]\nralph-hooks = "^1"\n', False),
        ("[tool]\nralph-hooks = 5\n", True),
        # not TOML: somebody has to say so, and where our table seems to be, that is us
        (HEAD + "x = [\n", True),
        ('[tool.poetry.dependencies]\nralph-hooks = "^1"\nx = [\n', False),
    ],
)
def test_whether_a_pyproject_holds_our_table(tmp_path: Path, text: str, ours: bool) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(text.encode())
    assert config_in(str(tmp_path)) == (str(path) if ours else None)


@pytest.mark.parametrize("data", [b"\xff[tool.ralph-hooks]\n", b"[tool.ralph-hooks]\nx = '\xff'\n"])
def test_bytes_that_are_no_text(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "pyproject.toml").write_bytes(data)
    assert (config_in(str(tmp_path)) is not None) == data.startswith(b"[")


def test_a_table_in_a_string_is_no_project(tmp_path: Path) -> None:
    project = make_project(tmp_path / "shop").write("pyproject.toml", f'[a]\nb = """\n{HEAD}"""\n')
    assert stop(project) == Stopped(0, "", "", {})
    project.write("pyproject.toml", HEAD)
    stop(project).blocks()


def test_the_compiled_plan_spares_the_toml_reader(tmp_path: Path) -> None:
    """A text that the search alone cannot answer for is read as TOML once."""
    root = make_project(tmp_path / "shop").write("pyproject.toml", f'[a]\nb = """\n"""\n{HEAD}').root
    project = find_project(str(root))
    assert project is not None
    plan_for(project)
    code = (
        "import sys\nfrom ralph_hooks.plan.locate import find_project\n"
        "assert find_project('.') and 'tomllib' not in sys.modules"
    )
    env = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    subprocess.run([sys.executable, "-c", code], cwd=root, env=env, check=True)
