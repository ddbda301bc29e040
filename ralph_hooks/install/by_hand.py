"""Hooks that start us and are not ours: somebody pasted the line, so `install` neither updates nor removes them."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ralph_hooks import files
from ralph_hooks.errors import RalphError
from ralph_hooks.install import jsontext, settings, surgery
from ralph_hooks.install.entries import PROGRAM
from ralph_hooks.install.jsontext import JsonTextError, Node
from ralph_hooks.install.settings import Layer

ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
BEFORE = ("&&", "||", ";", "|", "exec", "env", "then", "do")
WAY_OUT = f'take it out, or put `"_id": "{surgery.ID}"` into it, then `ralph-hooks install`'


@dataclass(frozen=True, slots=True)
class Pasted:
    """A hook written by hand: its file, line and event."""

    layer: Layer
    line: int
    event: str

    @property
    def where(self) -> str:
        return f"{self.layer.path}:{self.line}"


def pasted(layers: Sequence[Layer]) -> list[Pasted]:
    """Every such hook in these files, in order. Files that cannot be read have none."""
    return [found for layer in layers for found in _in_layer(layer)]


def _in_layer(layer: Layer) -> Iterator[Pasted]:
    try:
        text = settings.decode(layer, files.read_bytes_or_none(layer.path))[1] or ""
        root = jsontext.parse(text) if text.strip() else None
    except (RalphError, JsonTextError):
        return
    for event, hook in surgery.hooks_of(root) if root is not None else ():
        if not surgery.is_ours(hook) and starts_us(hook):
            yield Pasted(layer, jsontext.place(text, hook.start)[0], event)


def starts_us(hook: Node) -> bool:
    """Whether this hook's command is our program with its verb `hook`, by whatever path or interpreter."""
    value = hook.value
    command, args = (value.get("command"), value.get("args")) if isinstance(value, dict) else (None, None)
    if not isinstance(command, str):
        return False
    try:
        words = [command, *map(str, args)] if isinstance(args, list) else shlex.split(command)
    except ValueError:
        return False
    return any(_ours(words[at:]) for at in range(len(words)) if _is_first(words[:at]))


def _is_first(before: list[str]) -> bool:
    return not before or before[-1] in BEFORE or before[-1].endswith(";") or bool(ASSIGNED.match(before[-1]))


def _ours(words: list[str]) -> bool:
    if os.path.basename(words[0]) == PROGRAM:
        return words[1:2] == ["hook"]
    return os.path.basename(words[0]).startswith("python") and " -m ralph_hooks hook " in f" {' '.join(words[1:])} "
