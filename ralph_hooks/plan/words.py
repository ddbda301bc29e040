"""Which words a check really runs: argv, the body of the package script it names, or a shell line."""

from __future__ import annotations

import json
import os
import shlex

from ralph_hooks import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.plan.config import Check

MANAGERS = ("npm", "pnpm", "yarn", "bun")
SHORTHANDS = ("test", "start", "stop", "restart", "t", "tst")


def words_of(run: list[str] | str) -> list[str]:
    """The words of a check. A shell line is split as a shell would; what cannot be split is one word."""
    if not isinstance(run, str):
        return list(run)
    try:
        return shlex.split(run)
    except ValueError:
        return [run]


def script_name(words: list[str]) -> str:
    """The package.json script that these words run, or ""."""
    if not words or os.path.basename(words[0]) not in MANAGERS:
        return ""
    rest = [word for word in words[1:] if not word.startswith("-")]
    if len(rest) > 1 and rest[0] in ("run", "run-script"):
        return rest[1]
    if rest and rest[0] in SHORTHANDS:
        return "test" if rest[0] in ("t", "tst") else rest[0]
    return rest[0] if rest and os.path.basename(words[0]) in ("yarn", "pnpm") else ""


def script_body(check: Check, root: str) -> str:
    """The text of the script that the check names, "" when it names none."""
    words = words_of(check.run)
    name = script_name(words)
    if not name:
        return check.run if isinstance(check.run, str) else _shell_body(words)
    text = files.read_bytes_or_none(os.path.join(os.path.normpath(os.path.join(root, check.cwd)), "package.json"))
    try:
        body = json.loads(text or b"")["scripts"][name]
    except (ValueError, KeyError, TypeError):
        return ""
    return body if isinstance(body, str) else ""


def _shell_body(words: list[str]) -> str:
    shell = os.path.basename(words[0]) in ("sh", "bash", "dash", "zsh")
    return words[-1] if shell and any(word.startswith("-") and word.endswith("c") for word in words[1:-1]) else ""
