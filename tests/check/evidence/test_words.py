"""Which runner a check names."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.registry import recognise_all
from ralph_hooks.check.evidence.words import simple_commands, split

ARGV = [
    ("pytest -q", ["pytest"]),
    (".venv/bin/pytest tests", ["pytest"]),
    ("python3.12 -X dev -W error -m pytest -q", ["pytest"]),
    ("uv run --with pytest-cov --frozen pytest", ["pytest"]),
    ("uv run -m pytest", ["pytest"]),
    ("uv run --python 3.12 -- python -m pytest", ["pytest"]),
    ("poetry run pytest", ["pytest"]),
    ("pipenv run python -m unittest", ["unittest"]),
    ("conda run -n env pytest", ["pytest"]),
    ("coverage run --source=x --branch -m pytest", ["pytest"]),
    ("python -m coverage run --rcfile x -m unittest discover", ["unittest"]),
    ("env A=1 -u B timeout -k 5 60 nice -n 5 pytest", ["pytest"]),
    ("python manage.py test", ["unittest"]),
    ("coverage run manage.py test", ["unittest"]),
    ("npx --yes jest --ci", ["jest"]),
    ("npm exec -- vitest run", ["vitest"]),
    ("pnpm exec mocha", ["mocha"]),
    ("pnpm --dir web vitest run", ["vitest"]),
    ("yarn jest", ["jest"]),
    ("yarn run jest", ["jest"]),
    ("bunx vitest run", ["vitest"]),
    ("nyc --reporter=lcov mocha", ["mocha"]),
    ("c8 node --test", ["node"]),
    ("node --test --import tsx test/", ["node"]),
    ("node --experimental-vm-modules node_modules/jest/bin/jest.js", ["jest"]),
    ("node -r ts-node/register node_modules/.bin/mocha", ["mocha"]),
    ("cross-env NODE_ENV=test jest", ["jest"]),
    ("react-scripts test", ["jest"]),
    ("npx --yes vitest@latest run", ["vitest"]),
    ("pnpm dlx jest@29", ["jest"]),
    ("hatch test -v", ["pytest"]),
    ("hatch build", []),
    ("tox -q", []),
    ("make test", []),
    ("npm test", []),
    ("pip install pytest", []),
    ("node test.js", []),
    ("cat jest.log", []),
    ("python conftest.py", []),
]
BODIES = [
    ("set -euo pipefail\ncd api && pytest -q # not jest\ncd ../web; npx vitest run", ["pytest", "vitest"]),
    ("if ! pytest > out.txt 2>&1; then\n  exit 1\nfi", ["pytest"]),
    ("# pytest\necho 'pytest && jest'", []),
    ('bash -lc "cd web && jest"', ["jest"]),
    ("echo it's; pytest", ["pytest"]),
    ("pytest a; pytest b", ["pytest"]),
    ('"$PYTHON" -m pytest', ["pytest"]),
    ("${PYTHON:-python3} -m unittest", ["unittest"]),
    ("command -v pytest && pip install pytest", []),
    ("pytest 2>&1 | tee log; exit ${PIPESTATUS[0]}", ["pytest"]),
    ("[ -d web ] && (cd web && exec npx jest --ci)", ["jest"]),
    ("(cd a; A=b mocha)", ["mocha"]),
    ("coverage run \\\n  -m pytest | tee log", ["pytest"]),
    ("tsc -p . && jest --coverage", ["jest"]),
]


@pytest.mark.parametrize(("line", "runners"), ARGV)
def test_argv_names_the_runner(line: str, runners: list[str]) -> None:
    assert recognise_all(line.split()) == runners


@pytest.mark.parametrize(("body", "runners"), BODIES)
def test_the_script_body_names_the_runners(body: str, runners: list[str]) -> None:
    assert recognise_all(["bash", "-c", body]) == runners
    assert recognise_all(["npm", "test"], body) == runners


def test_a_shell_text_is_split_into_plain_words() -> None:
    assert split('a \'b c\' "d \\"e" f\\ g >/dev/null 2>&1 <in && h') == [["a", "b c", 'd "e', "f g"], ["h"]]


def test_a_deep_or_endless_wrapper_ends() -> None:
    assert simple_commands(["env"] * 400 + ["pytest"]) == [["env"] + ["env"] * 387 + ["pytest"]]
    assert simple_commands([]) == []
    assert simple_commands(["bash", "-c"]) == [["bash", "-c"]]
