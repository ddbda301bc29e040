"""What several verbs need: the project here, its plan, a ledger line, a word with the person."""

from __future__ import annotations

import getpass
import importlib
import importlib.util
import os
from typing import Any

from ralph_hooks import files
from ralph_hooks.check import identity
from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.ledger import ledger
from ralph_hooks.plan.compiled import Plan, plan_for
from ralph_hooks.plan.locate import CONFIG, Project, find_project

PERSON = "ralph_hooks.guard.person"


def here() -> str:
    """The working directory. Raises `RalphError` when it is gone or cannot be entered."""
    try:
        directory = os.getcwd()
        os.stat(os.path.join(directory, "."))
    except OSError as error:
        raise RalphError(f"the working directory cannot be read: {error.strerror}", exit_code=EXIT_USAGE) from None
    return directory


def standard_input(most: int = -1) -> bytes:
    """What comes on standard input, at most so many bytes; nothing where it came closed. Raises `OSError`."""
    with open(0, "rb", closefd=False) as file:
        return file.read(most)


def project_here() -> Project:
    """The project of the working directory. Raises `RalphError` when there is none."""
    directory = here()
    found = find_project(directory)
    if found is None:
        sentence = f"no `{CONFIG}` and no `[tool.ralph-hooks]` in `{directory}` or above it"
        raise RalphError(sentence, "ralph-hooks install", EXIT_USAGE)
    return found


def plan_of(project: Project) -> Plan:
    """The project's plan. Raises `RalphError` with the place of what is wrong."""
    return plan_for(project)


def note(project: Project, event: str, **fields: Any) -> None:
    """A ledger line about something a person did. Nothing depends on it, so it may fail."""
    ledger.append(project, {"event": event, "client": "cli", "root": project.root, **fields})


def require_person(verb: str) -> None:
    """Refuse a verb that an agent must not use, where the guard says so."""
    if importlib.util.find_spec("ralph_hooks.guard") and importlib.util.find_spec(PERSON):
        importlib.import_module(PERSON).require_person(verb)


def user() -> str:
    """The login name, for the ledger."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return str(os.getuid())


def holder_of(checkout: str) -> int | None:
    """The live process whose run holds this checkout, if another one does."""
    pid = identity.owner(run_of(checkout))
    return None if pid == os.getpid() else pid


def run_of(checkout: str) -> str:
    """The run id in the checkout's lock, "" when nothing runs."""
    return (
        (files.read_bytes_or_none(os.path.join(checkout, "run.lock")) or b"")[:200].decode("utf-8", "replace").strip()
    )
