"""argv -> the hook's hot path, or the command line. The only place that exits."""

from __future__ import annotations

import sys


def main() -> None:
    """The `ralph-hooks` command."""
    if sys.argv[1:2] == ["hook"]:
        from ralph_hooks.hook import main as hook

        sys.exit(hook(sys.argv[2:]))
    from ralph_hooks.cli.main import main as command_line

    sys.exit(command_line(sys.argv[1:]))


if __name__ == "__main__":
    main()
