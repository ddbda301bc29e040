"""Projects as the ecosystems' own tools make them, here and now (I1)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ralph_hooks.install.detect import detect
from tests.support import runners

pytestmark = pytest.mark.slow

# Name: the commands, and the first choice afterwards ("" = nothing is made up).
MADE: dict[str, tuple[list[str], str]] = {
    "npm init": (["npm init -y"], ""),
    "npm init, a script": (["npm init -y", "npm pkg set scripts.test='node --test'"], "npm test"),
    "npm workspaces": (
        ["npm init -y", "npm pkg delete scripts.test", "npm init -y -w packages/core", "npm init -y -w packages/api",
         "npm pkg set scripts.test='node --test' -w packages/core"],
        "npm test --workspaces --if-present",
    ),
    "cargo new": (["cargo new --vcs none shop", "mv shop/* ."], "cargo test"),
    "cargo workspace": (
        ["cargo new --vcs none --lib a", "printf '[workspace]\\nmembers = [\"a\"]\\n' > Cargo.toml"],
        "cargo test --workspace",
    ),
    "go mod init": (["go mod init example.com/shop"], "go test ./..."),
    "go work init": (
        ["mkdir a b", "cd a && go mod init example.com/a", "cd b && go mod init example.com/b", "go work init ./a ./b"],
        "go test ./a/... ./b/...",
    ),
    "rspec --init": (["rspec --init"], "rspec"),
    "bundle init, rspec --init": (["bundle init", "rspec --init"], "bundle exec rspec"),
    "composer init": (["composer init -n --name=acme/shop"], ""),
    "composer init, a script": (
        ["composer init -n --name=acme/shop", "composer config scripts.test phpunit"],
        "composer test",
    ),
    "uv init": (
        ["uv init --lib --vcs none .", "mkdir tests", "echo 'def test_a(): pass' > tests/test_a.py"],
        "pytest -q",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_first_choice(tmp_path: Path, name: str) -> None:
    commands, expected = MADE[name]
    tools = {line.split()[0] for line in commands if line.split()[0] not in ("mkdir", "mv", "printf", "echo", "cd")}
    for tool in sorted(tools):
        runners.need(tool)
    env = os.environ | runners.toolchains() | {"COMPOSER_ALLOW_SUPERUSER": "1"}
    env["PATH"] = f"{os.path.dirname(sys.executable)}:{env['PATH']}"
    for line in commands:
        done = subprocess.run(line, shell=True, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
    assert " / ".join(proposal.shown for proposal in detect(str(tmp_path)).choice) == expected
