"""How a settings file is laid out, and our part of it written the same way."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from ralph_hooks.install.jsontext import Node

NEWLINE = re.compile(r"\r\n|\n|\r")
WIDE = 100


@dataclass(frozen=True, slots=True)
class Style:
    """`unit` is one step of indentation; `colon` and `comma` are how they are spaced on one line."""

    eol: str = "\n"
    unit: str = "  "
    colon: str = ": "
    comma: str = ", "
    flat: bool = False

    def flattened(self) -> Style:
        """The same on one line."""
        return Style(self.eol, self.unit, self.colon, self.comma, True)


def style_of(text: str, root: Node) -> Style:
    """The layout of this file, as its own first lines show it."""
    eol = NEWLINE.search(text, root.start, root.end)
    colon, comma, unit = ": ", ", ", "  "
    if root.items:
        first = root.items[0]
        indent = after_newline(text[root.start + 1 : first.start])
        unit = indent or unit
        tight = text[first.node.start - 1] == ":"
        colon = ":" if tight else ": "
        comma = "," if tight and eol is None else ", "
    return Style(eol.group() if eol else "\n", unit, colon, comma, eol is None and bool(root.items))


def after_newline(gap: str) -> str | None:
    """What follows the last line break, or `None` where there is none."""
    breaks = list(NEWLINE.finditer(gap))
    return gap[breaks[-1].end() :] if breaks else None


def line_indent(text: str, offset: int) -> str:
    """The blanks at the start of the line on which `offset` stands."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    line = text[start:offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def render(value: Any, style: Style, indent: str) -> str:
    """JSON in this style; `indent` is that of the line on which the value starts."""
    inside = indent + style.unit
    if isinstance(value, dict):
        parts = [f"{_scalar(key)}{style.colon}{render(item, style, inside)}" for key, item in value.items()]
        return _wrap("{", parts, "}", style, indent)
    if isinstance(value, list):
        flat = style.flat or not any(isinstance(item, dict | list) for item in value)
        inner = style.flattened() if flat else style
        return _wrap("[", [render(item, inner, inside) for item in value], "]", inner, indent)
    return _scalar(value)


def _wrap(opening: str, parts: list[str], closing: str, style: Style, indent: str) -> str:
    if style.flat or not parts:
        return opening + style.comma.join(parts) + closing
    lead = style.eol + indent + style.unit
    return opening + lead + ("," + lead).join(parts) + style.eol + indent + closing


def _scalar(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
