"""Our entries into and out of a settings file, as text: every byte that is not ours stays as it is.

What is put in can be taken out again without a memory of how it was, also after others changed the rest:

- an entry is appended, so that "from the end of the item before it to its own end" is exactly what was added;
- a container that we made goes with its last entry of ours; one that was there and empty is marked by the blanks after
  its bracket: one for `{}`, two where something stood between the brackets, three where the whole file was blank;
- a file that holds nothing but ours was made by us (`remove` answers `None`).

Ours are the hooks with our `_id`, whatever else they hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ralph_hooks.install import jsontext
from ralph_hooks.install.jsontext import Item, Node
from ralph_hooks.install.style import Style, after_newline, line_indent, render, style_of

ID = "ralph-hooks"
WAS_EMPTY, HAD_BLANKS, WAS_BLANK = " ", "  ", "   "
MARKS = (WAS_EMPTY, HAD_BLANKS, WAS_BLANK)


@dataclass(frozen=True, slots=True)
class Entry:
    """One hook of ours for one event: the object as it shall stand in the file, `_id` included.

    `matcher` is for tool events, "" for every other.
    """

    event: str
    hook: dict[str, Any]
    matcher: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A hook and the way to it: (container, item) pairs from the root down to the hook itself."""

    event: str
    path: tuple[tuple[Node, Item], ...]

    @property
    def node(self) -> Node:
        return self.path[-1][1].node

    @property
    def matcher(self) -> str:
        given = self.path[2][1].node.get("matcher")
        return str(given.scalar) if given else ""


def insert(text: str | None, entries: Sequence[Entry]) -> str:
    """The text with these entries and no others of ours. `None` = there is no file.

    Raises `JsonTextError`; the shape must have been checked (`shape.problems`). Applied twice it changes nothing more.
    """
    if text is not None and text.strip(" \t\r\n"):
        text = _without_others(text, {entry.event for entry in entries})
    if text is None:
        return render(_document(entries), Style(), "") + "\n"
    if not text.strip(" \t\r\n"):
        document = render(_document(entries), Style(), "")
        return text + document[0] + WAS_BLANK + document[1:].lstrip()
    for entry in entries:
        text = _put(text, entry)
    return text


def remove(text: str) -> str | None:
    """The text as it was before; `None` when nothing but ours is in it. Raises `JsonTextError`."""
    while text.strip(" \t\r\n") and (found := list(_find(jsontext.parse(text)))):
        shorter = cut(text, found[-1])
        if shorter is None:
            return None
        text = shorter
    return text


def own(text: str) -> list[Entry]:
    """Our entries in this text, in order. Raises `JsonTextError`."""
    return [Entry(found.event, found.node.value, found.matcher) for found in _find(jsontext.parse(text))]


def _document(entries: Sequence[Entry]) -> dict[str, Any]:
    return {"hooks": {entry.event: [_group(entry)] for entry in entries}}


def _group(entry: Entry) -> dict[str, Any]:
    return {**({"matcher": entry.matcher} if entry.matcher else {}), "hooks": [entry.hook]}


def hooks_of(root: Node) -> Iterator[tuple[str, Node]]:
    """The event and the object of every hook, whoever's."""
    for found in _all(root):
        yield found.event, found.node


def _find(root: Node) -> Iterator[Found]:
    """Everything with our id, also below a repeated key that no reader sees any more."""
    yield from (found for found in _all(root) if is_ours(found.node))


def _all(root: Node) -> Iterator[Found]:
    for hooks in _members(root, "hooks"):
        for event in _items(hooks.node, "object"):
            for group in _items(event.node, "array"):
                for holder in _members(group.node, "hooks"):
                    for hook in _items(holder.node, "array"):
                        path = (root, hooks), (hooks.node, event), (event.node, group), (holder.node, hook)
                        yield Found(str(event.key), path)


def is_ours(hook: Node) -> bool:
    """Whether a hook object carries our id."""
    identity = hook.get("_id")
    return identity is not None and identity.scalar == ID


def _items(node: Node, kind: str) -> list[Item]:
    return node.items if node.kind == kind else []


def _members(node: Node, key: str) -> list[Item]:
    return [item for item in _items(node, "object") if item.key == key]


