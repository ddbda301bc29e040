"""From the argv or script of a check to the simple commands in it, without the wrappers around them."""

from __future__ import annotations

import os
import re

from ralph_hooks.check.evidence import wrappers

BODY_CHARS = 65536
MOST = 500

_TOKEN = re.compile(
    r"""(?P<space>(?:[ \t\r]|\\\n)++)
      | (?P<comment>(?<![^\s;&|()])\#[^\n]*+)
      | (?P<redirect>(?:\d?(?:<<<?|>>|[<>])[&|-]?|&>>?)[ \t]*+
                     (?:[^\s'"\\;&|()<>]++|'[^']*+'|"(?:[^"\\]|\\.)*+")?+)
      | (?P<stop>&&|\|\||;;?|\|&?|&|[()\n])
      | (?P<word>(?:[^\s'"\\;&|()<>]++|'[^']*+'|"(?:[^"\\]|\\.)*+"|\\.|['"\\])++)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_PIECE = re.compile(r"""'([^']*+)'|"((?:[^"\\]|\\.)*+)"|\\(.)|([^'"\\]++|.)""", re.DOTALL)
_QUOTED = re.compile(r"""\\([$`"\\\n])""")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")


def simple_commands(words: list[str], script_body: str = "") -> list[list[str]]:
    """Every simple command of an argv and of the script that it runs, wrappers dropped.

    The first word of each is a program's plain name: `["pytest", "-q"]` for `uv run -- python3 -m pytest -q`.
    """
    found: list[list[str]] = []
    waiting = [words, *split(script_body)]
    while waiting and len(found) < MOST:
        command = _unwrap(waiting.pop(0))
        if command and command[0] in wrappers.SHELLS and (inner := _shell_string(command)):
            waiting = split(inner) + waiting
        elif command:
            found.append(command)
    return found


def split(body: str) -> list[list[str]]:
    """The simple commands of a shell text as plain words. Quotes that never end are read as plain characters."""
    commands: list[list[str]] = [[]]
    for token in _TOKEN.finditer(body[:BODY_CHARS]):
        if token.lastgroup == "stop":
            commands.append([])
        elif token.lastgroup == "word":
            commands[-1].append(_plain(token.group()))
    return [command for command in commands if command]


def _plain(word: str) -> str:
    pieces = _PIECE.finditer(word)
    return "".join(_QUOTED.sub(r"\1", p[2]) if p[2] is not None else (p[1] or p[3] or p[4] or "") for p in pieces)


def _shell_string(words: list[str]) -> str:
    for at, word in enumerate(words[1:], 1):
        if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            return words[at + 1] if at + 1 < len(words) else ""
    return ""


def _unwrap(words: list[str]) -> list[str]:
    """Drop assignments, keywords and wrappers one after the other until a program is left."""
    for _ in range(12):
        words = _without_prefix(words)
        if not words:
            return []
        words = [_program(words[0]), *words[1:]]
        inner = _inside(words)
        if inner is None:
            return words
        words = inner
    return words


def _program(word: str) -> str:
    """The plain name: without directories, and without the version of `npx vitest@3`."""
    name = os.path.basename(word)
    at = name.find("@", 1)
    return name if at < 0 else name[:at]


def _without_prefix(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) and (_ASSIGNMENT.match(words[at]) or words[at] in wrappers.KEYWORDS):
        at += 1
    return words[at:]


def _inside(words: list[str]) -> list[str] | None:
    """The command that this one starts, or `None` when it is no known wrapper."""
    name = words[0]
    if wrappers.PYTHON.match(name):
        return _python(words)
    if name == "node":
        return _node(words)
    options = wrappers.SUBCOMMANDS.get((name, words[1])) if len(words) > 1 else None
    if options is not None:
        return _after_options(words[2:], options)
    if name not in wrappers.OPTIONS:
        return None
    rest = _after_options(words[1:], wrappers.OPTIONS[name])
    return rest[1:] if name == "timeout" else rest


def _after_options(words: list[str], with_value: set[str]) -> list[str]:
    at = 0
    while at < len(words) and (words[at].startswith("-") or _ASSIGNMENT.match(words[at])):
        if words[at] == "--":
            return words[at + 1 :]
        if words[at] in ("-m", "--module"):
            return ["python", "-m", *words[at + 1 :]]
        at += 2 if words[at] in with_value else 1
    return words[at:]


def _python(words: list[str]) -> list[str] | None:
    """`python -m X` is `X`; `python manage.py` stays."""
    at = 1
    while at < len(words) and words[at].startswith("-"):
        if words[at].endswith("m") and not words[at].startswith("--"):
            return words[at + 1 :]
        at += 2 if words[at] in wrappers.PYTHON_OPTIONS else 1
    return None


def _node(words: list[str]) -> list[str] | None:
    """`node …/bin/jest.js` is `jest`; `node --test` stays."""
    if "--test" in words:
        return None
    rest = _after_options(words[1:], wrappers.NODE_OPTIONS)
    if not rest or "node_modules" not in rest[0].split("/"):
        return None
    return [re.sub(r"\.[cm]?js$", "", os.path.basename(rest[0])), *rest[1:]]
