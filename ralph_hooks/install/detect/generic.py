"""Task runners and CMake: what is left when no language tool speaks for itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ralph_hooks.install import refuse
from ralph_hooks.install.detect.proposal import Proposal
from ralph_hooks.install.place import Place

LOOKED_FOR = "CMakeLists.txt with tests, a `test` or `check` target in a Makefile or justfile"
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
JUSTFILES = ("justfile", "Justfile", ".justfile")


def find(place: Place) -> Iterator[Proposal]:
    """CMake, make, just."""
    yield from _cmake(place)
    taken = set()
    for program, name in targets(place):
        if program not in taken and not refuse.reason([program, name], place):
            taken.add(program)
            why = f"`{place.shown(place.has(*(MAKEFILES if program == 'make' else JUSTFILES)))}` has a `{name}` target"
            yield Proposal(ecosystem=program, run=(program, name), why=why)


def targets(place: Place) -> Iterator[tuple[str, str]]:
    """Every target or recipe with a test's name: (program, name), the best first."""
    for program, names, pattern in (("make", MAKEFILES, TARGET), ("just", JUSTFILES, RECIPE)):
        file = place.has(*names)
        for name in ("test", "check", "tests"):
            if file and re.search(pattern.format(name), place.text(file), re.M):
                yield program, name


TARGET = r"^{}\s*::?(?!=)"
RECIPE = r"^@?{}(?:\s+[^:=]*)?:(?!=)"


def _cmake(place: Place) -> Iterator[Proposal]:
    text = place.text("CMakeLists.txt")
    if not re.search(r"^\s*(?:enable_testing\s*\(|include\s*\(\s*CTest\b)", text, re.M | re.I):
        return
    run = "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"
    why = f"`{place.shown('CMakeLists.txt')}` enables tests"
    note = "builds in `build/`; git should ignore that directory"
    yield Proposal(ecosystem="ctest", run=run, why=why, note=note)
