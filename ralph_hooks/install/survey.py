"""Where to install, and which checks: what is there, what was asked for, what is refused."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ralph_hooks.errors import RalphError
from ralph_hooks.install import config_text, refuse
from ralph_hooks.install.config_text import Row
from ralph_hooks.install.detect import TESTS, Found, Proposal, detect, looked_for, refused
from ralph_hooks.install.entries import MIN_TIMEOUT
from ralph_hooks.install.place import Place
from ralph_hooks.plan import load
from ralph_hooks.plan.config import Config
from ralph_hooks.plan.locate import CONFIG, config_in, find_project, git_top
from ralph_hooks.process.capture import capture


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the person asked for."""

    clients: tuple[str, ...] = ("claude",)
    scope: str = "project"
    command: str = ""
    kinds: tuple[str, ...] = ()
    every: bool = False
    packages: bool = False
    timeout_s: int | None = None
    force: bool = False
    dry_run: bool = False
    prove: bool = True
    guard: bool = True
    by_agent: bool = False


@dataclass(frozen=True, slots=True)
class Site:
    """The directory that holds the config, and the checkout around it. `config` is a config that is there already."""

    root: str
    top: str
    git: bool
    config: str | None


@dataclass(slots=True)
class Draft:
    """What would be written. `text` is `None` when the config is a person's own and stays as it is."""

    path: str
    text: str | None
    config: Config
    rows: list[Row]
    found: Found
    refused: list[str]


Choose = Callable[[Found], list[Proposal]]


def site(start: str) -> Site:
    """The project that `start` belongs to, else the git top level, else `start` itself."""
    here = os.path.realpath(start)
    project = find_project(here)
    top = git_top(here)
    root = project.root if project else top or here
    return Site(root, top or root, top is not None, config_in(root))


def draft(place: Site, options: Options, choose: Choose) -> Draft:
    """The config to be, parsed as the gate will read it. Raises `RalphError` for what is refused or not found."""
    if place.config:
        return _kept(place, options)
    found = detect(place.root)
    proposals = _chosen(place.root, found, options, choose)
    refused = _refused(
        place, [(name, proposal.run, proposal.cwd) for name, proposal in config_text.named(proposals)], options
    )
    rows = [Row(proposal, name, options.timeout_s or MIN_TIMEOUT) for name, proposal in config_text.named(proposals)]
    text = render(place, rows)
    path = os.path.join(place.root, CONFIG)
    return Draft(path, text, load.parse(text, path), rows, found, refused)


def render(place: Site, rows: Sequence[Row]) -> str:
    """The config text for these checks."""
    return config_text.render(rows, config_text.memory_inputs(place.root, _ignored(place)))


def _kept(place: Site, options: Options) -> Draft:
    assert place.config is not None
    if options.command:
        raise RalphError(
            f"`{place.config}` is there already and is never overwritten",
            "put the command into it, then run `ralph-hooks install`",
        )
    config = load.load(place.config)
    if not config.check:
        raise RalphError(
            f"`{place.config}` has no [[check]]", "add one, or remove the file and run `ralph-hooks install`"
        )
    checks = [
        (check.name, check.run if isinstance(check.run, str) else tuple(check.run), check.cwd) for check in config.check
    ]
    return Draft(place.config, None, config, [], Found([], [], []), _refused(place, checks, options))


def _chosen(root: str, found: Found, options: Options, choose: Choose) -> list[Proposal]:
    if options.command:
        return [Proposal(ecosystem="command", run=options.command, why="", name=TESTS), *_extras(found, options)]
    if not found.choice:
        unusable = "".join(f"\n  but {reason}" for reason in refused(root))
        words = f"no test command was found; looked for\n{looked_for()}{unusable}"
        raise RalphError(words, "ralph-hooks install --command '…'")
    if options.packages:
        if not found.packages:
            raise RalphError("no packages with tests of their own were found", "ralph-hooks install")
        return [*found.packages, *_extras(found, options)]
    if options.every:
        return [*(found.tests or found.packages), *_extras(found, options)]
    return [*choose(found), *_extras(found, options)]


def _extras(found: Found, options: Options) -> list[Proposal]:
    return [proposal for proposal in found.extra if proposal.kind in options.kinds]


def _refused(place: Site, checks: Sequence[tuple[str, str | tuple[str, ...], str]], options: Options) -> list[str]:
    """Reasons that were overruled with --force. Raises `RalphError` for the first one that was not."""
    overruled = []
    for name, run, cwd in checks:
        reason = refuse.reason(run, Place(place.root, cwd))
        if reason and not options.force:
            raise RalphError(f"the check `{name}` is refused: {reason[0]}", f"{reason[1]}, or insist with --force")
        if reason:
            overruled.append(f"`{name}` was taken although {reason[0]}")
    return overruled


def _ignored(place: Site) -> list[str]:
    """Settings files of the root that git ignores."""
    names = [name for name in sorted(os.listdir(place.root)) if name.startswith(".env")]
    if not place.git or not names:
        return []
    answer = capture(["git", "check-ignore", "-z", "--", *names], cwd=place.root, timeout=30)
    return [os.fsdecode(name) for name in answer.out.split(b"\0") if name]
