"""I2 and cases 4 and 8: what could never turn red or never end is not a check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ralph_hooks.install import refuse
from ralph_hooks.install.place import Place

REFUSED = [
    ("npm test | tail -5", "`| tail -5` hides the exit code of `npm test`"),
    ("pytest || true", "`|| true` turns every failure into success"),
    ("pytest || :", "`|| :` turns every failure into success"),
    ("pytest || echo failed", "`|| echo failed` turns every failure into success"),
    ("pytest||exit 0", "`|| exit 0` turns every failure into success"),
    ("pytest; true", "`; true` decides the exit code, not the tests"),
    ("pytest ; exit 0", "`; exit 0` decides the exit code, not the tests"),
    ("pytest\necho done", "`; echo done` decides the exit code, not the tests"),
    ("cd web && npm test; true;", "`; true` decides the exit code, not the tests"),
    ("pytest &", "the trailing `&` leaves before the tests have run"),
    ("(pytest || true)", "`|| true` turns every failure into success"),
    ("pytest 2>&1 | tee log", "`| tee log` hides the exit code of `pytest`"),
    (["bash", "-c", "pytest || true"], "`|| true` turns every failure into success"),
    (["sh", "-ec", "pytest | head"], "`| head` hides the exit code of `pytest`"),
    ("vitest", "`vitest` waits for changes for ever"),
    (["vitest"], "`vitest` waits for changes for ever"),
    ("npx vitest --coverage", "`vitest` waits for changes for ever"),
    ("vitest watch", "`vitest` waits for changes for ever"),
    ("yarn vitest", "`vitest` waits for changes for ever"),
    ("jest --watch", "`jest --watch` waits for changes for ever"),
    ("jest --watchAll", "`jest --watchAll` waits for changes for ever"),
    ("ng test", "`ng test` waits for changes for ever"),
    ("react-scripts test", "`react-scripts test` waits for changes for ever"),
    ("CI=false react-scripts test", "`react-scripts test` waits for changes for ever"),
    ("cross-env NODE_ENV=test mocha -w", "`mocha -w` waits for changes for ever"),
    ("node --test --watch", "`node --watch` waits for changes for ever"),
    ("cargo watch -x test", "`cargo watch` waits for changes for ever"),
    ("ptw", "`ptw` waits for changes for ever"),
    ("./gradlew test --continuous", "`gradlew --continuous` waits for changes for ever"),
    ("pytest --collect-only", "`pytest --collect-only` only lists the tests"),
    ("cargo test --no-run", "`cargo --no-run` only builds the tests"),
    ("mvn -B -fn test", "`mvn -fn` never fails"),
    ("make -i test", "`make -i` ignores failures"),
    ("uv run pytest --co", "`pytest --co` only lists the tests"),
]
ALLOWED: list[str | list[str]] = [
    "pytest -q",
    ["pytest", "-q", "||", "true"],
    "set -o pipefail; npm test | tail -5",
    "set -euo pipefail\nnpm test | tail -5",
    ["bash", "-o", "pipefail", "-c", "pytest | tail"],
    "cd web && npm test",
    "pytest $(git ls-files | grep test_)",
    "pytest `cat list | head -5`",
    "test $((1 | 2)) && pytest",
    "cd web; npm test",
    "pytest 2>&1",
    "pytest > log 2>&1",
    "pytest &> log",
    "npm test || npm run test:slow",
    "pytest -k 'not slow; true'",
    'pytest -k "a || true"',
    "vitest run",
    "vitest --run",
    "npx vitest run --coverage",
    "vitest --watch=false",
    "jest --watchAll=false",
    "jest --ci",
    "ng test --watch=false --browsers=ChromeHeadless",
    "CI=true react-scripts test",
    "karma start --single-run",
    "start-server & npm test",
    "docker compose up -d; pytest",
    "make -k test",
    "mvn -B test",
    "unbalanced 'quote || true",
    "tsc --noEmit",
    "",
]


@pytest.mark.parametrize(("run", "words"), REFUSED)
def test_refused(tmp_path: Path, run: str | list[str], words: str) -> None:
    found = refuse.reason(run, Place(str(tmp_path)))
    assert found and found[0] == words and found[1]


@pytest.mark.parametrize("run", ALLOWED)
def test_allowed(tmp_path: Path, run: str | list[str]) -> None:
    assert refuse.reason(run, Place(str(tmp_path))) is None


SCRIPTS = [
    ({"test": 'echo "Error: no test specified" && exit 1'}, ["npm", "test"], "is npm's placeholder: no test specified"),
    ({"test": "vitest"}, ["npm", "test"], "cannot be used: `vitest` waits for changes for ever"),
    ({"test": "npm run unit", "unit": "jest --watch"}, ["pnpm", "test"], "`jest --watch` waits for changes for ever"),
    ({"test": "jest | cat"}, ["yarn", "test"], "`| cat` hides the exit code of `jest`"),
    ({"unit": "jest || true"}, ["yarn", "unit"], "`|| true` turns every failure into success"),
    ({"test": "jest", "posttest": "vitest"}, ["npm", "t"], "the script `posttest`"),
    ({"test": "jest"}, ["npm", "test"], None),
    ({"test": "npm test"}, ["npm", "test"], None),
    ({"test": "vitest", "test:ci": "vitest run"}, ["npm", "run", "test:ci"], None),
    ({"test": 3}, ["npm", "test"], None),
]


@pytest.mark.parametrize(("scripts", "run", "words"), SCRIPTS)
def test_package_scripts_are_read(tmp_path: Path, scripts: dict[str, str], run: list[str], words: str | None) -> None:
    (tmp_path / "package.json").write_text(json.dumps({"scripts": scripts}))
    found = refuse.reason(run, Place(str(tmp_path)))
    assert found is None if words is None else found and words in found[0]


TARGETS = [
    ("Makefile", "test:\n\t-pytest\n", ["make", "test"], "its line starts with `-`"),
    ("Makefile", "test: build\n\t@echo hi\n\tpytest || true\n", ["make", "test"], "`|| true` turns every failure"),
    ("Makefile", "build:\n\ttrue\ntest: build\n\tpytest -q\nlint:\n\tx || true\n", ["make", "test"], None),
    ("Makefile", "test:\n\tpytest \\\n\t  -q || true\n", ["make", "test"], "`|| true` turns every failure"),
    ("justfile", "test *args:\n    pytest {{args}} | tail\n", ["just", "test"], "`| tail` hides"),
    ("justfile", "test:\n    pytest\n\nother:\n    x || true\n", ["just", "test"], None),
]


@pytest.mark.parametrize(("file", "text", "run", "words"), TARGETS)
def test_recipes_are_read(tmp_path: Path, file: str, text: str, run: list[str], words: str | None) -> None:
    (tmp_path / file).write_text(text)
    found = refuse.reason(run, Place(str(tmp_path)))
    assert found is None if words is None else found and words in found[0]
