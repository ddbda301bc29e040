"""Which commands decide whether this project works, and what speaks for each (I1).

An ecosystem is a module with `find(place)` and a row in `ECOSYSTEMS`; the order of the rows is the order of preference.
"""

from __future__ import annotations

from ralph_hooks.install import refuse
from ralph_hooks.install.detect import compiled, generic, jvm, node, python, scripting, workspace
from ralph_hooks.install.detect.proposal import LINT, TESTS, TYPES, Proposal
from ralph_hooks.install.place import Place, table

ECOSYSTEMS = (python, node, compiled, jvm, scripting, generic)
__all__ = ["LINT", "TESTS", "TYPES", "Found", "Place", "Proposal", "detect", "first_of", "looked_for", "refused"]


class Found:
    """What detection answers: alternatives for the root, and the checks of its packages.

    `tests` are alternatives, the best first; `packages` are to be taken together, when `tests` is empty or on request;
    `extra` are the type checkers and linters that are configured.
    """

    def __init__(self, tests: list[Proposal], packages: list[Proposal], extra: list[Proposal]) -> None:
        self.tests = tests
        self.packages = packages
        self.extra = extra

    @property
    def choice(self) -> list[Proposal]:
        """The first choice: the root's own command, else one check per package."""
        return self.tests[:1] or self.packages


def detect(root: str) -> Found:
    """Look at the project at `root`. Reads files, runs nothing."""
    place = Place(root)
    everything = [proposal for ecosystem in ECOSYSTEMS for proposal in ecosystem.find(place)]
    tests = [proposal for proposal in everything if proposal.kind == TESTS]
    extra = [proposal for proposal in everything if proposal.kind != TESTS]
    return Found(tests + list(workspace.whole(place)), _disjoint(workspace.per_package(place)), extra)


def first_of(place: Place, kind: str) -> Proposal | None:
    """The best proposal of this kind for one directory."""
    return next((found for ecosystem in ECOSYSTEMS for found in ecosystem.find(place) if found.kind == kind), None)


def looked_for() -> str:
    """What detection knows, one line each."""
    return "\n".join(f"  {ecosystem.LOOKED_FOR}" for ecosystem in ECOSYSTEMS)


def refused(root: str) -> list[str]:
    """Test commands that stand there and cannot be used, each with why; for a person who wonders."""
    place = Place(root)
    scripts = table(place.json("package.json"), "scripts")
    named = [["npm", "test"]] if isinstance(scripts.get("test"), str) else []
    named += [[program, name] for program, name in generic.targets(place)]
    composer = table(place.json("composer.json"), "scripts").get("test")
    lines = composer if isinstance(composer, list) else [composer]
    found = [refuse.reason(run, place) for run in (*named, *(line for line in lines if isinstance(line, str)))]
    return [f"{reason[0]}; {reason[1]}" for reason in found if reason]


def _disjoint(proposals: list[Proposal]) -> list[Proposal]:
    """Of a project inside another one only the outer."""
    kept: list[Proposal] = []
    for proposal in sorted(proposals, key=lambda each: each.cwd.count("/")):
        if not any(proposal.cwd.startswith(f"{other.cwd}/") for other in kept):
            kept.append(proposal)
    return kept
