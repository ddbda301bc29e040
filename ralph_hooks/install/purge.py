"""What `uninstall --purge` takes: all that was kept about this project, and with the last project all of ours.

Fires belong to nobody in particular, so they go with the last project; until then an hour old ones are pruned anyway.
Background jobs are of every project and may be running, so their database stays, and that is said.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from ralph_hooks import fastjson, files, paths
from ralph_hooks.gate.root import session_name
from ralph_hooks.install import mcp_entry, settings
from ralph_hooks.install.survey import Site
from ralph_hooks.ledger import ledger
from ralph_hooks.plan.locate import Project
from ralph_hooks.plan.seal import PINS

JOBS = ("jobs", "machine-id")


def bases() -> tuple[str, str]:
    """The two places of state."""
    return paths.state_dir(), paths.spare_state_dir()


def own(site: Site) -> list[str]:
    """The directories that are this project's alone: its state and its checkout's, in both places."""
    name = paths.identity(site.root)
    found = [paths.project_dir(site.root), paths.checkout_dir(site.top), os.path.join(paths.spare_state_dir(), name)]
    return [path for path in found if os.path.isdir(path)]


def belongings(site: Site) -> list[str]:
    """All of this project: its directories, the files of its sessions, the locks of its settings."""
    sessions = _sessions(site)
    kept = [path for base in bases() for path in _session_files(os.path.join(base, "sessions"), sessions, site.root)]
    return [*own(site), *kept, *_locks(site)]


def leftovers(site: Site) -> list[str]:
    """What is left of ours when this was the last project; nothing while there is another one."""
    if any(_others(site)):
        return []
    names = [(base, name) for base in bases() for name in _listed(base)]
    return [os.path.join(base, name) for base, name in names if name not in JOBS]


def jobs() -> str:
    """Where background jobs are kept, "" where there are none."""
    place = os.path.join(paths.state_dir(), JOBS[0])
    return place if os.path.isdir(place) else ""


def drop(path: str) -> None:
    """Remove a file or a whole directory, and the directory around it when that was the last in it."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        files.remove(path)
    around = os.path.dirname(path)
    while around in bases() or around.startswith(tuple(base + os.sep for base in bases())):
        try:
            os.rmdir(around)
        except OSError:
            return
        around = os.path.dirname(around)


def _others(site: Site) -> Iterator[str]:
    state, spare = bases()
    mine = paths.identity(site.root)
    yield from (name for name in _listed(os.path.join(state, "projects")) if name != mine)
    for name in _listed(spare):
        if name != mine and os.path.exists(os.path.join(spare, name, ledger.NAME)):
            yield name


def _sessions(site: Site) -> set[str]:
    """The file names of the sessions that were gated here."""
    project = Project(site.root, site.top, site.config or "")
    found = {os.path.splitext(name)[0] for name in _listed(os.path.join(project.state, PINS))}
    for record in ledger.read(project):
        session, agent = record.get("session"), record.get("agent")
        if isinstance(session, str) and session:
            found |= {session_name(session), session_name(session, agent if isinstance(agent, str) else "")}
    return found


def _session_files(directory: str, sessions: set[str], root: str) -> Iterator[str]:
    names = _listed(directory)
    mine = sessions | {name.split(".")[0] for name in names if _names_root(os.path.join(directory, name), root)}
    yield from (os.path.join(directory, name) for name in names if name.split(".")[0] in mine)


def _names_root(path: str, root: str) -> bool:
    """Whether a note of a session that was never judged says that it began here."""
    if not path.endswith((".prompt", ".start")):
        return False
    text = (files.read_bytes_or_none(path) or b"").decode("utf-8", "surrogateescape")
    if path.endswith(".start"):
        return text == root or text.startswith(root + os.sep)
    try:
        note = fastjson.loads(text)
    except fastjson.JsonError:
        return False
    return isinstance(note, dict) and note.get("root") == root


def _locks(site: Site) -> Iterator[str]:
    layers = [layer for client in settings.CLIENTS for layer in settings.layers(client, site.root)]
    mine = [layer.path for layer in (*layers, mcp_entry.layer(site.root)) if layer.scope != "user"]
    for base in bases():
        for path in mine:
            lock = os.path.join(base, "locks", f"{paths.identity(path)}.lock")
            if os.path.exists(lock):
                yield lock


def _listed(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []
