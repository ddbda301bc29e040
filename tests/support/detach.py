"""Run a command as a child of init: `detach.py PROGRAM ARG …`, with its streams, its signals and its exit code.

`ralph-hooks` refuses a person's verbs to whatever an agent started, known by the ancestors. Tests play the person, and
may well be started by an agent themselves. A process that detaches itself is beyond that rule, as docs/threats.md says;
this one does. Only the standard library: it runs with `python -I -S`.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def main(argv: list[str]) -> int:
    """Stand for the command: forward signals, leave as it leaves. It is killed when this process is."""
    told, tell = os.pipe()
    alive, living = os.pipe()  # its other end is held by this process alone
    between = os.fork()
    if not between:
        parent = os.getpid()
        if not os.fork():
            for fd in (told, living):
                os.close(fd)
            while os.getppid() == parent:
                time.sleep(0.001)
            os._exit(wait_on(argv, tell, alive))
        os._exit(0)
    os.waitpid(between, 0)
    for fd in (tell, alive):
        os.close(fd)
    return stand_for(told)


def stand_for(told: int) -> int:
    """The status that comes over the pipe, as this process's own end."""
    text = b""
    while b"\n" not in text and (part := os.read(told, 64)):
        text += part
    pid, _, text = text.partition(b"\n")
    for number in FORWARDED:
        signal.signal(number, lambda number, frame: os.kill(int(pid), number))
    while part := os.read(told, 64):
        text += part
    code = os.waitstatus_to_exitcode(int(text or b"9"))
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code not in (signal.SIGKILL, signal.SIGSTOP) else None
        os.kill(os.getpid(), -code)
    return code


def wait_on(argv: list[str], tell: int, alive: int) -> int:
    """In the orphan: start the command, tell its id and later its status; kill it when nobody waits any more."""
    pid = os.fork()
    if not pid:
        os.close(tell)
        os.close(alive)
        try:
            os.execvp(argv[0], argv)
        except OSError as error:
            os.write(2, f"{argv[0]}: {error.strerror}\n".encode())
            os._exit(127)
    os.write(tell, b"%d\n" % pid)
    ended = os.pidfd_open(pid)
    ready, _, _ = select.select([ended, alive], [], [])
    if ended not in ready:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    try:
        os.write(tell, b"%d" % status)
    except BrokenPipeError:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
