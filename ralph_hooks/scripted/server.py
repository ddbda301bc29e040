"""The common half of the scripted servers: sockets, routing to scripts, the record of what was asked."""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from ralph_hooks.scripted.handler import handler_for
from ralph_hooks.scripted.request import MAIN, SUBAGENT, Request
from ralph_hooks.scripted.script import Answer, Block, Error, Script, Step

Scripted = Script | Sequence[Step]


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # five, the default, resets connections of agents that run side by side

    def handle_error(self, request: object, client_address: object) -> None:
        """Quiet: a request that is no HTTP, or a client that hung up, is the client's own affair."""


class ScriptedServer(ABC):
    """A model API on 127.0.0.1, alive inside `with`.

    The n-th session plays the n-th script, and the last script goes on for all later sessions; subagents play
    `agents` the same way, by order of their first request. `tokens` (input, output) is the usage claimed per answer.
    """

    def __init__(
        self, *scripts: Scripted, agents: Sequence[Scripted] = (), tokens: tuple[int, int] = (1000, 50)
    ) -> None:
        self.scripts = {MAIN: _scripts(scripts), SUBAGENT: _scripts(agents)}
        self.tokens = tokens
        self.requests: list[Request] = []
        self.faults: list[Exception] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._seen: dict[str, list[str]] = {MAIN: [], SUBAGENT: []}
        self._count = 0

    # What a vendor's dialect adds.
    unfinished = -1
    """How many events to leave out at the end so that a reply stays unfinished, as a negative index."""

    @abstractmethod
    def read(self, request: Request) -> Request:
        """The same request with role, session, agent, shown, results and tools filled in."""

    @abstractmethod
    def side(self, request: Request) -> Mapping[str, Any] | Answer:
        """A neutral reply to what no script answers: a JSON body, or an answer of the model."""

    @abstractmethod
    def whole(self, blocks: Sequence[Block], request: Request, number: int) -> Mapping[str, Any]:
        """The reply as one JSON body."""

    @abstractmethod
    def events(self, blocks: Sequence[Block], request: Request, number: int) -> Iterable[tuple[str, Mapping[str, Any]]]:
        """The reply as server-sent events."""

    @abstractmethod
    def refusal(self, failed: Error) -> Mapping[str, Any]:
        """The JSON body of an error."""

    def stream(self, blocks: Sequence[Block], request: Request, number: int) -> Iterator[bytes]:
        """The reply as server-sent events, one chunk each; both vendors repeat the event's name inside the data."""
        for name, data in self.events(blocks, request, number):
            yield f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()

    @property
    def turns(self) -> list[Request]:
        """The requests of the main agent, oldest first."""
        return [request for request in self.requests if request.role == MAIN]

    @property
    def agent_turns(self) -> list[Request]:
        """The requests of subagents."""
        return [request for request in self.requests if request.role == SUBAGENT]

    @property
    def url(self) -> str:
        """`http://127.0.0.1:PORT`."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def answer(self, request: Request) -> tuple[Mapping[str, Any] | Answer, int]:
        """Record the request; what to reply, and the running number of the reply."""
        with self._lock:
            self._count += 1
            number = self._count
            self.requests.append(request)
            script = self._script(request)
        if script is None:
            return self.side(request), number
        try:
            return script.answer(request), number
        except Exception as fault:
            self.faults.append(fault)
            return Error(400, f"the script failed: {fault}"), number

    def _script(self, request: Request) -> Script | None:
        if request.role not in self._seen:
            return None
        seen, key = self._seen[request.role], request.agent or request.session
        if key not in seen:
            seen.append(key)
        scripts = self.scripts[request.role]
        return scripts[min(seen.index(key), len(scripts) - 1)]

    def __enter__(self) -> Self:
        self._http = _Http(("127.0.0.1", 0), handler_for(self))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
        if error is None and self.faults:
            raise self.faults[0]


def _scripts(given: Sequence[Scripted]) -> list[Script]:
    return [each if isinstance(each, Script) else Script(each) for each in given] or [Script()]
