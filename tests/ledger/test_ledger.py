"""The ledger survives what others do to it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ralph_hooks.ledger import ledger
from ralph_hooks.plan.locate import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(str(tmp_path), str(tmp_path), str(tmp_path / "ralph-hooks.toml"))


@pytest.mark.parametrize(
    ("line", "ours"),
    [
        (b'{"session":"s","decision":"BLOCK"}', True),
        (b'{"session":null}', True),
        (b'{"session":{"a":1}}', False),
        (b'{"decision":["BLOCK"]}', False),
        (b'{"at":5}', False),
        (b'["BLOCK"]', False),
        (b'{"session":"s"', False),
        (b"\xff", False),
        (b"", False),
    ],
)
def test_a_line_that_is_not_of_our_making_is_left_out(line: bytes, ours: bool) -> None:
    assert (ledger.parse(line) is not None) == ours


def test_a_torn_last_line_stays_apart(project: Project) -> None:
    ledger.append(project, {"n": 1})
    path = Path(project.state, ledger.NAME)
    path.write_bytes(path.read_bytes() + b'{"n": 2, "half')
    assert ledger.append(project, {"n": 3})
    assert [record["n"] for record in ledger.read(project)] == [1, 3]


def test_a_full_ledger_is_set_aside_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "ROTATE_BYTES", 200)
    for n in range(4):
        ledger.append(project, {"n": n, "fill": "x" * 150})
    assert [record["n"] for record in ledger.read(project)] == [2, 3]
    assert os.stat(os.path.join(project.state, ledger.NAME)).st_mode & 0o777 == 0o600
