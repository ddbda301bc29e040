"""Rows of `git ls-files -s` and `git ls-tree -r`, and the one digest of both."""

from __future__ import annotations

from ralph_hooks.check.digest.look import left_out
from ralph_hooks.check.digest.memo import digest_of
from ralph_hooks.check.digest.repository import names

# path -> (mode, id), both as git prints them
Rows = dict[bytes, tuple[bytes, bytes]]

LINK = b"120000"
FILE = b"100644"
REPOSITORY = b"160000"
RULES = b".gitattributes"


def staged_rows(text: bytes) -> Rows:
    """`mode id stage TAB path` rows. An unmerged path has no id: nothing equals it."""
    rows: Rows = {}
    for line in names(text):
        facts, _, path = line.partition(b"\t")
        mode, name, stage = facts.split(b" ")
        rows[path] = (mode, name if stage == b"0" else b"")
    return rows


def tree_rows(text: bytes) -> Rows:
    """`mode type id TAB path` rows."""
    rows: Rows = {}
    for line in names(text):
        facts, _, path = line.partition(b"\t")
        mode, _kind, name = facts.split()
        rows[path] = (mode, name)
    return rows


def digest_of_rows(rows: Rows) -> str:
    """The receipt digest: over `mode id 0 TAB path NUL` sorted by path, without what lies in `.ralph`."""
    kept = sorted(path for path in rows if not left_out(path))
    return digest_of(b"".join(row(path, *rows[path]) for path in kept))


def row(path: bytes, mode: bytes, name: bytes) -> bytes:
    """One row of a listing."""
    return b"%s %s 0\t%s\0" % (mode, name, path)


def rules_rows(text: bytes) -> Rows:
    """The `.gitattributes` rows of a `mode id stage TAB path` listing, without a look at the others."""
    found: Rows = {}
    at = text.find(RULES + b"\0")
    while at >= 0:
        start = text.rfind(b"\0", 0, at) + 1
        found.update(
            {path: facts for path, facts in staged_rows(text[start : at + len(RULES) + 1]).items() if is_rules(path)}
        )
        at = text.find(RULES + b"\0", at + 1)
    return found


def is_rules(path: bytes) -> bool:
    """Whether a path is a `.gitattributes` file."""
    return path == RULES or path.endswith(b"/" + RULES)
