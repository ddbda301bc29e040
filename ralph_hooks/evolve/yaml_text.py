"""YAML with a line for every value: duplicates, recursion and alias bombs are refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ralph_hooks.errors import RalphError

MOST_VALUES = 20_000
Refuse = Callable[[int, str], RalphError]


@dataclass(frozen=True, slots=True)
class Mapping:
    """A mapping with text keys."""

    entries: dict[str, Located]


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list."""

    items: list[Located]


@dataclass(frozen=True, slots=True)
class Located:
    """A value and the line it starts in, counted from 1."""

    line: int
    value: Any

    @property
    def kind(self) -> str:
        """The value's type as a person would say it."""
        if isinstance(self.value, Mapping):
            return "a mapping"
        if isinstance(self.value, Sequence):
            return "a list"
        return "nothing" if self.value is None else f"`{self.value}`"

    def plain(self) -> Any:
        """The value without its lines, as JSON has it."""
        if isinstance(self.value, Mapping):
            return {key: entry.plain() for key, entry in self.value.entries.items()}
        if isinstance(self.value, Sequence):
            return [item.plain() for item in self.value.items]
        return self.value


def read_yaml(text: str, refuse: Refuse) -> Located:
    """One YAML document. Raises what `refuse(line, message)` makes."""
    import yaml

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise refuse(mark.line + 1 if mark else 1, f"not YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise refuse(1, f"not YAML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise refuse(1, "nested too deeply") from None
    if node is None:
        raise refuse(1, "the seed is empty")
    try:
        return _Reader(refuse).read(node)
    except RecursionError:
        raise refuse(1, "nested too deeply") from None


class _Reader:
    def __init__(self, refuse: Refuse) -> None:
        import yaml

        self._refuse = refuse
        self._constructor = yaml.constructor.SafeConstructor()
        self._open: set[int] = set()
        self._seen = 0

    def read(self, node: Any) -> Located:
        line = node.start_mark.line + 1
        self._seen += 1
        if self._seen > MOST_VALUES:
            raise self._refuse(line, f"more than {MOST_VALUES} values once aliases are followed")
        if id(node) in self._open:
            raise self._refuse(line, "an alias that contains itself")
        self._open.add(id(node))
        try:
            return Located(line, self._value(node, line))
        finally:
            self._open.discard(id(node))

    def _value(self, node: Any, line: int) -> Any:
        if node.id == "mapping":
            return self._mapping(node)
        if node.id == "sequence":
            return Sequence([self.read(item) for item in node.value])
        try:
            value = self._constructor.construct_object(node)
        except Exception as error:  # PyYAML raises ValueError, OverflowError and its own for odd scalars
            raise self._refuse(line, f"`{node.value}` cannot be read: {' '.join(str(error).split())[:120]}") from None
        if isinstance(value, float) and value - value != 0:
            raise self._refuse(line, f"`{node.value}` is not a finite number")
        return value if value is None or isinstance(value, (str, bool, int, float)) else str(node.value)

    def _mapping(self, node: Any) -> Mapping:
        entries: dict[str, Located] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key = str(key_node.value) if key_node.id == "scalar" else ""
            if not key:
                raise self._refuse(line, "a key must be text")
            if key in entries:
                raise self._refuse(line, f"`{key}` appears twice, first in line {entries[key].line}")
            entries[key] = self.read(value_node)
        return Mapping(entries)
