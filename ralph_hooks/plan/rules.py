"""What the types cannot say: names are unique, paths stay inside the project, nothing holds a NUL."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace

from ralph_hooks.plan.config import Check, Config
from ralph_hooks.plan.diagnose import Problem, dotted, shown
from ralph_hooks.plan.positions import Key

NAME_CHARS = 60


def named(config: Config) -> Config:
    """The config with a name for every check."""
    return replace(config, check=[replace(check, name=check.name or name_of(check.run)) for check in config.check])


def name_of(run: list[str] | str) -> str:
    """A check's name made from what it runs: on one line, printable, cut."""
    words = " ".join(run) if isinstance(run, list) else run
    text = " ".join("".join(c if c.isprintable() else " " for c in words).split())
    return text if len(text) <= NAME_CHARS else text[: NAME_CHARS - 1].rstrip() + "…"


def problems(config: Config) -> list[Problem]:
    """What is wrong with a config whose types are right. `config` has its names."""
    found: list[Problem] = []
    for position, check in enumerate(config.check):
        found += _of_check(("check", position), check)
    return found + list(_same_names(config.check)) + list(_of_sections(config))


def _of_check(key: Key, check: Check) -> Iterator[Problem]:
    run = check.run if isinstance(check.run, list) else [check.run]
    if not run[0].strip():
        yield Problem((*key, "run"), f"`{dotted(key)}.run` is {shown(check.run)}; expected a command")
    elif not check.name.strip() or not check.name.isprintable():
        yield Problem((*key, "name"), f"`{dotted(key)}.name` is {shown(check.name)}; expected printable text")
    yield from _outside((*key, "cwd"), check.cwd)
    if check.junit:
        yield from _outside((*key, "junit"), check.junit)
    for position, path in enumerate(check.paths):
        yield from _outside((*key, "paths", position), path)
    yield from _no_nul((*key, "run"), run)
    yield from _no_nul((*key, "env"), list(check.env.values()))
    for name in check.env:
        yield from _variable((*key, "env", name), name)
    for position, name in enumerate(check.keep_env):
        yield from _variable((*key, "keep_env", position), name)


def _outside(key: Key, path: str) -> Iterator[Problem]:
    clean = posixpath.normpath(path)
    if not path or "\0" in path or path.startswith("/") or clean == ".." or clean.startswith("../"):
        yield Problem(
            key, f"`{dotted(key)}` is {shown(path)}; expected a path inside the project, relative to its root"
        )


def _no_nul(key: Key, values: list[str]) -> Iterator[Problem]:
    if any("\0" in value for value in values):
        yield Problem(key, f"`{dotted(key)}` holds a NUL, which no process can be given")


def _variable(key: Key, name: str) -> Iterator[Problem]:
    if not name or "=" in name or "\0" in name:
        yield Problem(key, f"`{dotted(key[:-1])}` names the variable {shown(name)}; expected a name without = and NUL")


def _same_names(checks: list[Check]) -> Iterator[Problem]:
    seen: dict[str, int] = {}
    for position, check in enumerate(checks):
        first = seen.setdefault(check.name, position)
        if first != position:
            text = (
                f"`check[{position}]` is called {shown(check.name)}, as `check[{first}]` is; give each its own `name`"
            )
            yield Problem(("check", position, "name"), text)


def _of_sections(config: Config) -> Iterator[Problem]:
    commands: list[tuple[Key, list[str]]] = [
        (("gate", "on_release"), config.gate.on_release),
        (("loop", "command"), config.loop.command),
        (("guard", "baseline_setup"), config.guard.baseline_setup),
    ]
    for key, argv in commands:
        yield from _no_nul(key, argv)
        if argv and not argv[0].strip():
            yield Problem(key, f"`{dotted(key)}` is {shown(argv)}; expected a command")
    for position, path in enumerate(config.gate.memory_inputs):
        if not path or "\0" in path:
            place: Key = ("gate", "memory_inputs", position)
            yield Problem(place, f"`{dotted(place)}` is {shown(path)}; expected a path")
    if config.loop.max_rounds > config.loop.round_ceiling:
        text = f"`loop.max_rounds` is {config.loop.max_rounds}; `loop.round_ceiling` is {config.loop.round_ceiling}"
        yield Problem(("loop", "max_rounds"), text)
