"""argv -> the hook's hot path, or the command line. The only place that exits."""

from __future__ import annotations

import os
import sys

from ralph_hooks.process import signals


def main() -> None:
    """The `ralph-hooks` command."""
    _fill_closed_streams()
    signals.keep_children()
    if sys.argv[1:2] == ["hook"]:
        from ralph_hooks.hook import main as hook

        sys.exit(hook(sys.argv[2:]))
    sys.exit(_command_line(sys.argv[1:]))


def _fill_closed_streams() -> None:
    """A parent may start us with a standard stream closed; the next file that is opened would take its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open to the end


def _command_line(words: list[str]) -> int:
    from ralph_hooks.cli.main import main as command_line

    try:
        code = command_line(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _drop_output()
        return 141
    except OSError as error:
        return _lost_output() or _bug(error)
    except Exception as error:
        return _bug(error)
    return code


def _drop_output() -> None:
    """Keep the interpreter's own flush at exit from saying again that the reader has gone, or that the disk is full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _lost_output() -> int:
    """The exit code when it is standard output that cannot be written, which is no bug; else 0."""
    try:
        sys.stdout.write("\n")  # what failed may be gone from the buffer by now
        sys.stdout.flush()
    except OSError as error:
        _drop_output()
        sys.stderr.write(f"error: standard output cannot be written: {error.strerror}\n")
        return 1
    return 0


def _bug(error: Exception) -> int:
    from ralph_hooks.bugs import write_report
    from ralph_hooks.errors import EXIT_BUG

    where = write_report(error)
    sys.stderr.write(f"bug: {type(error).__name__}: {error}\nhint: report it with the file `{where}`\n")
    return EXIT_BUG


if __name__ == "__main__":
    main()
