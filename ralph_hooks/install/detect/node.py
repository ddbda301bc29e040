"""npm, pnpm, yarn and bun by their lock file; whole-workspace commands before affected-only ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ralph_hooks.install import refuse
from ralph_hooks.install.detect.proposal import LINT, TYPES, Proposal
from ralph_hooks.install.place import Place, table

LOOKED_FOR = "a `test` script in package.json (npm, pnpm, yarn, bun)"
LOCKS = {
    "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun", "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}  # fmt: skip
BETTER = ("test:all", "test:ci", "test:run", "ci:test", "test:once", "test:unit", "tests")
AFFECTED = re.compile(
    r"\bnx affected|--filter[= ]\S*\.\.\.\[|--since\b|--onlyChanged\b|--changedSince\b|--findRelatedTests\b|--changed\b"
    r"|\bvitest related\b|\bjest\b.* -o\b|--affected\b|--testmon\b|--picked\b|--last-failed\b|--lf\b"
)
DIRECT = (
    ("vitest", ("vitest", "run")),
    ("jest", ("jest",)),
    ("mocha", ("mocha",)),
    ("ava", ("ava",)),
)


def find(place: Place) -> Iterator[Proposal]:
    """Everything in package.json, the test command first."""
    package = place.json("package.json")
    if not package:
        return
    manager, evidence = manager_of(place, package)
    scripts = {name: body for name, body in table(package, "scripts").items() if isinstance(body, str)}
    yield from _tests(place, package, (manager, evidence), scripts)
    yield from _static(place, manager, scripts)


def manager_of(place: Place, package: dict[str, Any]) -> tuple[str, str]:
    """The package manager and what speaks for it; in a workspace's package the root's lock file does."""
    named = str(package.get("packageManager", "")).split("@")[0]
    if named in LOCKS.values():
        return named, "`packageManager`"
    for where in (place, Place(place.root)):
        lock = where.has(*LOCKS)
        if lock:
            return LOCKS[lock], f"`{where.shown(lock)}`"
    return "npm", "no lock file"


def script(manager: str, name: str) -> tuple[str, ...]:
    """How this manager runs a script. `bun test` would be bun's own runner, not the script."""
    return (manager, "test") if name == "test" and manager != "bun" else (manager, "run", name)


def _tests(place: Place, package: dict[str, Any], by: tuple[str, str], scripts: dict[str, str]) -> Iterator[Proposal]:
    manager, evidence = by
    shown = place.shown("package.json")
    usable = [name for name in ("test", *BETTER) if name in scripts and not refuse.reason(script(manager, name), place)]
    whole = [name for name in usable if not AFFECTED.search(scripts[name])]
    for name in (whole or usable)[:1]:
        why = f"`{shown}` has a `{name}` script, {evidence} says {manager}"
        note = ""
        if name != "test" and "test" in scripts:
            what = "runs only what is affected" if "test" in usable else "cannot be used"
            note = f"`{name}` was preferred, since the script `test` {what}"
        elif not whole:
            note = "this script runs only what is affected; give the whole suite with --command if there is one"
        yield Proposal(ecosystem=manager, run=script(manager, name), why=why, note=note)
    if not usable:
        yield from _direct(place, package, scripts)


def _direct(place: Place, package: dict[str, Any], scripts: dict[str, str]) -> Iterator[Proposal]:
    """The runner itself, where no script can be used."""
    known = {**table(package, "dependencies"), **table(package, "devDependencies")}
    for runner, run in DIRECT:
        if runner in known:
            note = "the script `test` cannot be used, so the runner is called itself" if "test" in scripts else ""
            why = f"`{place.shown('package.json')}` depends on {runner}"
            yield Proposal(ecosystem=runner, run=run, why=why, note=note)
            return
    tests = place.find("*.test.js", "*.test.mjs", "test/**/*.js", "test/**/*.mjs", "src/**/*.test.js")
    if any("node:test" in place.text(name) for name in tests):
        yield Proposal(ecosystem="node", run=("node", "--test"), why=f"`{place.shown(tests[0])}` uses node:test")


def _static(place: Place, manager: str, scripts: dict[str, str]) -> Iterator[Proposal]:
    for kind, names, configs, run in (
        (TYPES, ("typecheck", "type-check", "check-types", "types"), ("tsconfig.json",), ("tsc", "--noEmit")),
        (
            LINT,
            ("lint",),
            (
                "eslint.config.js",
                "eslint.config.mjs",
                "eslint.config.ts",
                ".eslintrc.json",
                ".eslintrc.js",
                ".eslintrc.cjs",
            ),
            ("eslint", "."),
        ),
        (LINT, (), ("biome.json", "biome.jsonc"), ("biome", "check")),
    ):
        named = [
            name
            for name in names
            if name in scripts and "--fix" not in scripts[name] and not refuse.reason(script(manager, name), place)
        ]
        if named:
            why = f"`{place.shown('package.json')}` has a `{named[0]}` script"
            yield Proposal(ecosystem=manager, kind=kind, run=script(manager, named[0]), why=why)
        elif config := place.has(*configs):
            yield Proposal(ecosystem=run[0], kind=kind, run=run, why=f"`{place.shown(config)}` is there")
