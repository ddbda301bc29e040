"""JSON as text: every value with the place where it stands, so that a file can be changed without being rewritten.

Strict, as the clients are: no comments, no trailing comma, one value. Nesting depth is not limited.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

SPACE = re.compile(r"[ \t\n\r]*")
STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
WORD = re.compile(r"true|false|null")
CLOSING = {"object": "}", "array": "]"}


class JsonTextError(ValueError):
    """The text is not JSON. `line` and `column` count from 1; `words` say what is wrong there."""

    def __init__(self, text: str, offset: int, words: str) -> None:
        self.line, self.column = place(text, offset)
        self.words = words
        super().__init__(f"{self.line}:{self.column}: {words}")


@dataclass(slots=True)
class Node:
    """One value: `kind` is object, array or scalar; `start` and `end` are offsets into the text."""

    kind: str
    start: int
    end: int = -1
    scalar: Any = None
    items: list[Item] = field(default_factory=list)

    def get(self, key: str) -> Node | None:
        """The value of a key; of repeated keys the last, which is the one that JSON readers see."""
        found = [item.node for item in self.items if item.key == key]
        return found[-1] if found and self.kind == "object" else None

    @property
    def value(self) -> Any:
        """The plain Python value."""
        if self.kind == "object":
            return {item.key: item.node.value for item in self.items}
        return [item.node.value for item in self.items] if self.kind == "array" else self.scalar


@dataclass(slots=True)
class Item:
    """A member of an object, from its key on, or an element of an array (`key` is `None`)."""

    key: str | None
    start: int
    node: Node

    @property
    def end(self) -> int:
        return self.node.end


def place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    before = text[:offset].replace("\r\n", " \n").replace("\r", "\n")
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def parse(text: str) -> Node:
    """The one value of `text`. Raises `JsonTextError`."""
    return _Parser(text).run()


class _Parser:
    """A loop with its own stack: nesting costs no recursion."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.open: list[Node] = []

    def run(self) -> Node:
        self._space()
        root = self._value()
        while self.open:
            self._step(self.open[-1])
        self._space()
        if self.at < len(self.text):
            self._fail("more text after the value")
        return root

    def _step(self, container: Node) -> None:
        """Go on inside the innermost open container: its next item, or its end."""
        closing = CLOSING[container.kind]
        self._space()
        if self._take(closing):
            container.end = self.at
            self.open.pop()
            return
        if container.items:
            if not self._take(","):
                self._fail(f"expected `,` or `{closing}`")
            comma = self.at - 1
            self._space()
            if self.text[self.at : self.at + 1] == closing:
                self._fail(f"a comma before `{closing}`", comma)
        start = self.at
        key = self._key() if container.kind == "object" else None
        container.items.append(Item(key, start, self._value()))

    def _key(self) -> str:
        match = STRING.match(self.text, self.at)
        if not match:
            self._fail("expected a key in double quotes")
        self.at = match.end()
        self._space()
        if not self._take(":"):
            self._fail("expected `:` after the key")
        self._space()
        return str(json.loads(match.group()))

    def _value(self) -> Node:
        start = self.at
        for bracket, kind in (("{", "object"), ("[", "array")):
            if self._take(bracket):
                node = Node(kind, start)
                self.open.append(node)
                return node
        match = STRING.match(self.text, start) or NUMBER.match(self.text, start) or WORD.match(self.text, start)
        if not match:
            self._fail("expected a value")
        self.at = match.end()
        return Node("scalar", start, self.at, _scalar(match.group()))

    def _space(self) -> None:
        match = SPACE.match(self.text, self.at)
        assert match
        self.at = match.end()

    def _take(self, character: str) -> bool:
        if self.text[self.at : self.at + 1] != character:
            return False
        self.at += 1
        return True

    def _fail(self, words: str, offset: int | None = None) -> NoReturn:
        at = self.at if offset is None else offset
        if self.text[at : at + 2] in ("//", "/*"):
            words = "a comment, which JSON does not have"
        elif at >= len(self.text):
            words = "the text ends too early"
        raise JsonTextError(self.text, at, words)


def _scalar(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:  # a whole number of more digits than Python converts
        return float(text)
