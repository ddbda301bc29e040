"""pytest, unittest, Django, tox, nox; mypy, pyright, ruff, flake8."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ralph_hooks.install.detect.proposal import LINT, TYPES, Proposal
from ralph_hooks.install.place import Place, table

LOOKED_FOR = "pytest, unittest, tox and nox (pyproject.toml, pytest.ini, tests/test_*.py …)"
MARKS = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "tox.ini",
    "noxfile.py",
    "pytest.ini",
    "manage.py",
)
RUNNERS = {
    "uv.lock": ("uv", "run"),
    "poetry.lock": ("poetry", "run"),
    "pdm.lock": ("pdm", "run"),
    "Pipfile": ("pipenv", "run"),
}
TEST_FILES = ("test_*.py", "*_test.py", "test*/**/test_*.py", "test*/**/*_test.py", "src/**/test_*.py")


def find(place: Place) -> Iterator[Proposal]:
    """Everything Python in this directory, the best test command first."""
    tests = place.find(*TEST_FILES)
    if not place.has(*MARKS) and (not tests or place.path != "."):
        return
    yield from _tests(place, tests)
    yield from _wide(place)
    yield from _static(place)


def _tests(place: Place, tests: list[str]) -> Iterator[Proposal]:
    prefix = _prefix(place)
    if why := _pytest(place, tests):
        yield Proposal(ecosystem="pytest", run=(*prefix, "pytest", "-q"), why=why)
    elif place.has("manage.py"):
        run = (*prefix, "python", "manage.py", "test")
        yield Proposal(ecosystem="django", run=run, why=f"`{place.shown('manage.py')}` is there")
    elif tests:
        first = place.shown(tests[0])
        start = tests[0].split("/")[0] if "/" in tests[0] and not place.has("tests/__init__.py") else ""
        run = (*prefix, "python", "-m", "unittest", *(["discover", "-s", start] if start else []))
        yield Proposal(ecosystem="unittest", run=run, why=f"`{first}` uses unittest")


def _pytest(place: Place, tests: list[str]) -> str:
    """The sentence that speaks for pytest, or ""."""
    project = place.toml("pyproject.toml")
    for name, found in (
        ("pyproject.toml", "pytest" in table(project, "tool")),
        ("setup.cfg", "[tool:pytest]" in place.text("setup.cfg")),
        ("tox.ini", re.search(r"^\[pytest\]", place.text("tox.ini"), re.M)),
        ("pytest.ini", place.has("pytest.ini")),
        (".pytest.ini", place.has(".pytest.ini")),
    ):
        if found:
            return f"`{place.shown(name)}` configures pytest"
    if conftest := place.has("conftest.py", "tests/conftest.py", "test/conftest.py"):
        return f"`{place.shown(conftest)}` is there"
    for name in (
        "pyproject.toml",
        "setup.cfg",
        "setup.py",
        "Pipfile",
        *place.find("*requirements*.txt", "requirements/*.txt"),
    ):
        if re.search(r"(?<![\w-])pytest(?![\w-])", place.text(name)):
            return f"`{place.shown(name)}` names pytest"
    for name in tests:
        if re.search(r"^(?:import|from) pytest\b|^(?:async )?def test_", place.text(name), re.M):
            return f"`{place.shown(name)}` is written for pytest"
    return ""


def _prefix(place: Place) -> tuple[str, ...]:
    return next((run for lock, run in RUNNERS.items() if place.has(lock)), ())


def _wide(place: Place) -> Iterator[Proposal]:
    tox = place.has("tox.ini", "tox.toml") or (
        "pyproject.toml" if table(place.toml("pyproject.toml"), "tool", "tox") else ""
    )
    if tox and re.search(r"^\[(?:testenv|tox)|env_list|tool\.tox", place.text(tox), re.M):
        yield Proposal(
            ecosystem="tox",
            run=("tox",),
            why=f"`{place.shown(tox)}` defines environments",
            note="runs every environment, so it may be slow",
        )
    if place.has("noxfile.py"):
        yield Proposal(
            ecosystem="nox",
            run=("nox",),
            why=f"`{place.shown('noxfile.py')}` is there",
            note="runs every default session, so it may be slow",
        )


def _static(place: Place) -> Iterator[Proposal]:
    tools = table(place.toml("pyproject.toml"), "tool")
    setup, prefix = place.text("setup.cfg"), _prefix(place)
    for ecosystem, kind, run, own, section in (
        ("mypy", TYPES, ("mypy",), ("mypy.ini", ".mypy.ini"), "[mypy]"),
        ("pyright", TYPES, ("pyright",), ("pyrightconfig.json",), "[pyright]"),
        ("ruff", LINT, ("ruff", "check"), ("ruff.toml", ".ruff.toml"), "[ruff]"),
        ("flake8", LINT, ("flake8",), (".flake8",), "[flake8]"),
    ):
        where = place.has(*own) or ("pyproject.toml" if ecosystem in tools else "setup.cfg" if section in setup else "")
        if where:
            target = (".",) if ecosystem == "mypy" and not _names_files(place, where) else ()
            why = f"`{place.shown(where)}` configures {ecosystem}"
            yield Proposal(ecosystem=ecosystem, kind=kind, run=(*prefix, *run, *target), why=why)


def _names_files(place: Place, where: str) -> bool:
    if where == "pyproject.toml":
        return bool({"files", "packages", "modules"} & set(table(place.toml(where), "tool", "mypy")))
    return bool(re.search(r"^(?:files|packages|modules)\s*=", place.text(where), re.M))
