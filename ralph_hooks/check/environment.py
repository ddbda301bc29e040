"""What a check's process sees (G8): the person's environment without the agent's, the client's or git's own marks."""

from __future__ import annotations

import os

from ralph_hooks.process.tree import CHECK_ID, RUN_ID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ralph_hooks.plan.config import Check

# A suite must not behave differently because an agent is near, and the client's credentials are not its business.
DROPPED_PREFIXES = ("CLAUDE", "CODEX", "ANTHROPIC_", "RALPH_HOOKS_")
DROPPED = frozenset((
    "AI_AGENT",
    # set by git for its hooks: they would send every git call of the suite to the wrong repository
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_REFLOG_ACTION", "GIT_EXEC_PATH", "GIT_EDITOR",
    "GIT_CEILING_DIRECTORIES", "GIT_NAMESPACE",
    # colour that is forced beats colour that is off
    "FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "CARGO_TERM_COLOR",
))  # fmt: skip
ADDED = {"CI": "1", "NO_COLOR": "1", "TERM": "dumb", "CARGO_TERM_COLOR": "never", "PAGER": "cat", "GIT_PAGER": "cat"}
TOOL_DIRS = (".venv/bin", "venv/bin", "node_modules/.bin", "vendor/bin")


def environment(check: Check, root: str, run_id: str, outer: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of one check. `env = {NAME = ""}` in the config takes NAME away."""
    outer = os.environ if outer is None else outer
    env = {name: value for name, value in outer.items() if not _dropped(name) or _kept(name, check.keep_env)}
    env.update({name: value for name, value in ADDED.items() if not _kept(name, check.keep_env)})
    directories = tool_directories(root, working_directory(check, root))
    env["PATH"] = ":".join([*directories, env.get("PATH", os.defpath)])
    _activate(env, directories)
    env[RUN_ID] = run_id
    env[CHECK_ID] = check_id(run_id, check.name)
    for name, value in check.env.items():
        if value:
            env[name] = value
        else:
            env.pop(name, None)
    return env


def check_id(run_id: str, name: str) -> str:
    """The mark of one check's processes."""
    return f"{run_id} {name}"


def working_directory(check: Check, root: str) -> str:
    """The check's absolute working directory."""
    return os.path.normpath(os.path.join(root, check.cwd))


def tool_directories(root: str, cwd: str) -> list[str]:
    """The project's own tool directories that exist, the check's directory before the root."""
    places = [cwd] if cwd == root else [cwd, root]
    found = [os.path.join(place, name) for place in places for name in TOOL_DIRS]
    return [directory for directory in found if os.path.isdir(directory)]


def _activate(env: dict[str, str], directories: list[str]) -> None:
    for directory in directories:
        if os.path.exists(os.path.join(directory, "python")):
            env["VIRTUAL_ENV"] = os.path.dirname(directory)
            env.pop("PYTHONHOME", None)
            return


def _dropped(name: str) -> bool:
    return name in DROPPED or name.startswith(DROPPED_PREFIXES)


def _kept(name: str, keep: list[str]) -> bool:
    return any(name == entry or (entry.endswith("*") and name.startswith(entry[:-1])) for entry in keep)
