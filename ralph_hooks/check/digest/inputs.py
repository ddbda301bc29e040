"""What decides a check beside the files that git sees: ignored files, installed packages, the programs it runs.

Each is described by a short list of facts; equal facts mean that nothing moved. Nothing here starts a process.
"""

from __future__ import annotations

import os

from ralph_hooks import files
from ralph_hooks.check.digest.memo import digest_of, stamp
from ralph_hooks.check.environment import tool_directories, working_directory
from ralph_hooks.process.spawn import which

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.plan.config import Check
    from ralph_hooks.plan.locate import Project

    Fact = tuple[object, ...]

# Written by package managers whenever they change what is installed.
MARKERS = (
    "node_modules/.package-lock.json", "node_modules/.yarn-integrity", "node_modules/.modules.yaml",
    "node_modules/.yarn-state.yml", "vendor/composer/installed.json", ".bundle/config",
)  # fmt: skip
# Caches come and go in these, so that their time stamps say nothing; the names in them do.
LISTED = ("node_modules", "node_modules/.bin")
ENVIRONMENTS = (".venv", "venv")
SETTINGS = (".env", ".env.local", ".env.test", ".env.test.local")
PACKAGES = ("site-packages", "dist-packages")
INSTALLED = (".dist-info", ".egg-info", ".egg-link", ".pth")
READ_WHOLE = 1 << 20
ENTRIES = 2000
WORDS = 8


def facts(project: Project, wanted: list[str], check: Check) -> list[Fact]:
    """All facts about one check; `wanted` are the config's `memory_inputs`, relative to the root."""
    cwd = working_directory(check, project.root)
    found = [fact for path in wanted for fact in _wanted(project.root, path)]
    for place in _upwards(cwd, project.top):
        found += [_content(os.path.join(place, name)) for name in SETTINGS]
        found += [_state(os.path.join(place, name)) for name in MARKERS]
        found += [_listing(os.path.join(place, name)) for name in LISTED]
        for name in ENVIRONMENTS:
            found += _environment(os.path.join(place, name))
    path = ":".join([*tool_directories(project.root, cwd), check.env.get("PATH") or os.environ.get("PATH", os.defpath)])
    for program in _programs(check.run, cwd, path):
        found += program
    return [fact for fact in found if fact[1:] != (None,)]


def _upwards(start: str, top: str) -> list[str]:
    """`start` and the directories above it, up to `top`: where package managers look."""
    places = [start]
    while places[-1] != top and places[-1].startswith(top + "/"):
        places.append(os.path.dirname(places[-1]))
    return places


def _wanted(root: str, path: str) -> list[Fact]:
    """A named input: a file by its content, a directory by its entries. What is missing is a fact too."""
    whole = os.path.join(root, path)
    if any(letter in path for letter in "*?["):
        import glob  # 10 ms, for those who write a pattern

        return [_content(found) for found in sorted(glob.glob(whole, recursive=True, include_hidden=True))[:ENTRIES]]
    if not os.path.isdir(whole):
        return [(whole, _content(whole)[1] or "missing")]
    return [*_environment(whole), *(_state(os.path.join(whole, name)) for name in _names(whole)[:ENTRIES])]


def _names(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []


def _listing(directory: str) -> Fact:
    """A directory by the names in it, hidden ones left out."""
    return (directory, "\0".join(name for name in _names(directory) if name[0] != ".") or None)


def _content(path: str) -> Fact:
    """A file by what it holds, a large one by its stat; `None` when there is none."""
    try:
        size = os.stat(path).st_size
        regular = os.path.isfile(path)
    except OSError:
        return (path, None)
    text = files.read_bytes_or_none(path) if regular and size <= READ_WHOLE else None
    return _state(path) if text is None else (path, digest_of(text))


def _state(path: str) -> Fact:
    """A file or directory by its stat."""
    return (path, stamp(path))


def _environment(prefix: str) -> list[Fact]:
    """A Python environment: its own marker, its scripts, and every package that is installed in it."""
    lib = os.path.join(prefix, "lib")
    versions = [name for name in _names(lib) if name.startswith(("python", "pypy"))]
    packages = [
        fact for version in versions for name in PACKAGES for fact in _packages(os.path.join(lib, version, name))
    ]
    marks = [_content(os.path.join(prefix, "pyvenv.cfg")), _listing(os.path.join(prefix, "conda-meta"))]
    own = any(mark[1] for mark in marks)  # the scripts of /usr say nothing about a project
    return [*marks, *packages, *([_listing(os.path.join(prefix, "bin"))] if own else [])]


def _packages(directory: str) -> list[Fact]:
    """The names, and the stat of what an installer writes anew even for the same version."""
    names = [name for name in _names(directory) if name != "__pycache__"]
    marks = [_state(os.path.join(directory, name)) for name in names if name.endswith(INSTALLED)]
    return [(directory, "\0".join(names) or None), *marks]


def _programs(run: list[str] | str, cwd: str, path: str) -> list[list[Fact]]:
    """The facts of every program that the first words name, and of what interprets it."""
    words = ["bash", *run.split()] if isinstance(run, str) else [part for word in run for part in word.split()]
    found = [which(word, cwd, path) for word in words[:WORDS] if not word.startswith("-")]
    return [_program(program, cwd, path) for program in dict.fromkeys(found) if program]


def _program(program: str, cwd: str, path: str) -> list[Fact]:
    real = os.path.realpath(program)
    found: list[Fact] = [(program, real, stamp(real))]
    interpreter = _interpreter(real, cwd, path)
    if interpreter:
        found += _program(interpreter, cwd, path)
    elif os.path.basename(program).startswith(("python", "pypy")):
        for prefix in dict.fromkeys(os.path.dirname(os.path.dirname(one)) for one in (program, real)):
            found += _environment(prefix)
    return found


def _interpreter(program: str, cwd: str, path: str) -> str | None:
    """What a script's first line names, `env` looked through; `None` for a binary."""
    try:
        fd = os.open(program, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        line = os.read(fd, 256).partition(b"\n")[0]
    finally:
        os.close(fd)
    words = os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []
    named = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    if words and os.path.basename(words[0]) == "env" and named:
        return which(named[0], cwd, path)
    return words[0] if words and os.path.realpath(words[0]) != program else None
