"""Files that ship beside the code: hooks, templates, the plugin's manifest."""

from __future__ import annotations

import os

from ralph_hooks.errors import RalphError

PACKAGE = os.path.dirname(os.path.abspath(__file__))


def resource(name: str) -> str:
    """The path of `hooks`, `templates` or `.claude-plugin`, from a wheel, an sdist's tree or an editable install.

    Raises `RalphError` when the installation is incomplete.
    """
    for place in (os.path.join(PACKAGE, "_data"), os.path.dirname(PACKAGE)):
        path = os.path.join(place, name)
        if os.path.exists(path):
            return path
    raise RalphError(
        f"`{name}` is missing from this installation", "python -m pip install --force-reinstall ralph-hooks"
    )
