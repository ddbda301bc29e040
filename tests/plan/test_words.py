"""Which text a check runs beside its own words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ralph_hooks.plan.config import Check
from ralph_hooks.plan.words import script_body

SCRIPTS = {
    "test": "npm run lint && npm run test:unit",
    "lint": "eslint .",
    "test:unit": "jest --ci",
    "test:e2e": "playwright test",
    "all": "run-s lint 'test:*'",
    "round": "npm run round",
    "number": 5,
}
BODIES: list[tuple[list[str] | str, list[str]]] = [
    (["npm", "test"], ["npm run lint && npm run test:unit", "eslint .", "jest --ci"]),
    (["pnpm", "run", "test:unit"], ["jest --ci"]),
    ("npm run lint; yarn test:e2e", ["npm run lint; yarn test:e2e", "eslint .", "playwright test"]),
    (["npm", "run", "all"], ["run-s lint 'test:*'", "eslint .", "jest --ci", "playwright test"]),
    (["npm", "run", "round"], ["npm run round"]),
    (["npm", "run", "number"], []),
    (["npm", "run", "missing"], []),
    (["bash", "-c", "pytest -q"], ["pytest -q"]),
    (["bash", "ci/test.sh"], ["set -e\nnpm run lint\n", "eslint ."]),
    (["./run"], ["#!/usr/bin/env bash\npytest -q\n"]),
    (["./tool.py"], []),
    (["./missing"], []),
    (["pytest", "-q"], []),
    ("pytest -q", ["pytest -q"]),
    ('echo "open', ['echo "open']),
]


@pytest.mark.parametrize(("run", "parts"), BODIES)
def test_the_body_holds_every_script_behind_the_check(tmp_path: Path, run: list[str] | str, parts: list[str]) -> None:
    (tmp_path / "package.json").write_text(json.dumps({"scripts": SCRIPTS}))
    (tmp_path / "ci").mkdir()
    (tmp_path / "ci/test.sh").write_text("set -e\nnpm run lint\n")
    (tmp_path / "run").write_text("#!/usr/bin/env bash\npytest -q\n")
    (tmp_path / "tool.py").write_text("#!/usr/bin/env python3\nimport pytest\n")
    assert script_body(Check(run=run), str(tmp_path)) == "\n".join(parts)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"scripts": []}', '{"scripts": {"test": null}}', '"x"'])
def test_a_package_json_that_cannot_be_used_gives_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "package.json").write_text(text)
    assert script_body(Check(run=["npm", "test"]), str(tmp_path)) == ""


def test_the_directory_of_the_check_counts(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "web/package.json").write_text(json.dumps({"scripts": {"test": "vitest run"}}))
    assert script_body(Check(run=["npm", "test"], cwd="web"), str(tmp_path)) == "vitest run"
