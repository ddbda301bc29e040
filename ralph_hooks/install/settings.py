"""The settings files of each client: where they are, and our entries in them."""

from __future__ import annotations

import codecs
import difflib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ralph_hooks import files, paths
from ralph_hooks.errors import RalphError
from ralph_hooks.install import jsontext, shape, surgery, writer
from ralph_hooks.install.jsontext import JsonTextError
from ralph_hooks.install.surgery import Entry
from ralph_hooks.install.writer import Change

SCOPES = ("project", "local", "user")
CLIENTS = {"claude": "Claude Code", "codex": "Codex"}


@dataclass(frozen=True, slots=True)
class Layer:
    """One settings file that a client reads."""

    client: str
    scope: str
    path: str

    @property
    def client_name(self) -> str:
        return CLIENTS[self.client]


def claude_home() -> str:
    """`$CLAUDE_CONFIG_DIR`, else `~/.claude`."""
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(paths.home(), ".claude")


def codex_home() -> str:
    """`$CODEX_HOME`, else `~/.codex`."""
    return os.environ.get("CODEX_HOME") or os.path.join(paths.home(), ".codex")


def layers(client: str, root: str) -> list[Layer]:
    """Every file from which `client` takes hooks for a session started in `root`, project first."""
    if client == "codex":
        places = {
            "project": os.path.join(root, ".codex", "hooks.json"),
            "user": os.path.join(codex_home(), "hooks.json"),
        }
    else:
        places = {
            "project": os.path.join(root, ".claude", "settings.json"),
            "local": os.path.join(root, ".claude", "settings.local.json"),
            "user": os.path.join(claude_home(), "settings.json"),
        }
    first = {path: scope for scope, path in reversed(places.items())}  # in the home directory two scopes are one file
    return [Layer(client, scope, path) for path, scope in reversed(first.items())]


def layer(client: str, scope: str, root: str) -> Layer:
    """The one file of this scope. Raises `RalphError` where the client has none."""
    for candidate in layers(client, root):
        if candidate.scope == scope:
            return candidate
    raise RalphError(
        f"{CLIENTS[client]} has no `{scope}` settings", f"ralph-hooks install --client {client} --scope user"
    )


def install(place: Layer, entries: Sequence[Entry], *, dry_run: bool = False) -> Change:
    """Our entries, and no others of ours, in this file. Raises `RalphError` for what the client ignores."""
    edit = _edit(place, lambda text: surgery.insert(text, entries))
    if dry_run:
        return writer.plan(place.path, edit)
    # A file with our entry in it is not the original any more.
    return writer.rewrite(place.path, edit, backup=not entries_in(place))


def uninstall(place: Layer, *, dry_run: bool = False) -> Change:
    """The file without us; gone, with the directory, when there was nothing else. Raises `RalphError`."""
    edit = _edit(place, lambda text: None if text is None else surgery.remove(text))
    if dry_run:
        return writer.plan(place.path, edit)
    change = writer.rewrite(place.path, edit)
    _drop_backup(place.path, change)
    if change.any and change.after is None:
        _remove_empty(os.path.dirname(place.path))
    return change


def entries_in(place: Layer) -> list[Entry]:
    """Ours that are in this file now; none where it is missing or cannot be read as JSON."""
    try:
        text = decode(place, files.read_bytes_or_none(place.path))[1]
        return surgery.own(text) if text and text.strip() else []
    except (RalphError, JsonTextError):
        return []


def check(place: Layer, text: str) -> None:
    """Raise `RalphError` for what makes the client ignore this file."""
    try:
        root = jsontext.parse(text)
    except JsonTextError as error:
        raise _ignored(place, error.line, error.column, f"not JSON: {error.words}") from None
    for problem in shape.problems(text, root, place.client):
        raise _ignored(place, problem.line, problem.column, problem.words)


def decode(place: Layer, data: bytes | None) -> tuple[bytes, str | None]:
    """The byte order mark, and the text; a byte that is not UTF-8 survives the way through."""
    if data is None:
        return b"", None
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise RalphError(f"`{place.path}` is UTF-16, which is left alone", "save it as UTF-8, then try again")
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    if mark and place.client == "codex":
        raise _ignored(place, 1, 1, "a byte order mark, which Codex does not read")
    return mark, data[len(mark) :].decode("utf-8", "surrogateescape")


def diff(change: Change) -> str:
    """The change as a unified diff."""
    name = os.path.relpath(change.path)
    name = change.path if name.startswith("..") else name
    names = ["/dev/null" if side is None else name for side in (change.before, change.after)]
    return "".join(difflib.unified_diff(_lines(change.before), _lines(change.after), names[0], names[1]))


def _lines(data: bytes | None) -> list[str]:
    lines = (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
    return [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]


def _edit(place: Layer, change: Callable[[str | None], str | None]) -> writer.Edit:
    def edit(data: bytes | None) -> bytes | None:
        mark, text = decode(place, data)
        if text is not None and text.strip(" \t\r\n"):
            check(place, text)
        changed = change(text)
        return None if changed is None else mark + changed.encode("utf-8", "surrogateescape")

    return edit


def _ignored(place: Layer, line: int, column: int, words: str) -> RalphError:
    where = f"{place.path}:{line}:{column}"
    message = (
        f"`{where}`: {words}; {place.client_name} itself ignores this file now, without a word; it is left as it is"
    )
    return RalphError(message, f"correct {where}, then try again")


def _drop_backup(path: str, change: Change) -> None:
    """The backup has done its work once the file has the same bytes again."""
    backup = files.read_bytes_or_none(path + writer.BACKUP)
    if backup is not None and backup == change.after:
        files.remove(path + writer.BACKUP)


def _remove_empty(directory: str) -> None:
    try:
        os.rmdir(directory)
    except OSError:
        pass  # somebody else's files are in it
