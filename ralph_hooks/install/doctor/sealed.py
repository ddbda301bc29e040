"""What a person approved against what is there now (T1): the seal, our entries, our program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ralph_hooks import fastjson, files
from ralph_hooks.install.approve import program_now, settings_now
from ralph_hooks.install.doctor.finding import Finding, Patient
from ralph_hooks.plan import seal
from ralph_hooks.plan.locate import Project

ACCEPT = "if that was you: ralph-hooks seal"
COMPARED = {"entries": "our entries", "disabled": "`disableAllHooks`", "env": "guarded variables in `env`"}


def sealed(patient: Patient) -> Iterator[Finding]:
    """There is a seal, a person made it, and settings and program are as they were then."""
    if patient.config is None:
        return
    note = _note(patient)
    if note is None:
        what = "nobody has sealed this project here, so each session pins the config as it finds it"
        yield Finding("no-seal", what, "ralph-hooks seal", note=True)
    elif note.get("pending") is True:
        yield Finding("seal-pending", "an agent ran the install, and no person has approved it yet", "ralph-hooks seal")
    else:
        yield from _settings(patient, note)
        yield from _program(note)


def _note(patient: Patient) -> dict[str, Any] | None:
    project = Project(patient.site.root, patient.site.top, patient.site.config or "")
    try:
        note = fastjson.loads((files.read_bytes_or_none(seal.seal_path(project)) or b"").decode("utf-8", "replace"))
    except fastjson.JsonError:
        return None
    return note if isinstance(note, dict) else None


def _settings(patient: Patient, note: dict[str, Any]) -> Iterator[Finding]:
    before = note.get("settings")
    for path, now in settings_now(patient.site.root).items():
        was = before.get(path) if isinstance(before, dict) else None
        changed = [words for key, words in COMPARED.items() if isinstance(was, dict) and was.get(key) != now[key]]
        if changed:
            what = f"in `{path}` {' and '.join(changed)} changed since the seal"
            yield Finding("seal-settings", what, ACCEPT)


def _program(note: dict[str, Any]) -> Iterator[Finding]:
    was, now = note.get("program"), program_now()
    if isinstance(was, dict) and was.get("path") and now["path"] and was != now:
        how = "another file" if was["path"] != now["path"] else "changed"
        yield Finding("seal-program", f"`{now['path']}` is {how} since the seal (`{was['path']}`)", ACCEPT, note=True)
