"""The plan as the hook reads it: compiled once, then one comparison of the config's text (DESIGN, decision 7).

`plan.json` in the project's state directory holds the config text it was made from. Same text, same version: the
plan is taken as it stands, and neither `tomllib` nor pydantic is imported. Anything else: compiled anew.
"""

from __future__ import annotations

import os

from ralph_hooks import __version__, fasthash, fastjson, files
from ralph_hooks.plan import locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_hooks.plan.config import Config
    from ralph_hooks.plan.locate import Project

    class Plan(Config):
        """What a person approved: the attributes of `Config`, the plan's digest, and the config's text."""

        digest: str = ""
        text: str = ""

else:

    class Plan:
        """A section of the plan; its keys are attributes."""

        def __init__(self, values):
            self.__dict__.update(values)

        def __repr__(self):
            return f"Plan({self.__dict__!r})"


FILE = locate.PLAN
# Raise it when the same text has to give another plan.
FORMAT = f"1 {__version__}"


def plan_for(project: Project) -> Plan:
    """The project's plan. Raises `ConfigError` when the config cannot be used."""
    path = os.path.join(project.state, FILE)
    text = text_of(project.config_path)
    stored = files.read_bytes_or_none(path)
    if text is not None and stored is not None:
        plan = _unpack(stored, text, project.config_path)
        if plan is not None:
            return plan
    from ralph_hooks.plan import compile as compiler

    packed = compiler.compile_plan(project.config_path, FORMAT)
    compiler.store(path, packed)
    return build(packed)


def build(packed: dict[str, str]) -> Plan:
    """The plan in what `plan.json` holds."""
    values = fastjson.loads(packed["plan"])
    sections: dict[str, Any] = {name: _bag(values[name]) for name in values if name != "check"}
    sections["check"] = [_bag(check) for check in values["check"]]
    return _bag(sections | {"digest": packed["digest"], "text": packed["text"]})


def only(plan: Plan, names: tuple[str, ...]) -> Plan:
    """The plan with these checks alone; its digest is another one, so that nobody takes its green for the whole."""
    kept = [check for check in plan.check if check.name in names]
    digest = digest_of(fastjson.dumps([plan.digest, [check.name for check in kept]]))
    return _bag(vars(plan) | {"check": kept, "digest": digest})


def with_check(plan: Plan, values: dict[str, Any]) -> Plan:
    """The plan with one more check, given as `dataclasses.asdict` of it; the digest is another one."""
    digest = digest_of(fastjson.dumps([plan.digest, values]))
    return _bag(vars(plan) | {"check": [*plan.check, _bag(values)], "digest": digest})


def digest_of(plan: str) -> str:
    """The digest of a plan in canonical JSON."""
    return fasthash.blake2(plan.encode())


def _bag(values: dict[str, Any]) -> Plan:
    return Plan(values)  # type: ignore[call-arg,arg-type]


def text_of(path: str) -> str | None:
    """The config's text, or `None` when there is none or reading it needs words."""
    try:
        if os.stat(path).st_mode & 0o170000 != 0o100000:  # a pipe would block for ever
            return None
        return files.read_bytes(path).decode()
    except (OSError, ValueError):
        return None


def _unpack(stored: bytes, text: str, config_path: str) -> Plan | None:
    """The stored plan when it was made from this text by this version, and is whole."""
    try:
        packed = fastjson.loads(stored.decode())
        if packed["text"] != text or packed["path"] != config_path or packed["format"] != FORMAT:
            return None
        return build(packed) if digest_of(packed["plan"]) == packed["digest"] else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
