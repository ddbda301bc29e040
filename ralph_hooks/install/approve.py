"""Approve the project as it is now (T1): config, inputs of the checks, our settings entries, our program."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from ralph_hooks import fastjson, files
from ralph_hooks.check import ratchet
from ralph_hooks.install import settings
from ralph_hooks.install.surgery import Entry
from ralph_hooks.install.writer import Change
from ralph_hooks.plan import compile as compiler
from ralph_hooks.plan import compiled, seal
from ralph_hooks.plan.inputs import inputs_of
from ralph_hooks.plan.locate import Project, find_project
from ralph_hooks.process.spawn import which

TOKEN_FILE = "token.json"  # noqa: S105 - a file name
TOKEN_SECONDS = 120
PLUGIN = "ralph-hooks"
GUARDED_NAMES = (
    "PATH", "HOME", "NODE_OPTIONS", "BASH_ENV", "CLAUDE_PROJECT_DIR", "CLAUDE_CONFIG_DIR",
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE",
)  # fmt: skip
GUARDED_PREFIXES = ("RALPH_HOOKS_", "XDG_", "PYTHON", "LD_", "DYLD_")


def approve(project: Project, *, by: str, pending: bool = False) -> dict[str, Any]:
    """Write the seal; what it holds. Raises `ConfigError` for a config that cannot be read, `OSError` for the state."""
    packed = compiler.compile_plan(project.config_path, compiled.FORMAT)
    plan = compiled.build(packed)
    note = {
        "at": time.time(),
        "by": by,
        "pending": pending,
        "packed": packed,
        "inputs": {check.name: inputs_of(check, project.root) for check in plan.check},
        "settings": settings_now(project.root),
        "program": program_now(),
    }
    compiler.store(os.path.join(project.state, compiled.FILE), packed)
    files.write_state(seal.seal_path(project), fastjson.dumps(note).encode())
    ratchet.forget(project)
    leave_token(project)
    return note


def settings_now(root: str) -> dict[str, dict[str, Any]]:
    """Of each Claude Code settings file: our entries, whether hooks are off, and the guarded environment."""
    return {layer.path: facts_of(layer) for layer in settings.layers("claude", root)}


def facts_of(layer: settings.Layer) -> dict[str, Any]:
    """What the guard compares of one settings file."""
    data = read_settings(layer.path)
    env = data.get("env")
    return {
        "entries": [[_place(entry), entry.hook] for entry in settings.entries_in(layer)],
        "disabled": data.get("disableAllHooks") is True,
        "env": {name: value for name, value in env.items() if guarded(name)} if isinstance(env, dict) else {},
        "stop_hooks": stop_hooks(data),
        "plugins": our_plugins(data),
    }


def _place(entry: Entry) -> str:
    """Where an entry stands: a hook on tools is off when its matcher matches nothing."""
    return f"{entry.event} ({entry.matcher})" if entry.matcher else entry.event


def read_settings(path: str) -> dict[str, Any]:
    """The settings in a file; `{}` for one that is missing, unreadable or no JSON object."""
    try:
        data = json.loads((files.read_bytes_or_none(path) or b"").decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def stop_hooks(data: dict[str, Any]) -> list[str]:
    """The commands of all Stop hooks in these settings."""
    hooks = data.get("hooks")
    groups = hooks.get("Stop") if isinstance(hooks, dict) else None
    found = []
    for group in groups if isinstance(groups, list) else []:
        for hook in group.get("hooks", []) if isinstance(group, dict) else []:
            found.append(json.dumps(hook, sort_keys=True))
    return found


def our_plugins(data: dict[str, Any]) -> list[str]:
    """The ids under which these settings enable our plugin."""
    enabled = data.get("enabledPlugins")
    names = enabled.items() if isinstance(enabled, dict) else ()
    return sorted(name for name, on in names if on is True and name.split("@")[0] == PLUGIN)


def guarded(name: str) -> bool:
    """Whether a variable in `env` of the settings can replace or blind our program."""
    return name in GUARDED_NAMES or name.startswith(GUARDED_PREFIXES)


def program_now() -> dict[str, str]:
    """The `ralph-hooks` on PATH: its real path and the digest of its bytes."""
    found = which("ralph-hooks", os.getcwd(), os.environ.get("PATH", os.defpath))
    if found is None:
        return {"path": "", "digest": ""}
    real = os.path.realpath(found)
    return {"path": real, "digest": blake2b(files.read_bytes_or_none(real) or b"", digest_size=16).hexdigest()}


def leave_token(project: Project, planned: Sequence[Change] = ()) -> None:
    """Let the settings through the guard of a running session for two minutes: as planned, else as they are now.

    A change must be announced before it is made: the client asks as soon as it sees the file change.
    """
    digests = {layer.path: file_digest(layer.path) for layer in settings.layers("claude", project.root)}
    digests |= {change.path: digest_of(change.after) for change in planned if change.path in digests}
    token = {"until": time.time() + TOKEN_SECONDS, "files": digests}
    files.write_state(os.path.join(project.state, TOKEN_FILE), fastjson.dumps(token).encode())


def has_token(project: Project, path: str) -> bool:
    """Whether a person left this very content of the file, a moment ago."""
    try:
        token = fastjson.loads((files.read_bytes_or_none(os.path.join(project.state, TOKEN_FILE)) or b"").decode())
        young = 0 < token["until"] - time.time() <= TOKEN_SECONDS
        return bool(young and token["files"].get(path) == file_digest(path))
    except (fastjson.JsonError, UnicodeDecodeError, KeyError, TypeError, AttributeError):
        return False


def file_digest(path: str) -> str:
    """The digest of a file's bytes; "" for none."""
    return digest_of(files.read_bytes_or_none(path))


def digest_of(data: bytes | None) -> str:
    """The digest of a file's bytes; "" for no file."""
    return "" if data is None else blake2b(data, digest_size=16).hexdigest()


def announce(root: str, planned: Sequence[Change]) -> None:
    """`leave_token` for the project at `root`, where there is one; a state that cannot be written costs a refusal."""
    project = find_project(root)
    if project is not None and any(change.any for change in planned):
        try:
            leave_token(project, planned)
        except OSError:
            pass
