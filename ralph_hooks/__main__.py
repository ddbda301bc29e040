"""argv -> the hook's hot path, or the command line. The only place that exits."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """The `ralph-hooks` command."""
    if sys.argv[1:2] == ["hook"]:
        from ralph_hooks.hook import main as hook

        sys.exit(hook(sys.argv[2:]))
    sys.exit(_command_line(sys.argv[1:]))


def _command_line(words: list[str]) -> int:
    from ralph_hooks.cli.main import main as command_line

    try:
        code = command_line(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # the reader has gone; keep the interpreter's own flush at exit from saying so
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141
    except Exception as error:
        return _bug(error)
    return code


def _bug(error: Exception) -> int:
    from ralph_hooks.bugs import write_report
    from ralph_hooks.errors import EXIT_BUG

    where = write_report(error)
    sys.stderr.write(f"bug: {type(error).__name__}: {error}\nhint: report it with the file `{where}`\n")
    return EXIT_BUG


if __name__ == "__main__":
    main()