def _without_others(text: str, events: set[str]) -> str | None:
    """Take out ours that are no longer wanted, stand there twice, or stand where no reader looks."""
    while extra := _extra(jsontext.parse(text), events):
        shorter = cut(text, extra)
        if shorter is None:
            return None
        text = shorter
    return text


def _extra(root: Node, events: set[str]) -> Found | None:
    seen: set[str] = set()
    for found in _find(root):
        (_, hooks), (_, event), (_, group), (holder, _) = found.path
        read = root.get("hooks") is hooks.node and hooks.node.get(found.event) is event.node
        if not read or group.node.get("hooks") is not holder or found.event not in events or found.event in seen:
            return found
        seen.add(found.event)
    return None


def cut(text: str, found: Found) -> str | None:
    """Take out one hook, and every container around it that we made for it."""
    holder, hook = found.path[-1]
    if len(holder.items) > 1:
        return without(text, holder, hook)
    for container, item in reversed(found.path[:-1]):
        if len(container.items) > 1 or mark(text, container):
            return without(text, container, item)
    return None


def mark(text: str, container: Node) -> str:
    """What the blanks after the opening bracket say: this container was there before us, and was empty."""
    lead = text[container.start + 1 : container.items[0].start]
    return lead if lead in MARKS else ""


def without(text: str, container: Node, item: Item) -> str:
    """Take one item out of a container, with what was added before it."""
    index = container.items.index(item)
    if index:
        return text[: container.items[index - 1].end] + text[item.end :]
    if len(container.items) > 1:
        return text[: item.start] + text[container.items[1].start :]
    lead = mark(text, container)
    if lead == WAS_BLANK:
        return text[: container.start] + text[container.end :]
    return text[: container.start + 1] + text[item.end if lead == HAD_BLANKS else container.end - 1 :]


def _put(text: str, entry: Entry) -> str:
    """Bring one entry up to date where it stands, or add it at the innermost container that is there."""
    root = jsontext.parse(text)
    style = style_of(text, root)
    for found in _find(root):
        if found.event == entry.event:
            return _replaced(text, found.node, entry, style)
    hooks = root.get("hooks")
    if hooks is None:
        return append(text, root, style, ("hooks", {entry.event: [_group(entry)]}))
    groups = hooks.get(entry.event)
    if groups is None:
        return append(text, hooks, style, (entry.event, [_group(entry)]))
    return append(text, groups, style, (None, _group(entry)))


def _replaced(text: str, old: Node, entry: Entry, style: Style) -> str:
    if old.value == entry.hook:
        return text
    flat = after_newline(text[old.start : old.end]) is None
    new = render(entry.hook, style.flattened() if flat else style, line_indent(text, old.start))
    return text[: old.start] + new + text[old.end :]


def append(text: str, container: Node, style: Style, addition: tuple[str | None, Any]) -> str:
    """Add (key, value), or (`None`, value) to a list, as the last item of a container."""
    key, value = addition
    base = line_indent(text, container.start)
    head = "" if key is None else f'"{key}"{style.colon}'
    if not container.items:
        body = head + render(value, style, base + style.unit)
        return _fill(text, container, body, style.eol + base if not style.flat else "")
    lead, style, indent = _lead(text, container, style, base)
    at = container.items[-1].end
    return text[:at] + "," + lead + head + render(value, style, indent) + text[at:]


def _lead(text: str, container: Node, style: Style, base: str) -> tuple[str, Style, str]:
    """What comes before an item appended here, the layout of that item, and the indent of its line."""
    last = container.items[-1]
    before = container.items[-2].end if len(container.items) > 1 else container.start + 1
    gap = text[before : last.start]
    indent = after_newline(gap)
    if indent is None and gap in MARKS and not style.flat:
        indent = base + style.unit
    if indent is None:
        return style.comma[1:], style.flattened(), base
    indent = indent.split(",")[0]
    return style.eol + indent, style, indent


def _fill(text: str, container: Node, body: str, closing: str) -> str:
    """The first item of a container that was empty, marked as such."""
    inside = text[container.start + 1 : container.end - 1]
    body = HAD_BLANKS + body if inside else WAS_EMPTY + body + closing
    return text[: container.start + 1] + body + text[container.start + 1 :]
