"""One driver per checkout (F19), and how a running one is told to end (F22)."""

from __future__ import annotations

import os
import threading
from types import TracebackType

from filelock import FileLock, Timeout

from ralph_hooks import fastjson, files
from ralph_hooks.errors import RalphError
from ralph_hooks.gate.owner import FILE, Driver, recorded
from ralph_hooks.loop.endings import EXIT_INTERRUPT, EXIT_TERMINATED
from ralph_hooks.loop.providers.base import RUN_MARK
from ralph_hooks.plan.locate import Project
from ralph_hooks.process import signals, table, tree

STOP_FILE = "driver-stop.json"


class Ownership:
    """Held while a loop runs: a lock, the driver's identity beside it, and the mark that its whole tree carries."""

    def __init__(self, project: Project, name: str) -> None:
        pid = os.getpid()
        self.driver = Driver(pid, table.start_time(pid), f"{pid}-{os.urandom(8).hex()}", name)
        self.swept: list[int] = []
        self._directory = project.checkout
        self._lock = FileLock(os.path.join(project.checkout, "driver.lock"), timeout=0)
        self._outer_mark = os.environ.get(RUN_MARK)

    def __enter__(self) -> Ownership:
        try:
            files.make_dirs(self._directory)
            before = recorded(self._directory)
            self._lock.acquire()
        except Timeout:
            name = f"`{before.name}` (pid {before.pid})" if before else "another loop"
            hint = f"`ralph-hooks loop stop {before.name}` ends it after its round" if before else ""
            raise RalphError(f"{name} already drives this checkout", hint) from None
        except OSError as error:
            sentence = f"the state directory `{self._directory}` cannot be used: {error.strerror}"
            raise RalphError(sentence, "ralph-hooks doctor") from None
        try:
            self._bury(recorded(self._directory))
            files.remove(os.path.join(self._directory, STOP_FILE))
            files.write_state(os.path.join(self._directory, FILE), fastjson.dumps(self.driver.as_dict()).encode())
        except BaseException:
            self._lock.release()
            raise
        os.environ[RUN_MARK] = self.driver.run  # the checks that we run carry it too
        return self

    def _bury(self, before: Driver | None) -> None:
        """Whatever a dead predecessor left running is gone before a round starts."""
        if before is None:
            return
        # twice: a process in the middle of its exec shows no environment for a moment
        self.swept = tree.sweep(before.run, RUN_MARK) + tree.sweep(before.run, RUN_MARK)
        left = tree.marked(before.run, RUN_MARK)
        if left:
            raise RalphError(
                f"processes of the dead loop `{before.name}` cannot be ended: {', '.join(map(str, sorted(left)))}"
            )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._outer_mark is None:
            os.environ.pop(RUN_MARK, None)
        else:
            os.environ[RUN_MARK] = self._outer_mark
        files.remove(os.path.join(self._directory, STOP_FILE))
        files.remove(os.path.join(self._directory, FILE))
        self._lock.release()


class Stopper:
    """What a person asked for: `after_round` ends the loop once the round is over, `now` (an exit code) at once.

    Inside `with`, the first INT means after the round, the second or a TERM or HUP means now. Signals are only taken
    in the main thread; `request` works from any.
    """

    def __init__(self) -> None:
        self.after_round = False
        self.now = 0
        self._before: list[tuple[int, object]] = []

    def request(self, *, now: bool = False) -> None:
        """Ask for the end."""
        self.after_round = True
        if now:
            self.now = self.now or EXIT_TERMINATED

    def __enter__(self) -> Stopper:
        if threading.current_thread() is threading.main_thread():
            for number in (signals.INT, signals.TERM, signals.HUP):
                if signals.ignored(number):  # nohup, or a shell's background job: a person decided that
                    continue
                self._before.append((number, signals.replace(number, self._on_signal)))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before:
            signals.on(number, handler)
        self._before.clear()

    def _on_signal(self, number: int, frame: object) -> None:
        if number != signals.INT:
            self.now = self.now or EXIT_TERMINATED
        elif self.after_round:
            self.now = self.now or EXIT_INTERRUPT
        self.after_round = True

    def look(self, checkout: str, run: str) -> None:
        """Take a request that another process left for this very run."""
        data = files.read_bytes_or_none(os.path.join(checkout, STOP_FILE))
        if data is None:
            return
        try:
            wanted = fastjson.loads(data.decode("utf-8", "replace"))
        except fastjson.JsonError:
            return
        if isinstance(wanted, dict) and wanted.get("run") == run:
            self.request(now=wanted.get("now") is True)


def ask_to_stop(checkout: str, driver: Driver, *, now: bool) -> None:
    """Leave a request for a running driver; it looks several times a second."""
    text = fastjson.dumps({"run": driver.run, "now": now})
    files.write_state(os.path.join(checkout, STOP_FILE), text.encode())
