"""Where each key of a TOML text stands, which `tomllib` does not tell.

The text has passed `tomllib`, so this scanner only finds its way; it checks nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable

Key = tuple[str | int, ...]
BARE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
END_OF_SCALAR = frozenset(",]}#\n\r")


def lines_of(text: str) -> dict[Key, int]:
    """Line number (from 1) of every table, key and array element; elements of arrays are counted from 0."""
    scanner = _Scanner(text.replace("\r\n", "\n"))
    try:
        scanner.document()
    except (IndexError, ValueError, RecursionError):  # a text that is no TOML after all: what was found so far
        pass
    return scanner.lines


def line_of(lines: dict[Key, int], key: Key) -> int:
    """The line of a key, or of the nearest thing around it; 0 when there is none."""
    while key and key not in lines:
        key = key[:-1]
    return lines.get(key, 0)


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Key, int] = {}
        self.counts: dict[Key, int] = {}

    def document(self) -> None:
        table: Key = ()
        while self.skip_blank():
            if self.peek() == "[":
                table = self.header()
            else:
                self.pair(table)

    def peek(self) -> str:
        return self.text[self.at]

    def note(self, key: Key) -> None:
        self.lines.setdefault(key, self.text.count("\n", 0, self.at) + 1)

    def skip_blank(self, blank: str = " \t\n") -> bool:
        """Go past white space and comments; whether there is more text."""
        while self.at < len(self.text):
            if self.peek() == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.peek() in blank:
                self.at += 1
            else:
                return True
        return False

    def header(self) -> Key:
        start = self.at
        array = self.text.startswith("[[", start)
        self.at += 2 if array else 1
        names = self.dotted()
        self.at += 2 if array else 1
        table: Key = (*self.resolve(names[:-1]), names[-1])
        end, self.at = self.at, start
        if array:
            self.note(table)
            self.counts[table] = self.counts.get(table, -1) + 1
            table += (self.counts[table],)
        elif table in self.counts:
            table += (self.counts[table],)
        self.note(table)
        self.at = end
        return table

    def resolve(self, names: list[str]) -> Key:
        """A table's path: a name of an array of tables stands for its last element so far."""
        key: Key = ()
        for name in names:
            key += (name,)
            if key in self.counts:
                key += (self.counts[key],)
        return key

    def pair(self, table: Key) -> None:
        start = self.at
        names = self.dotted()
        end, self.at = self.at, start
        for depth in range(1, len(names) + 1):
            self.note(table + tuple(names[:depth]))
        self.at = end + 1  # the equals sign
        self.value(table + tuple(names))

    def dotted(self) -> list[str]:
        """A dotted key, up to what follows it."""
        names = []
        while True:
            self.skip_blank(" \t")
            names.append(self.name())
            self.skip_blank(" \t")
            if self.peek() != ".":
                return names
            self.at += 1

    def name(self) -> str:
        start = self.at
        if self.peek() in "\"'":
            self.string()
            return str(tomllib.loads(f"k = {self.text[start : self.at]}")["k"])
        while self.peek() in BARE:
            self.at += 1
        if self.at == start:
            raise ValueError("no key here")
        return self.text[start : self.at]

    def value(self, key: Key) -> None:
        self.skip_blank(" \t")
        self.note(key)
        match self.peek():
            case '"' | "'":
                self.string()
            case "[":
                self.items("]", lambda position: self.value((*key, position)))
            case "{":
                self.items("}", lambda _: self.pair(key))
            case _:
                while self.at < len(self.text) and self.peek() not in END_OF_SCALAR:
                    self.at += 1

    def string(self) -> None:
        quote = self.peek()
        mark = quote * 3 if self.text.startswith(quote * 3, self.at) else quote
        self.at += len(mark)
        while not self.text.startswith(mark, self.at):
            self.at += 2 if self.peek() == "\\" and quote == '"' else 1
        self.at += len(mark)
        while len(mark) == 3 and self.text.startswith(quote, self.at):  # """ends in quotes"""""
            self.at += 1

    def items(self, end: str, item: Callable[[int], None]) -> None:
        """The items of an array or of an inline table."""
        self.at += 1
        position = 0
        while self.skip_blank() and self.peek() != end:
            start = self.at
            item(position)
            position += 1
            if self.at == start:
                raise ValueError("no value here")
            if self.skip_blank() and self.peek() == ",":
                self.at += 1
        self.at += 1
