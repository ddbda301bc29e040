"""I1: the test command of a project, and what speaks for it. The files are what each ecosystem's own tool writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ralph_hooks.install.detect import LINT, TYPES, Found, detect

Files = dict[str, str]


def made(root: Path, files: Files) -> Found:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return detect(str(root))


def package(**keys: object) -> str:
    return json.dumps({"name": "shop", "version": "1.0.0", **keys})


def scripts(**named: str) -> str:
    return package(scripts={name.replace("_", ":"): body for name, body in named.items()})


PYTEST = "def test_one():\n    assert True\n"
UNITTEST = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_one(self):\n        pass\n"
CARGO = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2024"\n\n[dependencies]\n'

# Name: files -> the first choice and its evidence.
PROJECTS: dict[str, tuple[Files, str, str]] = {
    "pytest by config": (
        {"pyproject.toml": "[tool.pytest.ini_options]\n"},
        "pytest -q",
        "`pyproject.toml` configures pytest",
    ),
    "pytest 9 table": ({"pyproject.toml": "[tool.pytest]\n"}, "pytest -q", "`pyproject.toml` configures pytest"),
    "pytest.ini": ({"pytest.ini": "[pytest]\n"}, "pytest -q", "`pytest.ini` configures pytest"),
    "setup.cfg": ({"setup.cfg": "[tool:pytest]\n"}, "pytest -q", "`setup.cfg` configures pytest"),
    "conftest": ({"setup.py": "", "tests/conftest.py": ""}, "pytest -q", "`tests/conftest.py` is there"),
    "uv init --lib, uv add --dev pytest": (
        {
            "pyproject.toml": '[project]\nname = "shop"\n[dependency-groups]\ndev = [\n    "pytest>=9.2.0",\n]\n',
            "uv.lock": "version = 1\n",
            "src/shop/__init__.py": "",
            "tests/test_hello.py": PYTEST,
        },
        "uv run pytest -q",
        "`pyproject.toml` names pytest",
    ),
    "poetry": (
        {"pyproject.toml": '[tool.poetry.group.dev.dependencies]\npytest = "^8"\n', "poetry.lock": ""},
        "poetry run pytest -q",
        "`pyproject.toml` names pytest",
    ),
    "requirements": (
        {"requirements-dev.txt": "pytest==8.1\n", "requirements.txt": ""},
        "pytest -q",
        "`requirements-dev.txt` names pytest",
    ),
    "plain test functions": ({"test_shop.py": PYTEST}, "pytest -q", "`test_shop.py` is written for pytest"),
    "pytest-django is not pytest": (
        {"requirements.txt": "not-pytest-like\n", "manage.py": ""},
        "python manage.py test",
        "`manage.py` is there",
    ),
    "unittest": ({"test_shop.py": UNITTEST}, "python -m unittest", "`test_shop.py` uses unittest"),
    "unittest in a directory": (
        {"setup.py": "", "tests/test_shop.py": UNITTEST},
        "python -m unittest discover -s tests",
        "`tests/test_shop.py` uses unittest",
    ),
    "unittest in a package": (
        {"setup.py": "", "tests/__init__.py": "", "tests/test_shop.py": UNITTEST},
        "python -m unittest",
        "`tests/test_shop.py` uses unittest",
    ),
    "django-admin startproject": (
        {"manage.py": "", "shop/tests.py": "from django.test import TestCase\n"},
        "python manage.py test",
        "`manage.py` is there",
    ),
    "tox alone": ({"tox.ini": "[testenv]\ncommands = x\n"}, "tox", "`tox.ini` defines environments"),
    "nox alone": ({"noxfile.py": "import nox\n"}, "nox", "`noxfile.py` is there"),
    "npm": (
        {"package.json": scripts(test="node --test"), "package-lock.json": "{}"},
        "npm test",
        "`package.json` has a `test` script, `package-lock.json` says npm",
    ),
    "no lock file": (
        {"package.json": scripts(test="jest")},
        "npm test",
        "`package.json` has a `test` script, no lock file says npm",
    ),
    "pnpm": (
        {"package.json": scripts(test="jest"), "pnpm-lock.yaml": "lockfileVersion: '9.0'\n"},
        "pnpm test",
        "`package.json` has a `test` script, `pnpm-lock.yaml` says pnpm",
    ),
    "yarn": (
        {"package.json": scripts(test="jest"), "yarn.lock": ""},
        "yarn test",
        "`package.json` has a `test` script, `yarn.lock` says yarn",
    ),
    "bun": (
        {"package.json": scripts(test="vitest run"), "bun.lock": ""},
        "bun run test",
        "`package.json` has a `test` script, `bun.lock` says bun",
    ),
    "packageManager beats a stale lock": (
        {"package.json": package(packageManager="pnpm@9.1.0", scripts={"test": "jest"}), "package-lock.json": "{}"},
        "pnpm test",
        "`package.json` has a `test` script, `packageManager` says pnpm",
    ),
    "watch mode has a sibling": (
        {"package.json": scripts(test="vitest", test_ci="vitest run")},
        "npm run test:ci",
        "`package.json` has a `test:ci` script, no lock file says npm",
    ),
    "watch mode alone": (
        {"package.json": package(scripts={"test": "vitest"}, devDependencies={"vitest": "^3"})},
        "vitest run",
        "`package.json` depends on vitest",
    ),
    "affected only has a whole sibling": (
        {"package.json": scripts(test="nx affected -t test", test_all="nx run-many -t test")},
        "npm run test:all",
        "`package.json` has a `test:all` script, no lock file says npm",
    ),
    "affected only": (
        {"package.json": scripts(test="jest --onlyChanged")},
        "npm test",
        "`package.json` has a `test` script, no lock file says npm",
    ),
    "no script, node:test": (
        {"package.json": package(), "test/shop.js": "const test = require('node:test')\n"},
        "node --test",
        "`test/shop.js` uses node:test",
    ),
    "cargo new --lib": ({"Cargo.toml": CARGO, "src/lib.rs": ""}, "cargo test", "`Cargo.toml` is a package"),
    "cargo workspace": (
        {"Cargo.toml": '[workspace]\nmembers = ["a"]\n'},
        "cargo test --workspace",
        "`Cargo.toml` is a workspace",
    ),
    "go mod init": ({"go.mod": "module example.com/shop\n\ngo 1.19\n"}, "go test ./...", "`go.mod` is a module"),
    "go work init": (
        {"go.work": "go 1.19\n\nuse (\n\t./a\n\t./b\n)\n"},
        "go test ./a/... ./b/...",
        "`go.work` uses 2 modules",
    ),
    "mvn archetype:generate": ({"pom.xml": "<project/>"}, "mvn -B -ntp test", "`pom.xml` is there"),
    "maven wrapper": ({"pom.xml": "<project/>", "mvnw": ""}, "./mvnw -B -ntp test", "`pom.xml` is there"),
    "gradle init": (
        {"settings.gradle.kts": "", "gradlew": "", "app/build.gradle.kts": ""},
        "./gradlew test",
        "`settings.gradle.kts` is there",
    ),
    "composer init": (
        {"composer.json": '{"scripts": {"test": "phpunit"}}'},
        "composer test",
        "`composer.json` has a `test` script",
    ),
    "phpunit": (
        {"phpunit.xml.dist": "<phpunit/>", "composer.json": "{}"},
        "vendor/bin/phpunit",
        "`phpunit.xml.dist` is there",
    ),
    "bundle init, rspec --init": (
        {"Gemfile": 'source "https://rubygems.org"\n', ".rspec": "--require spec_helper\n", "spec/spec_helper.rb": ""},
        "bundle exec rspec",
        "`.rspec` is there",
    ),
    "rails new": (
        {"Gemfile": "", "bin/rails": "", "test/test_helper.rb": ""},
        "bin/rails test",
        "`bin/rails` and `test` are there",
    ),
    "bundle gem": (
        {"Gemfile": "", "Rakefile": 'require "minitest/test_task"\nMinitest::TestTask.create\n'},
        "bundle exec rake test",
        "`Rakefile` has a test task",
    ),
    "dotnet new sln": ({"shop.sln": ""}, "dotnet test", "`shop.sln` is there"),
    "mix new": ({"mix.exs": ""}, "mix test", "`mix.exs` is there"),
    "deno init": ({"deno.json": '{"tasks": {"dev": "x"}}'}, "deno test", "`deno.json` is there"),
    "deno task": (
        {"deno.json": '{"tasks": {"test": "deno test -A"}}'},
        "deno task test",
        "`deno.json` has a `test` task",
    ),
    "ctest": (
        {"CMakeLists.txt": "project(shop)\nenable_testing()\nadd_test(NAME a COMMAND a)\n"},
        "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure",
        "`CMakeLists.txt` enables tests",
    ),
    "make": ({"Makefile": "CC = cc\n\ntest: all\n\t./run\n"}, "make test", "`Makefile` has a `test` target"),
    "make check": ({"Makefile": "testdata := x\ncheck:\n\t./run\n"}, "make check", "`Makefile` has a `check` target"),
    "just": (
        {"justfile": "default:\n    x\n\ntest *args:\n    cargo test\n"},
        "just test",
        "`justfile` has a `test` target",
    ),
    "npm workspaces": (
        {
            "package.json": package(workspaces=["packages/*"]),
            "package-lock.json": "{}",
            "packages/core/package.json": scripts(test="node --test"),
            "packages/api/package.json": package(),
        },
        "npm test --workspaces --if-present",
        "1 of 2 workspace packages have a `test` script, `package-lock.json` says npm",
    ),
    "pnpm workspace": (
        {
            "package.json": package(),
            "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n  - \"!packages/old\"\nonlyBuilt:\n  - esbuild\n",
            "pnpm-lock.yaml": "",
            "packages/core/package.json": scripts(test="vitest run"),
            "packages/old/package.json": scripts(test="exit 1"),
        },
        "pnpm -r test",
        "1 of 1 workspace packages have a `test` script, `pnpm-lock.yaml` says pnpm",
    ),
    "root script of a workspace": (
        {
            "package.json": package(workspaces=["packages/*"], scripts={"test": "node --test"}),
            "packages/core/package.json": scripts(test="node --test"),
        },
        "npm test",
        "`package.json` has a `test` script, no lock file says npm",
    ),
    "turbo": (
        {"package.json": package(workspaces=["p/*"]), "turbo.json": "{}", "p/a/package.json": scripts(test="x")},
        "turbo run test",
        "`turbo.json` is there",
    ),
}


@pytest.mark.parametrize("name", PROJECTS)
def test_first_choice(tmp_path: Path, name: str) -> None:
    files, command, why = PROJECTS[name]
    found = made(tmp_path, files)
    assert [(proposal.shown, proposal.why) for proposal in found.choice] == [(command, why)]


NOTES = [
    ({"package.json": scripts(test="jest --onlyChanged")}, "this script runs only what is affected"),
    (
        {"package.json": scripts(test="nx affected -t test", test_all="x")},
        "`test:all` was preferred, since the script `test` runs only what is affected",
    ),
    (
        {"package.json": scripts(test="vitest", test_run="vitest run")},
        "`test:run` was preferred, since the script `test` cannot be used",
    ),
    ({"tox.ini": "[testenv]\n"}, "runs every environment"),
]


@pytest.mark.parametrize(("files", "note"), NOTES)
def test_what_it_leaves_out_is_said(tmp_path: Path, files: Files, note: str) -> None:
    assert made(tmp_path, files).choice[0].note.startswith(note)


NOTHING: list[Files] = [
    {},
    {"README.md": "pytest"},
    {"package.json": scripts(test='echo "Error: no test specified" && exit 1')},
    {"package.json": "not json"},
    {"Makefile": "test:\n\tpytest || true\n"},
    {"Makefile": "test := 1\n"},
    {"node_modules/x/package.json": scripts(test="jest")},
    {"pyproject.toml": "[project]\nname = 'x'\n"},
]


@pytest.mark.parametrize("files", NOTHING)
def test_nothing_is_made_up(tmp_path: Path, files: Files) -> None:
    assert made(tmp_path, files).choice == []


def test_a_package_is_tested_with_what_it_needs(tmp_path: Path) -> None:
    """A change in `core` must run the tests of `api` too, at any distance, and of nothing else."""
    test = {"test": "node --test"}
    found = made(
        tmp_path,
        {
            "package.json": package(workspaces={"packages": ["packages/*"]}),
            "package-lock.json": "{}",
            "jest.config.js": "",
            "README.md": "",
            "packages/core/package.json": json.dumps({"name": "@shop/core", "scripts": test}),
            "packages/db/package.json": json.dumps({"name": "@shop/db", "dependencies": {"@shop/core": "*"}}),
            "packages/api/package.json": json.dumps(
                {"name": "@shop/api", "scripts": test, "devDependencies": {"@shop/db": "*", "jest": "1"}}
            ),
        },
    )
    shared = ("jest.config.js", "package-lock.json", "package.json")
    assert {proposal.name: (proposal.cwd, proposal.paths) for proposal in found.packages} == {
        "packages-api-tests": ("packages/api", ("packages/api", "packages/core", "packages/db", *shared)),
        "packages-core-tests": ("packages/core", ("packages/core", *shared)),
    }
    assert found.packages[0].why == "`packages/api/package.json` has a `test` script, which needs 2 other packages"


def test_unrelated_projects_get_one_check_each_without_paths(tmp_path: Path) -> None:
    """Nothing is known of what they need from each other, so each runs on every change."""
    found = made(
        tmp_path,
        {
            "backend/pyproject.toml": "[tool.pytest.ini_options]\n",
            "backend/tests/test_a.py": PYTEST,
            "web/package.json": scripts(test="vitest run"),
            "web/e2e/package.json": scripts(test="playwright test"),
            "docs/readme.md": "",
        },
    )
    assert found.tests == []
    assert [(proposal.name, proposal.cwd, proposal.shown, proposal.paths) for proposal in found.choice] == [
        ("backend-tests", "backend", "pytest -q", ()),
        ("web-tests", "web", "npm test", ()),
    ]


STATIC = [
    ({"pyproject.toml": "[tool.mypy]\nfiles = ['x']\n[tool.ruff]\n"}, [(TYPES, "mypy"), (LINT, "ruff check")]),
    ({"pyproject.toml": "", "mypy.ini": "[mypy]\n", ".flake8": ""}, [(TYPES, "mypy ."), (LINT, "flake8")]),
    ({"pyproject.toml": "", "uv.lock": "", "pyrightconfig.json": "{}"}, [(TYPES, "uv run pyright")]),
    (
        {"package.json": scripts(typecheck="tsc", lint="eslint .")},
        [(TYPES, "npm run typecheck"), (LINT, "npm run lint")],
    ),
    ({"package.json": scripts(lint="eslint --fix"), "tsconfig.json": "{}"}, [(TYPES, "tsc --noEmit")]),
    ({"package.json": package(), "biome.json": "{}"}, [(LINT, "biome check")]),
    ({"Cargo.toml": CARGO, "clippy.toml": ""}, [(LINT, "cargo clippy --all-targets -- -D warnings")]),
    ({"go.mod": "module x\n", ".golangci.yml": ""}, [(LINT, "golangci-lint run")]),
]


@pytest.mark.parametrize(("files", "expected"), STATIC)
def test_type_checker_and_linter_are_offered(tmp_path: Path, files: Files, expected: list[tuple[str, str]]) -> None:
    assert [(proposal.kind, proposal.shown) for proposal in made(tmp_path, files).extra] == expected
