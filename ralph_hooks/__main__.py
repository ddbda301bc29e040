"""argv -> the hook's hot path, or the command line. The only place that exits."""

from __future__ import annotations

import errno
import os
import sys

CLOSED = (errno.EACCES, errno.EPERM, errno.ENOTDIR)
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


def main() -> None:
    """The `ralph-hooks` command."""
    _open_streams()
    if sys.argv[1:2] == ["hook"]:
        sys.exit(_hook(sys.argv[2:]))
    sys.exit(_command_line(sys.argv[1:]))


def _open_streams() -> None:
    """A descriptor that came closed would be taken by the next file that is opened."""
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _hook(words: list[str]) -> int:
    """The hook answers for its own faults; this is for an installation that is broken before that."""
    try:
        from ralph_hooks.hook import main as hook

        return hook(words)
    except Exception as error:
        where = _plain(f"{type(error).__name__}: {error}; {_report(error)}")
        os.write(1, b'{"systemMessage":"ralph-hooks: NOT VERIFIED (bug): %s"}\n' % where)
        return 0


def _plain(text: str) -> bytes:
    """What stands in a JSON string as it is: with no descriptor or memory left, nothing can be imported."""
    return "".join(c if " " <= c <= "~" and c not in '"\\' else "?" for c in text[:1000]).encode()


def _command_line(words: list[str]) -> int:
    from ralph_hooks.cli.main import main as command_line
    from ralph_hooks.process import signals

    signals.keep_children()
    try:
        code = command_line(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return _deaf(141)
    except OSError as error:
        if error.errno not in UNWRITABLE and not _barred(error):
            return _bug(error)
        where = f"`{error.filename}`" if error.filename else "the output"
        hint = f"hint: {_way_out(error)}\n" if error.filename else ""
        sys.stderr.write(f"error: {where} cannot be written: {error.strerror}\n{hint}")
        return _deaf(1)
    except Exception as error:
        return _bug(error)
    return code


def _barred(error: OSError) -> bool:
    """Whether the way to our own state is closed (then it names what stands above), or the state itself."""
    from ralph_hooks import paths

    if not isinstance(error.filename, str):
        return False
    name, state = os.path.join(error.filename, ""), os.path.join(paths.state_dir(), "")
    return state.startswith(name) or (error.errno in CLOSED and name.startswith(state))


def _way_out(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"`df -h {os.path.dirname(error.filename)}` shows what room is left"
    return "`ralph-hooks doctor` says what keeps it from being written; XDG_STATE_HOME moves it"


def _deaf(code: int) -> int:
    """Nobody takes the output: keep the interpreter's own flush at exit from saying so."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return code


def _bug(error: Exception) -> int:
    from ralph_hooks.errors import EXIT_BUG

    sys.stderr.write(f"bug: {type(error).__name__}: {error}\nhint: {_report(error)}\n")
    return EXIT_BUG


def _report(error: Exception) -> str:
    try:
        from ralph_hooks.bugs import write_report

        where = write_report(error)
    except Exception:
        where = ""
    return f"report it with the file `{where}`" if where else "no report could be written"


if __name__ == "__main__":
    main()
