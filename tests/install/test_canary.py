"""I10: red stops the agent here, shown by a planted failing test in a scratch copy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ralph_hooks.install import canary
from ralph_hooks.install.place import Place
from ralph_hooks.install.plants import plants
from ralph_hooks.install.scratch import scratch
from tests.support import runners
from tests.support.project import REPOSITORY, make_project

Files = dict[str, str]
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]


@pytest.fixture(autouse=True)
def _this_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))


def prove(
    root: Path, run: list[str] | str, files: Files, *, commit: bool = True, client: str = "claude"
) -> canary.Proof:
    project = make_project(root)
    for name, text in files.items():
        project.write(name, text)
    if commit:
        project.commit()
    before = snapshot(root)
    config = f'[[check]]\nname = "tests"\nrun = {run!r}\ntimeout_s = 120\n'
    (proof,) = canary.prove(str(root), str(root), config, [("tests", ".")], (client, 180))
    assert snapshot(root) == before
    return proof


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file, git's own included: proving leaves no trace."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


GREEN = {"tests/test_a.py": "def test_a():\n    assert True\n"}
RED = {"tests/test_a.py": "def test_a():\n    assert False\n"}


@pytest.mark.parametrize("commit", [True, False], ids=["committed", "no commit yet"])
def test_green_today(tmp_path: Path, commit: bool) -> None:
    proof = prove(tmp_path, PYTEST, GREEN, commit=commit)
    assert (proof.proven, proof.as_is, proof.planted) == (True, "GREEN", "RED")
    assert proof.why == "a planted failing test blocked the stop"


def test_codex(tmp_path: Path) -> None:
    proof = prove(tmp_path, PYTEST, GREEN, client="codex")
    assert (proof.proven, proof.as_is, proof.planted) == (True, "GREEN", "RED")


def test_red_today(tmp_path: Path) -> None:
    proof = prove(tmp_path, PYTEST, RED)
    assert (proof.proven, proof.as_is, proof.planted) == (True, "RED", "RED")


@pytest.mark.slow
def test_red_today_and_the_canary_is_never_reached(tmp_path: Path) -> None:
    proof = prove(tmp_path, [*PYTEST, "-x"], RED)
    assert not proof.proven and not proof.masked
    assert proof.why == "it is RED with the planted test and without"


def test_no_tests_today(tmp_path: Path) -> None:
    proof = prove(tmp_path, PYTEST, {"tests/test_a.py": "X = 1\n"})
    assert (proof.proven, proof.as_is, proof.planted) == (True, "NO_TESTS", "RED")


@pytest.mark.slow
def test_a_selection_that_misses_the_canary_is_unproven(tmp_path: Path) -> None:
    proof = prove(tmp_path, [*PYTEST, "tests/test_a.py"], GREEN)
    assert (proof.proven, proof.planted) == (False, "GREEN")
    assert proof.why == "the planted failing test was not picked up"


def test_a_masked_exit_is_found_by_what_it_printed(tmp_path: Path) -> None:
    script = f"import subprocess\nsubprocess.run({PYTEST!r})\n"
    proof = prove(tmp_path, [sys.executable, "run.py"], {**GREEN, "run.py": script})
    assert proof.masked and not proof.proven
    assert "its exit code is masked" in proof.why


def test_a_kind_without_a_canary_is_unproven(tmp_path: Path) -> None:
    proof = prove(tmp_path, ["true"], {"a.txt": ""})
    assert not proof.proven and proof.as_is == "GREEN"
    assert proof.why == "no failing test is known for this kind of project"


def test_a_command_that_is_missing_is_unproven(tmp_path: Path) -> None:
    proof = prove(tmp_path, ["no-such-runner"], GREEN)
    assert not proof.proven and proof.as_is == "CANNOT_RUN"


WITHOUT_TESTS: dict[str, tuple[list[str], Files]] = {
    "cargo": (
        ["cargo", "test", "--offline"],
        {"Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n', "src/lib.rs": ""},
    ),
    "go": (["go", "test", "./..."], {"go.mod": "module example.com/a\n\ngo 1.19\n", "a.go": "package a\n"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WITHOUT_TESTS)
def test_a_project_that_has_no_tests_yet(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run, files = WITHOUT_TESTS[name]
    runners.need(run[0])
    for variable, value in runners.toolchains().items():
        monkeypatch.setenv(variable, value)
    proof = prove(tmp_path, run, files)
    assert (proof.proven, proof.as_is, proof.planted) == (True, "NO_TESTS", "RED"), proof


SIBLINGS = {
    "src/shop.test.ts": (
        "import { expect, it } from 'vitest'\n",
        "src/ralph-hooks-canary.test.ts",
        "import { test } from 'vitest';",
    ),
    "__tests__/a.js": ("describe('a', () => { it('b', f) })", "__tests__/ralph-hooks-canary.js", "it('ralph"),
    "a.spec.tsx": ("test('x', f)", "ralph-hooks-canary.spec.tsx", "test('ralph"),
    "a_test.ts": ("Deno.test('x', f)", "ralph-hooks-canary_test.ts", "Deno.test('ralph"),
    "src/test/java/com/x/ATest.java": (
        "package com.x;\nimport org.junit.jupiter.api.Test;\n",
        "src/test/java/com/x/RalphHooksCanaryTest.java",
        "package com.x;\nimport org.junit.jupiter.api.Test;",
    ),
    "app/src/test/kotlin/ATest.kt": (
        "package x\nimport kotlin.test.Test\n",
        "app/src/test/kotlin/RalphHooksCanaryTest.kt",
        "import kotlin.test.Test",
    ),
    "Shop.Tests/UnitTest1.cs": (
        "public class T { [Fact] public void A() {} }",
        "Shop.Tests/RalphHooksCanary.cs",
        "using Xunit;",
    ),
    "test/shop_test.exs": ("", "test/ralph_hooks_canary_test.exs", "use ExUnit.Case"),
    "test/models/user_test.rb": (
        'require "test_helper"\nclass UserTest < ActiveSupport::TestCase\n',
        "test/models/ralph_hooks_canary_test.rb",
        "< ActiveSupport::TestCase",
    ),
    "shop/tests.py": ("from django.test import TestCase\n", "shop/test_ralph_hooks_canary.py", "unittest.TestCase"),
    "tests/ATest.php": ("<?php\nnamespace App\\Tests;\n", "tests/RalphHooksCanaryTest.php", "namespace App\\Tests;"),
}


@pytest.mark.parametrize("sibling", SIBLINGS)
def test_the_canary_is_written_like_its_sibling(tmp_path: Path, sibling: str) -> None:
    text, path, holds = SIBLINGS[sibling]
    (tmp_path / sibling).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / sibling).write_text(text)
    (plant,) = plants(Place(str(tmp_path)))
    assert plant.path == path and holds in plant.text and "planted by ralph-hooks" in plant.text


def test_the_scratch_copy_is_the_tree_as_it_stands(tmp_path: Path) -> None:
    project = make_project(tmp_path / "a project")
    project.write("kept.txt", "1").write("deleted.txt", "2").write("sub/x.txt", "3").write(
        ".gitignore", "node_modules\n.env\nout\n"
    )
    project.commit()
    (project.root / "deleted.txt").unlink()
    project.write("kept.txt", "changed").write("new.txt", "4").write("node_modules/dep/i.js", "5").write(
        ".env", "A=1"
    ).write("out/big", "6")
    os.symlink("kept.txt", project.root / "link")
    with scratch(str(project.root)) as place:
        copy = Path(place)
        assert copy.name == "a project" and copy != project.root
        assert (copy / "kept.txt").read_text() == "changed" and (copy / "new.txt").read_text() == "4"
        assert not (copy / "deleted.txt").exists() and not (copy / "out").exists()
        assert (copy / "node_modules").is_symlink() and (copy / "node_modules/dep/i.js").read_text() == "5"
        assert (copy / ".env").read_text() == "A=1" and not (copy / ".env").is_symlink()
        assert os.readlink(copy / "link") == "kept.txt"
        log = subprocess.run(["git", "log", "--oneline"], cwd=copy, capture_output=True, text=True, check=True).stdout
        assert log.endswith("work\n")
    assert not copy.exists()


def test_a_scratch_copy_without_git(tmp_path: Path) -> None:
    make_project(tmp_path, repository=False).write("a.py", "1").write("node_modules/x.js", "2").write("build/y", "3")
    with scratch(str(tmp_path)) as place:
        assert sorted(name.name for name in Path(place).iterdir()) == ["a.py", "node_modules"]
        assert (Path(place) / "node_modules").is_symlink()


def test_too_much_to_copy_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ralph_hooks.install.scratch.MOST_FILES", 1)
    project = make_project(tmp_path).write("a.py", "").write("b.py", "")
    (proof,) = canary.prove(str(project.root), str(project.root), None, [("tests", ".")], ("claude", 60))
    assert not proof.proven and proof.why.startswith("no scratch copy could be made: more than 1 files")


def test_a_checkout_in_which_git_set_its_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = make_project(tmp_path / "other").commit()
    project = make_project(tmp_path / "shop").write("a.py", "1").commit()
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    with scratch(str(project.root)) as place:
        assert (Path(place) / "a.py").read_text() == "1"
