"""Ignored directories that a suite needs, brought into a copy of the project by links."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable

# Build output is made anew; what is linked here is only read by a suite.
LINKED = ("node_modules", ".venv", "venv", "vendor", "deps", ".tox", ".nox", ".bundle", ".yarn", "Pods", ".eggs")
COPIED = (".env", ".env.local", ".env.test", ".env.test.local", ".npmrc", "local.properties")


def link_dependencies(top: str, copy: str, names: Iterable[str]) -> None:
    """Link (or copy, for single files) what exists beside the files `names` of `top`, two levels deep at most."""
    places = {""} | {os.path.dirname(name) for name in names if name.count("/") <= 2}
    for place in sorted(places):
        for name in (*LINKED, *COPIED):
            _bring(os.path.join(top, place, name), os.path.join(copy, place, name))


def _bring(source: str, target: str) -> None:
    if os.path.lexists(target) or not os.path.exists(source) or not os.path.isdir(os.path.dirname(target)):
        return
    if os.path.isdir(source):
        os.symlink(source, target)
    else:
        shutil.copy2(source, target)
