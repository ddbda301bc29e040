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
    for program, names, pattern in (("make", MAKEFILES, TARGET), ("just", JUSTFILES, RECIPE)):
        file = place.has(*names)
        for name in ("test", "check", "tests"):
            found = re.search(pattern.format(name), place.text(file), re.M) if file else None
            if found and not refuse.reason([program, name], place):
                why = f"`{place.shown(file)}` has a `{name}` target"
                yield Proposal(ecosystem=program, run=(program, name), why=why)
                break


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
