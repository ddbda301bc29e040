"""Commands that could never turn red, or never end (I2)."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence

from ralph_hooks.install import programs
from ralph_hooks.install.place import Place, table
from ralph_hooks.install.programs import MASK_HINT, Reason

SHELLS = ("sh", "bash", "dash", "zsh", "ksh")
MANAGERS = ("npm", "pnpm", "yarn", "bun")
# Words before the program that do not change what it is.
WRAPPERS = (
    "npx",
    "bunx",
    "env",
    "time",
    "nice",
    "cross-env",
    "dotenv",
    "command",
    "exec",
    "yarn",
    "pnpm",
    "bun",
    "uv",
    "run",
    "poetry",
    "pdm",
    "pipenv",
    "dlx",
    "x",
    "--",
    "bundle",
    "sudo",
    "xvfb-run",
)
ALWAYS_GREEN = ("true", ":", "echo", "printf", "exit 0")
AFTERWARDS = (*ALWAYS_GREEN, "rm", "date", "ls", "cat", "pwd")
PIPEFAIL = re.compile(r"\bset\s+(?:-\w*o\s+|-o\s+)pipefail\b|-o pipefail\b")
SUBSTITUTIONS = (re.compile(r"\$?\$\(\([^()]*\)\)"), re.compile(r"\$?\$\([^()]*\)"), re.compile(r"`[^`]*`"))
DEPTH = 5


def reason(run: str | Sequence[str], place: Place, depth: int = 0) -> Reason | None:
    """Why this command cannot be a check, and what to do instead; `None` when nothing speaks against it."""
    text = _shell_text(run)
    if text is not None:
        return _of_line(text, place, depth)
    return _of_command([str(word) for word in run], place, depth)


def _shell_text(run: str | Sequence[str]) -> str | None:
    if isinstance(run, str):
        return run
    words = list(run)
    if words and os.path.basename(words[0]) in SHELLS:
        for at, word in enumerate(words[1:-1], 1):
            if re.fullmatch(r"-\w*c", word):
                return " ".join(["set -o pipefail;" if "pipefail" in words[:at] else "", words[at + 1]]).strip()
    return None


def _of_line(text: str, place: Place, depth: int) -> Reason | None:
    parts = _split(text)
    if parts is None:
        return None
    if masked := _masked(parts, bool(PIPEFAIL.search(text))):
        return masked
    for words, _ in parts:
        if found := _of_command(words, place, depth):
            return found
    return None


def _split(text: str) -> list[tuple[list[str], str]] | None:
    """Simple commands, each with the operator after it; `None` when the quotes do not match."""
    for substitution in SUBSTITUTIONS:  # what is inside decides no exit code
        text = substitution.sub("_", text)
    lexer = shlex.shlex(text.replace("\\\n", " ").replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    parts: list[tuple[list[str], str]] = []
    words: list[str] = []
    try:
        for word in lexer:
            if word and set(word) <= set("&|;()") and word not in ("&>", "&>>"):
                parts.append((words, word))
                words = []
            else:
                words.append(word)
    except ValueError:
        return None
    parts.append((words, ""))
    while len(parts) > 1 and not parts[-1][0] and parts[-2][1] in (";", ")"):
        parts.pop()
        parts[-1] = (parts[-1][0], "")
    return parts


def _masked(parts: list[tuple[list[str], str]], pipefail: bool) -> Reason | None:
    for (words, operator), (after, _) in zip(parts, [*parts[1:], ([], "")], strict=True):
        shown = f"`{operator} {' '.join(after)}`".replace(" `", "`")
        if operator == "||" and (not after or _is_one_of(after, ALWAYS_GREEN)):
            return f"{shown} turns every failure into success", MASK_HINT
        if operator in ("|", "|&") and not pipefail:
            hint = "the gate keeps the whole output and shows its end; leave the pipe out"
            return f"{shown} hides the exit code of `{_without_redirections(words)}`", hint
    if parts[-1] == ([], "") and len(parts) > 1 and parts[-2][1] == "&":
        return "the trailing `&` leaves before the tests have run", MASK_HINT
    if len(parts) > 1 and parts[-2][1] == ";" and _is_one_of(parts[-1][0], AFTERWARDS):
        return f"`; {' '.join(parts[-1][0])}` decides the exit code, not the tests", MASK_HINT
    return None


def _without_redirections(words: list[str]) -> str:
    return re.sub(r"\s*\b\d?\s*[<>]+&?\s*\S+", "", " ".join(words))


def _is_one_of(words: list[str], commands: Sequence[str]) -> bool:
    return bool(words) and (words[0] in commands or " ".join(words[:2]) in commands)


def _of_command(words: list[str], place: Place, depth: int) -> Reason | None:
    words, assigned = _bare(words, place)
    if not words:
        return None
    program = os.path.basename(words[0])
    if (shell := _shell_text(words)) is not None:
        return _of_line(shell, place, depth + 1)
    if found := programs.runs_for_ever(program, words[1:], assigned) or programs.cannot_fail(program, words[1:]):
        return found
    if depth < DEPTH:
        for body, where in _bodies(program, words, place):
            if found := _of_body(body, where, place, depth):
                return found
    return None


def _bare(words: list[str], place: Place) -> tuple[list[str], dict[str, str]]:
    """The words from the program on, and the variables that are set before it."""
    assigned: dict[str, str] = {}
    words = list(words)
    while words:
        match = re.fullmatch(r"([A-Za-z_]\w*)=(.*)", words[0], re.S)
        if match:
            assigned[match.group(1)] = match.group(2)
        elif words[0] not in WRAPPERS or len(words) < 2 or _is_script(words, place):
            break
        words = words[1:]
    return words, assigned


def _is_script(words: list[str], place: Place) -> bool:
    """`yarn test` runs a script; `yarn jest` runs a program, unless there is a script of that name."""
    scripts = table(place.json("package.json"), "scripts")
    return words[0] in MANAGERS and (
        words[1] in ("test", "run", "run-script", "t", "tst", "start") or words[1] in scripts
    )


def _bodies(program: str, words: list[str], place: Place) -> Iterator[tuple[str, str]]:
    """The text behind the name of a package script or a make or just target."""
    from ralph_hooks.plan.words import script_name

    if program in MANAGERS and (name := script_name([program, *words[1:]])):
        scripts = table(place.json("package.json"), "scripts")
        for each in (f"pre{name}", name, f"post{name}"):
            if isinstance(scripts.get(each), str):
                yield scripts[each], f"the script `{each}` of `{place.shown('package.json')}`"
    if program in ("make", "gmake", "just"):
        for target in [word for word in words[1:] if not word.startswith("-") and "=" not in word]:
            for file in (
                ("GNUmakefile", "makefile", "Makefile") if program != "just" else ("justfile", "Justfile", ".justfile")
            ):
                for line in recipe(place.text(file), target):
                    yield line, f"the target `{target}` of `{place.shown(file)}`"


def _of_body(body: str, where: str, place: Place, depth: int) -> Reason | None:
    if re.search(r"Error: no test specified", body):
        return f"{where} is npm's placeholder: no test specified", "write tests, then `npm pkg set scripts.test=…`"
    if body.startswith("-") and "Makefile" in where:
        return f"{where} ignores the failure of `{body.lstrip('-@ ')}`: its line starts with `-`", MASK_HINT
    found = reason(body.lstrip("@-+ "), place, depth + 1)
    return (f"{where} cannot be used: {found[0]}", found[1]) if found else None


def recipe(text: str, target: str) -> list[str]:
    """The recipe lines of a target in a Makefile or justfile."""
    lines = text.replace("\\\n", " ").splitlines()
    found: list[str] = []
    inside = False
    for line in lines:
        if re.match(rf"@?{re.escape(target)}(?:\s[^:=]*)?::?(?!=)", line):
            inside = True
        elif inside and line[:1] in ("\t", " "):
            found.append(line.strip())
        elif inside and line.strip() and not line.startswith("#"):
            inside = False
    return found
