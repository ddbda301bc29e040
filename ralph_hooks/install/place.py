"""One directory that may hold a project, read once per file."""

from __future__ import annotations

import glob
import json
import os
import tomllib
from typing import Any

from ralph_hooks import files

# Where no project of the person's own lives.
FOREIGN = frozenset((
    "node_modules", "vendor", "target", "dist", "build", "out", "bin", "obj", "venv", "env", "site-packages",
    "__pycache__", "fixtures", "third_party", "examples", "deps", "_build", "Pods", "testdata",
))  # fmt: skip


class Place:
    """A directory. Files that cannot be read or parsed are as good as missing."""

    def __init__(self, root: str, path: str = ".") -> None:
        self.root = root
        self.path = os.path.normpath(path)
        self._texts: dict[str, str | None] = {}

    @property
    def directory(self) -> str:
        return os.path.normpath(os.path.join(self.root, self.path))

    def shown(self, name: str) -> str:
        """A file of this directory as the person knows it, relative to the root."""
        return os.path.normpath(os.path.join(self.path, name))

    def has(self, *names: str) -> str:
        """The first of these files or directories that exists, or ""."""
        return next((name for name in names if os.path.exists(os.path.join(self.directory, name))), "")

    def find(self, *patterns: str) -> list[str]:
        """Files that match, relative to this directory, sorted; dependencies and build output left out."""
        found = {name for pattern in patterns for name in glob.iglob(pattern, root_dir=self.directory, recursive=True)}
        return sorted(name for name in found if not FOREIGN & set(name.split(os.sep)[:-1]))

    def text(self, name: str) -> str:
        """The file's text, "" when there is none."""
        if name not in self._texts:
            data = files.read_bytes_or_none(os.path.join(self.directory, name))
            self._texts[name] = None if data is None else data.decode("utf-8", "replace")
        return self._texts[name] or ""

    def json(self, name: str) -> dict[str, Any]:
        """The JSON object in a file, `{}` when there is none."""
        try:
            value = json.loads(self.text(name))
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    def toml(self, name: str) -> dict[str, Any]:
        """The TOML table in a file, `{}` when there is none."""
        try:
            return tomllib.loads(self.text(name))
        except (tomllib.TOMLDecodeError, RecursionError):
            return {}

    def inside(self, name: str) -> Place:
        """A directory below this one."""
        return Place(self.root, os.path.join(self.path, name))


def table(value: Any, *keys: str) -> dict[str, Any]:
    """The table at these keys, `{}` where something else or nothing stands."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
