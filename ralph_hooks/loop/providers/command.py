"""Any program: `[loop] command`, the prompt on standard input, the report in the file that is named to it."""

from __future__ import annotations

import os
import stat

from ralph_hooks.gate.report import ReportError, parse
from ralph_hooks.loop.providers.base import REPORT_FILE, Capabilities, Heard, Launch, Order, Provider, action

MOST_BYTES = 1 << 20


def launch(order: Order) -> Launch:
    """The file's name holds a nonce, so that no round can write the report of another."""
    report = os.path.join(order.scratch, f"report-{os.urandom(8).hex()}.json")
    argv = [*order.command, *order.arguments]
    return Launch(
        argv=argv, stdin=order.prompt.encode("utf-8", "replace"), env={REPORT_FILE: report}, report_file=report
    )


class CommandListener:
    """What the program prints is only shown; its report counts, and nothing else does."""

    def __init__(self, launch: Launch) -> None:
        self.heard = Heard()
        self._report = launch.report_file
        self._seen: tuple[int, int] | None = None

    def hear(self, line: bytes) -> None:
        self.heard.events += 1
        self.heard.action = action(line[:4096].decode("utf-8", "replace")) or self.heard.action

    def look(self) -> None:
        """Take the report once it is whole; what is half written is looked at again."""
        text = self._changed()
        if text is None:
            return
        self.heard.final = text
        try:
            parse(text)
        except ReportError:
            self._seen = None

    def _changed(self) -> str | None:
        try:
            fd = os.open(self._report, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return None
        try:
            found = os.fstat(fd)
            seen = (found.st_mtime_ns, found.st_size)
            if not stat.S_ISREG(found.st_mode) or seen == self._seen:
                return None
            self._seen = seen
            return os.read(fd, MOST_BYTES).decode("utf-8", "replace")
        except OSError:
            return None
        finally:
            os.close(fd)


PROVIDER = Provider(
    name="command",
    capabilities=Capabilities(report_file=True),
    refused={},
    launch=launch,
    listen=CommandListener,
)
