"""Which words a check really runs: argv, the body of the package script it names, or a shell line."""

from __future__ import annotations

import os
import re

from ralph_hooks import fastjson, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph_hooks.plan.config import Check

MANAGERS = ("npm", "pnpm", "yarn", "bun")
RUN_ALL = ("run-s", "run-p", "npm-run-all", "npm-run-all2")
SHELLS = ("sh", "bash", "dash", "zsh", "ksh")
MOST_SCRIPTS = 30
MOST_BYTES = 65536
QUOTING = "'\"\\\v\f"
SHORTHANDS = ("test", "start", "stop", "restart", "t", "tst")


def words_of(run: list[str] | str) -> list[str]:
    """The words of a check. A shell line is split as a shell would; what cannot be split is one word."""
    if not isinstance(run, str):
        return list(run)
    if run.isascii() and not any(letter in run for letter in QUOTING):
        return run.split()
    import shlex

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
    """The text that the check runs beside its own words, "" when there is none.

    A shell line or shell script, and the package scripts that these or other package scripts call.
    """
    cwd = os.path.normpath(os.path.join(root, check.cwd))
    words = words_of(check.run)
    own = check.run if isinstance(check.run, str) else _shell_body(words) or _shell_file(words, cwd)
    parts = {"": own}
    waiting = [words, *_commands(own)]
    scripts = _package_scripts(cwd) if any(script_names(command, ()) for command in waiting) else {}
    while waiting and len(parts) < MOST_SCRIPTS:
        for name in script_names(waiting.pop(0), scripts):
            if name not in parts and isinstance(scripts.get(name), str):
                parts[name] = scripts[name]
                waiting += _commands(scripts[name])
    return "\n".join(part for part in parts.values() if part)


def script_names(words: list[str], scripts: Iterable[str]) -> list[str]:
    """The package.json scripts that a command runs; several with `run-s`, `run-p`, `npm-run-all` and their patterns."""
    if words and os.path.basename(words[0]) in RUN_ALL:
        from fnmatch import fnmatch

        wanted = [word for word in words[1:] if not word.startswith("-")]
        return [name for word in wanted for name in [*(n for n in scripts if fnmatch(n, word)), word]]
    name = script_name(words)
    return [name] if name else []


def _commands(text: str) -> list[list[str]]:
    """The commands of a shell text, near enough to find the package scripts among them."""
    return [words_of(part.strip()) for part in re.split(r"&&|\|\||[;&|\n]", text) if part.strip()]


def _package_scripts(cwd: str) -> dict[str, str]:
    text = files.read_bytes_or_none(os.path.join(cwd, "package.json"))
    try:
        scripts = fastjson.loads((text or b"").decode("utf-8-sig"))["scripts"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return scripts if isinstance(scripts, dict) else {}


def _shell_body(words: list[str]) -> str:
    shell = bool(words) and os.path.basename(words[0]) in SHELLS
    return words[-1] if shell and any(word.startswith("-") and word.endswith("c") for word in words[1:-1]) else ""


def _shell_file(words: list[str], cwd: str) -> str:
    """The text of `./test.sh` or `bash ci/test.sh`; scripts for other interpreters are not read."""
    shell = bool(words) and os.path.basename(words[0]) in SHELLS
    name = next((word for word in words[1:] if not word.startswith("-")), "") if shell else (words or [""])[0]
    if not name or ("/" not in name and not shell):
        return ""
    text = (files.read_bytes_or_none(os.path.join(cwd, name)) or b"")[:MOST_BYTES].decode("utf-8", "replace")
    first = text.partition("\n")[0]
    return text if shell or re.match(r"#!.*[/ ](?:ba|da|z|k)?sh\b", first) else ""
