"""Repositories of several packages: the command that covers all, else one check per package."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ralph_hooks.install.detect import node
from ralph_hooks.install.detect.proposal import TESTS, Proposal
from ralph_hooks.install.place import FOREIGN, Place, table

DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
DEPTH = 2
# Files of the root that decide in every package.
SHARED = (
    "package.json", *node.LOCKS, "pnpm-workspace.yaml", ".npmrc", ".yarnrc.yml", "turbo.json", "nx.json", "lerna.json",
    "tsconfig*.json", "*.config.*", "*.preset.*", ".babelrc*",
)  # fmt: skip


@dataclass(frozen=True)
class Package:
    """One member of a Node workspace. `needs` are names of packages, members or not."""

    place: Place
    name: str
    needs: frozenset[str]
    scripts: dict[str, Any]


def whole(root: Place) -> Iterator[Proposal]:
    """One command for every package, where the workspace's own tool has one."""
    members = packages(root)
    if not members:
        return
    manager, evidence = node.manager_of(root, root.json("package.json"))
    tested = [member for member in members if "test" in member.scripts]
    if root.has("turbo.json"):
        yield _all("turbo", ("turbo", "run", "test"), root, "turbo.json")
    if root.has("nx.json"):
        yield _all("nx", ("nx", "run-many", "-t", "test"), root, "nx.json")
    if not tested:
        return
    run = {
        "npm": ("npm", "test", "--workspaces", "--if-present"),
        "pnpm": ("pnpm", "-r", "test"),
        "yarn": ("yarn", "workspaces", "foreach", "-A", "run", "test"),
        "bun": ("bun", "run", "--filter", "*", "test"),
    }[manager]
    why = f"{len(tested)} of {len(members)} workspace packages have a `test` script, {evidence} says {manager}"
    yield Proposal(ecosystem=manager, run=run, why=why)


def per_package(root: Place) -> list[Proposal]:
    """One check per package that has tests.

    `paths` are given only where it is known what a package needs: its own directory and those of the members that it
    depends on, so that a change in one package runs its own tests and those of its dependants.
    """
    members = packages(root)
    if members:
        return [_package(member, members, root) for member in members if "test" in member.scripts]
    from ralph_hooks.install.detect import first_of

    return [proposal.at(place.path) for place in nested(root) if (proposal := first_of(place, TESTS))]


def packages(root: Place) -> list[Package]:
    """The members of a Node workspace, by its globs."""
    declared = root.json("package.json").get("workspaces")
    globs = declared.get("packages") if isinstance(declared, dict) else declared
    patterns = [str(each) for each in globs] if isinstance(globs, list) else []
    patterns += re.findall(
        r"^\s*-\s*['\"]?([^'\"#\n]+?)['\"]?\s*$", _packages_list(root.text("pnpm-workspace.yaml")), re.M
    )
    lerna = root.json("lerna.json").get("packages")
    patterns += [str(each) for each in lerna] if isinstance(lerna, list) else []
    kept = [pattern.rstrip("/") for pattern in patterns if not pattern.startswith("!")]
    dropped = {name for pattern in patterns if pattern.startswith("!") for name in root.find(pattern[1:])}
    found = sorted(
        {os.path.dirname(name) for pattern in kept for name in root.find(f"{pattern}/package.json")} - dropped
    )
    return [_member(root.inside(path)) for path in found if path]


def _packages_list(text: str) -> str:
    """The lines of the list under `packages:`; the rest of the file is other settings."""
    match = re.search(r"^packages:\s*\n((?:[ \t]*(?:-.*|#.*)?\n?)*)", text, re.M)
    return match.group(1) if match else ""


def _member(place: Place) -> Package:
    package = place.json("package.json")
    needs = frozenset(name for key in DEPENDENCIES for name in table(package, key))
    return Package(place, str(package.get("name", place.path)), needs, table(package, "scripts"))


def _package(member: Package, members: list[Package], root: Place) -> Proposal:
    manager, _ = node.manager_of(root, root.json("package.json"))
    needed = _closure(member, {other.name: other for other in members})
    places = [member.place.path, *sorted(needed - {member.place.path})]
    shared = root.find(*SHARED)
    proposal = next((found for found in node.find(member.place) if found.kind == TESTS), None)
    run = proposal.run if proposal else node.script(manager, "test")
    others = f", which needs {len(places) - 1} other package{'s' * (len(places) > 2)}" if len(places) > 1 else ""
    why = f"`{member.place.shown('package.json')}` has a `test` script{others}"
    base = Proposal(ecosystem=manager, run=run, why=why, note=proposal.note if proposal else "")
    return replace(base.at(member.place.path), paths=(*places, *shared))


def _closure(member: Package, by_name: dict[str, Package]) -> set[str]:
    """Directories of every member that this one depends on, at any distance."""
    found: set[str] = set()
    waiting = [member]
    while waiting:
        for name in waiting.pop().needs:
            other = by_name.get(name)
            if other and other.place.path not in found:
                found.add(other.place.path)
                waiting.append(other)
    return found


def nested(root: Place) -> list[Place]:
    """Directories below the root, at most two deep, in which projects may live; none inside another."""
    places: list[Place] = []
    waiting = [(root, 0)]
    while waiting:
        place, depth = waiting.pop(0)
        for name in _directories(place):
            below = place.inside(name)
            places.append(below)
            if depth + 1 < DEPTH:
                waiting.append((below, depth + 1))
    return places


def _directories(place: Place) -> list[str]:
    try:
        with os.scandir(place.directory) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return sorted(name for name in names if not name.startswith(".") and name not in FOREIGN)


def _all(ecosystem: str, run: tuple[str, ...], root: Place, file: str) -> Proposal:
    return Proposal(ecosystem=ecosystem, run=run, why=f"`{root.shown(file)}` is there")
