"""What the README shows is what happens."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.project import REPOSITORY, make_project, ralph

README = (REPOSITORY / "README.md").read_text()


def test_the_story_on_the_first_screen_is_the_demos(tmp_path: Path) -> None:
    story = README.split("```text\n", 1)[1].split("```", 1)[0]
    told = ralph("demo", "--protocol", cwd=tmp_path).out
    place = 0
    for line in [line for line in story.splitlines() if "…" not in line]:
        place = told.find(line, place)
        assert place >= 0, f"the demo does not say: {line!r}"
    assert README.index("```text") < 600, "the first screen shows a blocked stop"


def test_the_marked_commands_are_there_for_ci() -> None:
    for mark in ("demo", "install-tests", "tests"):
        block = README.split(f"<!-- {mark} -->", 1)[1].split("<!-- end -->", 1)[0]
        assert len(re.findall(r"^```bash\n(.+)\n```$", block, re.M)) == 1


def test_every_link_leads_somewhere() -> None:
    for path in [REPOSITORY / "README.md", REPOSITORY / "AGENTS.md", *(REPOSITORY / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text()):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


@pytest.mark.usefixtures("installed")
def test_the_everyday_commands_run(tmp_path: Path) -> None:
    project = make_project(tmp_path / "shop").config("[[check]]\nrun = ['true']\n").commit()
    block = README.split("## Everyday commands", 1)[1].split("```bash\n", 1)[1].split("```", 1)[0]
    commands = [line.split("#")[0].replace(" -f", "").split() for line in block.splitlines() if line]
    assert len(commands) >= 4
    for words in commands:
        done = subprocess.run(words, cwd=project.root, capture_output=True, text=True, check=False)
        assert done.returncode in ((0, 1) if words[1] == "doctor" else (0,)), (words, done)


@pytest.mark.usefixtures("installed")
def test_the_config_that_it_shows_is_one(tmp_path: Path) -> None:
    text = README.split("```toml\n", 1)[1].split("```", 1)[0]
    project = make_project(tmp_path / "shop").config(text).write("test_x.py", "def test_x(): pass\n").commit()
    assert shutil.which("ralph-hooks")
    project.env["PATH"] = os.pathsep.join([os.environ["PATH"], os.path.dirname(sys.executable)])  # for `pytest`
    done = project.ralph("check", "--json")
    assert done.code == 0 and '"passed": 1' in done.out, done
