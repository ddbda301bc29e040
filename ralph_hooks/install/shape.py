"""Valid JSON that a client nevertheless ignores, as a whole or hook by hook, without a word (measured)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ralph_hooks.install.jsontext import Node, place

# Keys whose wrong type voids the whole of Claude Code's settings file.
CLAUDE_TYPES: dict[str, type | tuple[type, ...]] = {
    "env": dict,
    "permissions": dict,
    "enabledPlugins": dict,
    "statusLine": dict,
    "model": str,
    "outputStyle": str,
    "disableAllHooks": bool,
    "includeCoAuthoredBy": bool,
    "cleanupPeriodDays": (int, float),
}
CODEX_KEYS = ("description", "hooks")
EMPTY: dict[str, object] = {"object": {}, "array": []}
KINDS: dict[object, str] = {dict: "an object", str: "a string", bool: "true or false", (int, float): "a number"}


@dataclass(frozen=True, slots=True)
class Problem:
    """One place that spoils the file; line and column count from 1."""

    line: int
    column: int
    words: str


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def bad(self, node: Node, words: str) -> Problem:
        return Problem(*place(self.text, node.start), words)


def problems(text: str, root: Node, client: str) -> list[Problem]:
    """Everything in this settings file that makes `client` ignore the file or one of its hooks."""
    reader = _Reader(text)
    if root.kind != "object":
        return [reader.bad(root, "the file must hold an object")]
    found = list(_top(reader, root, client))
    hooks = root.get("hooks")
    if hooks is None:
        return found
    if hooks.kind != "object":
        return [*found, reader.bad(hooks, "`hooks` must be an object")]
    return [*found, *(problem for item in hooks.items for problem in _event(reader, str(item.key), item.node, client))]


def _top(reader: _Reader, root: Node, client: str) -> Iterator[Problem]:
    seen: set[str | None] = set()
    for item in root.items:
        if client == "codex":
            if item.key not in CODEX_KEYS:
                yield reader.bad(item.node, f"Codex knows no key `{item.key}` here")
            if item.key in seen:
                yield reader.bad(item.node, f"the key `{item.key}` is there twice")
            seen.add(item.key)
        else:
            expected = CLAUDE_TYPES.get(str(item.key))
            value = EMPTY.get(item.node.kind, item.node.scalar)
            wrong = expected and (not isinstance(value, expected) or (isinstance(value, bool) and expected is not bool))
            if expected and wrong:
                yield reader.bad(item.node, f"`{item.key}` must be {KINDS[expected]}")


def _event(reader: _Reader, event: str, node: Node, client: str) -> Iterator[Problem]:
    if node.kind != "array":
        yield reader.bad(node, f"`hooks.{event}` must be a list")
        return
    for index, item in enumerate(node.items):
        yield from _group(reader, f"hooks.{event}[{index}]", item.node, client)


def _group(reader: _Reader, where: str, node: Node, client: str) -> Iterator[Problem]:
    if node.kind != "object":
        yield reader.bad(node, f"`{where}` must be an object")
        return
    matcher = node.get("matcher")
    if matcher is not None and not (isinstance(matcher.scalar, str) or (client == "codex" and _null(matcher))):
        yield reader.bad(matcher, f"`{where}.matcher` must be a string")
    hooks = node.get("hooks")
    if hooks is None or hooks.kind != "array":
        yield reader.bad(hooks or node, f"`{where}.hooks` must be a list")
        return
    for index, item in enumerate(hooks.items):
        yield from _hook(reader, f"{where}.hooks[{index}]", item.node, client)


def _hook(reader: _Reader, where: str, node: Node, client: str) -> Iterator[Problem]:
    kind = node.get("type")
    if node.kind != "object" or kind is None or not isinstance(kind.scalar, str):
        yield reader.bad(node, f"`{where}` must be an object with a `type`")
        return
    if kind.scalar == "command" and not isinstance(_value(node, "command"), str):
        yield reader.bad(node, f"`{where}.command` must be a string")
    timeout = node.get("timeout")
    if timeout is not None and not _is_timeout(timeout, client):
        whole = "a whole number" if client == "codex" else "a number above 0"
        yield reader.bad(timeout, f"`{where}.timeout` must be {whole}")
    args = node.get("args")
    if args is not None and client == "claude" and not _is_words(args):
        yield reader.bad(args, f"`{where}.args` must be a list of strings")


def _null(node: Node) -> bool:
    return node.kind == "scalar" and node.scalar is None


def _value(node: Node, key: str) -> object:
    found = node.get(key)
    return found.scalar if found else None


def _is_timeout(node: Node, client: str) -> bool:
    value = node.scalar
    if isinstance(value, bool) or not isinstance(value, int | float):
        return client == "codex" and _null(node)
    return isinstance(value, int) and value >= 0 if client == "codex" else value > 0


def _is_words(node: Node) -> bool:
    return node.kind == "array" and all(isinstance(item.node.scalar, str) for item in node.items)
