"""Compile the package once: not every installer does, and without it each hook would compile anew (uv does not)."""

from __future__ import annotations

import compileall
import os

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def compile_package() -> None:
    """Best effort: a directory that cannot be written stays as it is."""
    if os.access(PACKAGE, os.W_OK):
        compileall.compile_dir(PACKAGE, quiet=2, workers=1)
