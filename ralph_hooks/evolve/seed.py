"""The seed: a YAML text that states the work (E8). Errors carry line numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.evolve.yaml_text import Located, Mapping, Sequence, read_yaml

EXAMPLE = """\
# What `ralph-hooks evolve` works on. Only `goal` is required; keys it does not know are kept.
goal: Parse ISO 8601 durations without a dependency

constraints:
  - Standard library only
  - Do not change the public function names

acceptance_criteria:
  - Weeks, days and times are all accepted
  - description: The parser has its own tests and they pass
    verify_command: python -m pytest -q tests/test_durations.py
    expected_artifacts: [tests/test_durations.py]
    output_assertion: passed

exit_conditions:
  - All acceptance criteria pass

evaluation_principles:
  - Small functions before clever ones

metadata:
  owner: you
"""

LISTS = ("constraints", "exit_conditions", "evaluation_principles")
CRITERION_KEYS = ("description", "verify_command", "expected_artifacts", "output_assertion")


class SeedError(RalphError):
    """The seed cannot be used; `line` is where, counted from 1."""

    def __init__(self, line: int, message: str) -> None:
        hint = "`ralph-hooks evolve --example > seed.yaml` writes a seed to start from"
        super().__init__(f"seed_content:{line}: {message}", hint, EXIT_USAGE)
        self.line = line


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One acceptance criterion. `id` is `AC-<n>`; `verify_command` is an argv, or one line for bash."""

    id: str
    description: str
    verify_command: list[str] | str | None = None
    expected_artifacts: list[str] = field(default_factory=list)
    output_assertion: str = ""

    @property
    def checkable(self) -> bool:
        """Whether it has a check of its own."""
        return self.verify_command is not None or bool(self.expected_artifacts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """The work, as a person stated it. `kept` holds keys that mean nothing to us."""

    goal: str
    constraints: list[str] = field(default_factory=list)
    criteria: list[Criterion] = field(default_factory=list)
    exit_conditions: list[str] = field(default_factory=list)
    evaluation_principles: list[str] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)


def parse_seed(text: str) -> Seed:
    """Read a seed. Raises `SeedError` with the line."""
    top = read_yaml(text, SeedError)
    if not isinstance(top.value, Mapping):
        raise SeedError(top.line, "the seed must be a mapping with a `goal`")
    entries = top.value.entries
    if "goal" not in entries:
        raise SeedError(top.line, "`goal` is missing")
    metadata = entries.get("metadata")
    return Seed(
        goal=_text(entries["goal"], "goal"),
        criteria=_criteria(entries.get("acceptance_criteria")),
        metadata=_metadata(metadata),
        kept={key: entry.plain() for key, entry in entries.items() if key not in _KNOWN},
        **{name: _texts(entries.get(name), name) for name in LISTS},
    )


_KNOWN = ("goal", "acceptance_criteria", "metadata", *LISTS)


def _metadata(entry: Located | None) -> dict[str, Any]:
    if entry is None or entry.value is None:
        return {}
    if not isinstance(entry.value, Mapping):
        raise SeedError(entry.line, "`metadata` must be a mapping")
    plain: dict[str, Any] = entry.plain()
    return plain


def _text(entry: Located, name: str) -> str:
    if not isinstance(entry.value, str):
        raise SeedError(entry.line, f"`{name}` must be text, not {entry.kind}; put quotes around it")
    if not entry.value.strip():
        raise SeedError(entry.line, f"`{name}` must not be blank")
    return entry.value.strip()


def _items(entry: Located | None, name: str) -> list[Located]:
    if entry is None or entry.value is None:
        return []
    if not isinstance(entry.value, Sequence):
        raise SeedError(entry.line, f"`{name}` must be a list, not {entry.kind}")
    return entry.value.items


def _texts(entry: Located | None, name: str) -> list[str]:
    return [_text(item, f"{name}[{number}]") for number, item in enumerate(_items(entry, name))]


def _criteria(entry: Located | None) -> list[Criterion]:
    return [_criterion(item, number) for number, item in enumerate(_items(entry, "acceptance_criteria"), 1)]


def _criterion(entry: Located, number: int) -> Criterion:
    id = f"AC-{number}"
    if not isinstance(entry.value, Mapping):
        return Criterion(id=id, description=_text(entry, id))
    parts = entry.value.entries
    if "description" not in parts:
        raise SeedError(entry.line, f"`{id}` has no `description`")
    for key, part in parts.items():
        if key not in CRITERION_KEYS:
            raise SeedError(part.line, f"`{key}` is not a key of a criterion; known: {', '.join(CRITERION_KEYS)}")
    command = _command(parts.get("verify_command"), f"{id}.verify_command")
    assertion = parts.get("output_assertion")
    if assertion is not None and command is None:
        raise SeedError(assertion.line, f"`{id}.output_assertion` needs a `verify_command` whose output it is about")
    return Criterion(
        id=id,
        description=_text(parts["description"], f"{id}.description"),
        verify_command=command,
        expected_artifacts=_artifacts(parts.get("expected_artifacts"), f"{id}.expected_artifacts"),
        output_assertion=_text(assertion, f"{id}.output_assertion") if assertion is not None else "",
    )


def _command(entry: Located | None, name: str) -> list[str] | str | None:
    if entry is None or entry.value is None:
        return None
    if isinstance(entry.value, Sequence):
        words = _texts(entry, name)
        if not words:
            raise SeedError(entry.line, f"`{name}` must not be empty")
        return words
    return _text(entry, name)


def _artifacts(entry: Located | None, name: str) -> list[str]:
    for item in _items(entry, name):
        path = item.value
        if isinstance(path, str) and (path.startswith("/") or ".." in path.split("/")):
            raise SeedError(item.line, f"`{name}` must be paths inside the project, not {path!r}")
    return _texts(entry, name)
