"""What a check is made of beside its own line in the config: the script it names, the target, the runner's settings.

Only those parts count, never a whole `package.json` or `pyproject.toml`: adding a dependency is no change of a check.
"""

from __future__ import annotations

import os
import re

from ralph_hooks import fasthash, fastjson, files
from ralph_hooks.plan.words import script_name, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_hooks.plan.config import Check

RUNNER_FILES = {
    "pytest": ("pytest.ini", ".pytest.ini"),
    "jest": ("jest.config.js", "jest.config.ts", "jest.config.mjs", "jest.config.cjs", "jest.config.json"),
    "vitest": tuple(f"{tool}.config.{kind}" for tool in ("vitest", "vite") for kind in ("js", "ts", "mts", "mjs")),
    "mocha": (".mocharc.js", ".mocharc.cjs", ".mocharc.json", ".mocharc.yml", ".mocharc.yaml"),
    "tox": ("tox.ini", "tox.toml"),
    "nox": ("noxfile.py",),
    "cargo": (".cargo/config.toml", ".config/nextest.toml"),
    "phpunit": ("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"),
    "rspec": (".rspec",),
}
OUTSIDE = re.compile(r"/(node_modules|\.?venv|vendor)/")
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
JUSTFILES = ("justfile", "Justfile", ".justfile")


def inputs_of(check: Check, root: str) -> dict[str, str]:
    """Name of each input -> digest of its text."""
    cwd = os.path.normpath(os.path.join(root, check.cwd))
    words = words_of(check.run)
    parts = _package_script(words, cwd) | _targets(words, cwd) | _named_files(words, cwd)
    body = " ".join([*words, *(text for name, text in parts.items() if name.startswith("package.json"))])
    parts |= _runner_settings(body, cwd)
    return {name: fasthash.blake2(text.encode("utf-8", "surrogatepass"), 16) for name, text in parts.items()}


def differences(before: dict[str, dict[str, str]], now: dict[str, dict[str, str]]) -> list[str]:
    """Which inputs are not what they were, in sentences."""
    found = []
    for check, inputs in now.items():
        old = before.get(check)
        if old is None:
            continue
        names = sorted(name for name in old.keys() | inputs.keys() if old.get(name) != inputs.get(name))
        found += [f"{name} of the check `{check}` is not what was approved" for name in names]
    return found


def _text(path: str) -> str | None:
    data = files.read_bytes_or_none(path)
    return None if data is None else data.decode("utf-8", "replace")


def _parsed(path: str, parse: Callable[[str], Any]) -> dict[str, Any]:
    try:
        data = parse(_text(path) or "")
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _package_script(words: list[str], cwd: str) -> dict[str, str]:
    name = script_name(words)
    if not name:
        return {}
    scripts = _parsed(os.path.join(cwd, "package.json"), fastjson.loads).get("scripts")
    if not isinstance(scripts, dict):
        return {f"package.json scripts.{name}": ""}
    return {
        f"package.json scripts.{key}": str(scripts[key])
        for key in (name, f"pre{name}", f"post{name}")
        if key in scripts
    }


def _targets(words: list[str], cwd: str) -> dict[str, str]:
    tool = os.path.basename(words[0]) if words else ""
    names = MAKEFILES if tool in ("make", "gmake") else JUSTFILES if tool == "just" else ()
    wanted = [word for word in words[1:] if re.fullmatch(r"[\w.-]+", word) and not word.startswith("-")]
    for name in names:
        text = _text(os.path.join(cwd, name))
        if text is not None:
            return {f"{name} target {target}": _recipe(text, target) for target in wanted or [""]}
    return {}


def _recipe(text: str, target: str) -> str:
    """The rule and recipe of one target; without a name, of the first."""
    lines = text.splitlines()
    head = re.compile(rf"^@?{re.escape(target)}(\s[^:=]*)?::?(?!=)" if target else r"^[\w.-]+[^:=]*:(?!=)")
    for number, line in enumerate(lines):
        if head.match(line):
            rest = lines[number + 1 :]
            end = next((n for n, later in enumerate(rest) if later.strip() and not later[0].isspace()), len(rest))
            return "\n".join([line, *rest[:end]]).rstrip()
    return ""


def _named_files(words: list[str], cwd: str) -> dict[str, str]:
    """A shell script of the project that the check runs: `./test.sh`, `bash ci/test.sh`.

    Programs in other languages are not meant: `python suite.py` names the tests themselves, which the agent may edit.
    """
    shell = bool(words) and os.path.basename(words[0]) in ("sh", "bash", "dash", "zsh")
    candidates = [word for word in words[1:] if not word.startswith("-")][:1] if shell else words[:1]
    found: dict[str, str] = {}
    for word in candidates:
        path = os.path.normpath(os.path.join(cwd, word))
        if "/" in word + "/" * shell and path.startswith(cwd + os.sep) and not OUTSIDE.search(path):
            text = _text(path)
            found |= {word: text} if text is not None else {}
    return found


def _runner_settings(body: str, cwd: str) -> dict[str, str]:
    found = {}
    for runner, names in RUNNER_FILES.items():
        if not re.search(rf"\b{runner}\b", body):
            continue
        for name in names:
            text = _text(os.path.join(cwd, name))
            if text is not None:
                found[name] = text
    if re.search(r"\b(pytest|tox)\b", body):
        found |= _pytest_sections(cwd)
    if "jest" in body:
        settings = _parsed(os.path.join(cwd, "package.json"), fastjson.loads).get("jest")
        found |= {"package.json jest": _sorted(settings)} if settings is not None else {}
    return found


def _pytest_sections(cwd: str) -> dict[str, str]:
    found = {}
    if "[tool.pytest" in (_text(os.path.join(cwd, "pyproject.toml")) or ""):
        import tomllib

        tools = _parsed(os.path.join(cwd, "pyproject.toml"), tomllib.loads).get("tool")
        settings = tools.get("pytest") if isinstance(tools, dict) else None
        found["pyproject.toml [tool.pytest]"] = _sorted(settings)
    for name, section in (("setup.cfg", "tool:pytest"), ("tox.ini", "pytest")):
        path = os.path.join(cwd, name)
        values = _parsed(path, _ini).get(section) if os.path.exists(path) else None
        if values is not None:
            found[f"{name} [{section}]"] = _sorted(values)
    return found


def _sorted(settings: object) -> str:
    import json

    return json.dumps(settings, sort_keys=True, default=str)


def _ini(text: str) -> dict[str, dict[str, str]]:
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise ValueError(str(error)) from None
    return {section: dict(parser.items(section)) for section in parser.sections()}
