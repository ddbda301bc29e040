"""The MCP server in a project's `.mcp.json`, in and out as text, every other byte as it was (E16)."""

from __future__ import annotations

import os
from typing import Any

from ralph_hooks.errors import RalphError
from ralph_hooks.install import jsontext, surgery, writer
from ralph_hooks.install.jsontext import Item, JsonTextError, Node
from ralph_hooks.install.settings import Layer
from ralph_hooks.install.style import Style, render, style_of
from ralph_hooks.install.writer import Change

FILE = ".mcp.json"
TABLE = "mcpServers"
NAME = "ralph-hooks"
ENTRY: dict[str, Any] = {"command": "ralph-hooks", "args": ["mcp"]}


def layer(root: str) -> Layer:
    """The file from which Claude Code takes a project's servers."""
    return Layer("claude", "mcp", os.path.join(root, FILE))


def install(root: str, *, dry_run: bool = False) -> Change:
    """Our server in the file. Raises `RalphError` for a file that is no JSON, or whose `ralph-hooks` is not ours."""
    place = layer(root)
    edit = _edit(place.path, insert)
    return writer.plan(place.path, edit) if dry_run else writer.rewrite(place.path, edit)


def uninstall(root: str, *, dry_run: bool = False) -> Change:
    """The file without our server; gone when nothing else was in it. Raises `RalphError`."""
    place = layer(root)
    edit = _edit(place.path, lambda text: None if text is None else remove(text))
    return writer.plan(place.path, edit) if dry_run else writer.rewrite(place.path, edit)


def insert(text: str | None) -> str:
    """The text with our server. Raises `JsonTextError`, or `RalphError` when the name is taken by another."""
    if text is None or not text.strip(" \t\r\n"):
        return (text or "") + render({TABLE: {NAME: ENTRY}}, Style(), "") + "\n"
    root = jsontext.parse(text)
    servers = root.get(TABLE)
    if root.kind != "object" or (servers is not None and servers.kind != "object"):
        raise RalphError(f"`{FILE}`: `{TABLE}` must be an object; the file is left as it is")
    style = style_of(text, root)
    if servers is None:
        return surgery.append(text, root, style, (TABLE, {NAME: ENTRY}))
    mine = servers.get(NAME)
    if mine is None:
        return surgery.append(text, servers, style, (NAME, ENTRY))
    if not is_ours(mine):
        raise RalphError(f"`{FILE}` has another server named `{NAME}`; the file is left as it is")
    return text


def remove(text: str) -> str | None:
    """The text without our server; `None` when nothing else was in it. Raises `JsonTextError`."""
    if not text.strip(" \t\r\n"):
        return text
    root = jsontext.parse(text)
    found = _find(root)
    if found is None:
        return text
    table, item = found
    assert item.key is not None
    if surgery.mark(text, table.node):  # the table was there before us, and was empty
        return surgery.without(text, table.node, item)
    way = surgery.Found(item.key, ((root, table), (table.node, item)))
    return surgery.cut(text, way)


def is_ours(node: Node) -> bool:
    """Whether a server is the one that `install` writes; a person may have added keys to it."""
    value = node.value
    return isinstance(value, dict) and all(value.get(key) == wanted for key, wanted in ENTRY.items())


def _find(root: Node) -> tuple[Item, Item] | None:
    for table in root.items if root.kind == "object" else []:
        if table.key == TABLE and table.node.kind == "object":
            for item in table.node.items:
                if item.key == NAME and is_ours(item.node):
                    return table, item
    return None


def _edit(path: str, change: Any) -> writer.Edit:
    def edit(data: bytes | None) -> bytes | None:
        try:
            changed = change(None if data is None else data.decode("utf-8", "surrogateescape"))
        except JsonTextError as error:
            where = f"{path}:{error.line}:{error.column}"
            raise RalphError(f"`{where}`: not JSON: {error.words}; it is left as it is", f"correct {where}") from None
        return None if changed is None else bytes(changed.encode("utf-8", "surrogateescape"))

    return edit
