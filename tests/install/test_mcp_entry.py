"""`install --mcp`: our server in `.mcp.json`, and out again byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ralph_hooks.errors import RalphError
from ralph_hooks.install import mcp_entry
from tests.support.project import make_project

OURS = {"command": "ralph-hooks", "args": ["mcp"]}
TEXTS = (
    "{}",
    "{ }\n",
    "{\n}\n",
    '{"mcpServers": {}}',
    '{"mcpServers": {"other": {"command": "x"}}}\n',
    '{\n\t"mcpServers": {\n\t\t"other": {"command": "x", "args": []}\n\t},\n\t"more": 1\n}',
    '{\r\n    "mcpServers" : {\r\n        "a": {},\r\n        "b": {}\r\n    }\r\n}\r\n',
    '{"z": [1, 2,   3]}',
)


@pytest.mark.parametrize("text", TEXTS)
def test_in_and_out_gives_the_same_bytes(text: str) -> None:
    changed = mcp_entry.insert(text)
    assert json.loads(changed)["mcpServers"]["ralph-hooks"] == OURS
    before, after = json.loads(text), json.loads(changed)
    del after["mcpServers"]["ralph-hooks"]
    assert {**before, "mcpServers": before.get("mcpServers", {})} == after
    assert mcp_entry.insert(changed) == changed
    assert mcp_entry.remove(changed) == text


def test_a_file_of_ours_alone_is_gone_afterwards() -> None:
    text = mcp_entry.insert(None)
    assert json.loads(text) == {"mcpServers": {"ralph-hooks": OURS}}
    assert mcp_entry.remove(text) is None


@pytest.mark.parametrize("text", ['{"mcpServers": []}', "[]", '{"mcpServers": {"ralph-hooks": {"command": "else"}}}'])
def test_what_is_not_ours_is_left(text: str) -> None:
    with pytest.raises(RalphError, match="left as it is"):
        mcp_entry.insert(text)
    assert mcp_entry.remove(text) == text


def test_the_verbs(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p").write("check.sh", "exit 0\n").commit()
    project.write(".mcp.json", '{"mcpServers": {"other": {"command": "x"}},}\n')
    install = ("install", "--yes", "--no-prove", "--command", "bash check.sh", "--mcp")
    refused = project.ralph(*install)
    assert refused.code == 1
    assert ".mcp.json:1:43" in refused.err
    assert not (project.root / "ralph-hooks.toml").exists()
    good = '{"mcpServers": {"other": {"command": "x"}}}\n'
    project.write(".mcp.json", good)
    done = project.ralph(*install)
    assert done.code == 0, done.err
    assert ".mcp.json" in done.out
    assert json.loads((project.root / ".mcp.json").read_text())["mcpServers"]["ralph-hooks"] == OURS
    gone = project.ralph("uninstall")
    assert gone.code == 0, gone.err
    assert (project.root / ".mcp.json").read_text() == good
