"""Whether a `pyproject.toml` is a config of ours, where a look at its lines cannot tell."""

from __future__ import annotations

import tomllib


def has_table(text: bytes) -> bool | None:
    """Whether it holds `tool.ralph-hooks`, whatever that is; `None` when it is not TOML."""
    try:
        tool = tomllib.loads(text.decode().removeprefix("\ufeff")).get("tool")
    except (ValueError, RecursionError):
        return None
    return isinstance(tool, dict) and "ralph-hooks" in tool
