"""Can the clients start us, and which clients are there."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator

from ralph_hooks.install import settings
from ralph_hooks.install.doctor.finding import Finding, Patient
from ralph_hooks.install.entries import PROGRAM
from ralph_hooks.process.capture import capture
from ralph_hooks.process.spawn import which

# The versions against which the end-to-end tests run.
TESTED = {"claude": (2, 1, 332), "codex": (0, 171, 0)}


def way_onto_path() -> str:
    """The command that makes the running program known to every shell."""
    script = os.path.join(os.path.dirname(sys.executable), PROGRAM)
    if os.path.exists(script):
        return f"ln -s {shlex.quote(script)} ~/.local/bin/, where that directory is on PATH"
    return "pipx install ralph-hooks"


def on_path(patient: Patient) -> Iterator[Finding]:
    """Claude Code looks on its own PATH, Codex asks a login shell."""
    if not patient.clients():
        return
    found = which(PROGRAM, patient.cwd, patient.env.get("PATH", os.defpath))
    active = patient.env.get("VIRTUAL_ENV", "")
    if found is None:
        what = f"`{PROGRAM}` is not on PATH, so the hook cannot start and every turn ends unchecked"
        yield Finding("path", what, way_onto_path())
    elif active and os.path.realpath(found).startswith(os.path.realpath(active) + os.sep):
        what = f"`{PROGRAM}` is on PATH only while the virtual environment `{active}` is active"
        yield Finding("path-venv", what, way_onto_path())
    if "codex" in patient.clients():
        yield from _login_shell(patient)


def _login_shell(patient: Patient) -> Iterator[Finding]:
    shell = patient.env.get("SHELL") or "/bin/sh"
    asked = capture([shell, "-lc", f"command -v {PROGRAM}"], cwd=patient.cwd, env=patient.env, timeout=20)
    if asked.code != 0:
        what = f"Codex starts hooks with `{shell} -lc`, which does not find `{PROGRAM}`"
        yield Finding("login-path", what, f"{way_onto_path()}; have your profile add its directory to PATH")


def clients(patient: Patient) -> Iterator[Finding]:
    """Each client that has our hook is installed; a version that was never tried is said."""
    for client in patient.clients():
        if which(client, patient.cwd, patient.env.get("PATH", os.defpath)) is None:
            what = f"{settings.CLIENTS[client]} has our hook and is not on PATH here"
            yield Finding("client-missing", what, f"install {settings.CLIENTS[client]}", note=True)
            continue
        told = capture([client, "--version"], cwd=patient.cwd, env=patient.env, timeout=30).out
        match = re.search(r"(\d+)\.(\d+)\.(\d+)", told.decode("utf-8", "replace"))
        version = tuple(map(int, match.groups())) if match else None
        if version is None or version < TESTED[client]:
            seen = match.group() if match else "of an unknown version"
            tested = ".".join(map(str, TESTED[client]))
            what = f"{settings.CLIENTS[client]} is {seen}; our tests run with {tested}"
            yield Finding("client-version", what, "ralph-hooks doctor --live", note=True)
