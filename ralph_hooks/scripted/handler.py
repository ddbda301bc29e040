"""HTTP in front of a scripted server: read one request, send one reply, close."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

from ralph_hooks.scripted.request import Request
from ralph_hooks.scripted.script import Break, Call, Error, Say

if TYPE_CHECKING:
    from ralph_hooks.scripted.server import ScriptedServer


def handler_for(server: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    """A request handler bound to this server."""
    return type("Handler", (Handler,), {"scripted": server})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    scripted: ScriptedServer

    def do_POST(self) -> None:
        self._serve()

    def do_GET(self) -> None:
        self._serve()

    def do_HEAD(self) -> None:
        self._json(200, {})

    def log_message(self, *_: object) -> None:
        """Nothing: what was asked is in `server.requests`."""

    def _serve(self) -> None:
        self.close_connection = True
        try:
            self._reply()
        except (BrokenPipeError, ConnectionResetError):
            return  # the client hung up; the request is on record

    def _reply(self) -> None:
        request = self.scripted.read(Request(self.command, self.path, _lower(self.headers.items()), self._body()))
        answer, number = self.scripted.answer(request)
        if isinstance(answer, Mapping):
            self._json(200, answer)
        elif isinstance(answer, Error):
            self._json(answer.status, self.scripted.refusal(answer), answer.headers)
        elif isinstance(answer, Break):
            self._break(answer, request, number)
        else:
            self._blocks([answer] if isinstance(answer, Say | Call) else answer, request, number)

    def _body(self) -> Mapping[str, Any]:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            return {}
        return body if isinstance(body, dict) else {}

    def _json(self, status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        raw = json.dumps(body).encode()
        kind = {"content-type": "application/json", "content-length": str(len(raw)), "connection": "close"}
        self._head(status, {**kind, **(headers or {})})
        if self.command != "HEAD":
            self.wfile.write(raw)

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _blocks(self, blocks: Sequence[Say | Call], request: Request, number: int) -> None:
        if not request.streams:
            return self._json(200, self.scripted.whole(blocks, request, number))
        self._stream(self.scripted.stream(blocks, request, number))
        self.wfile.write(b"0\r\n\r\n")
        return None

    def _break(self, answer: Break, request: Request, number: int) -> None:
        """Chunked without its last chunk, so that the client knows that the connection was lost."""
        if answer.text and request.streams:
            chunks = list(self.scripted.stream([Say(answer.text)], request, number))
            self._stream(chunks[: self.scripted.unfinished])
        if answer.silent:
            self.scripted.closing.wait()

    def _stream(self, chunks: Iterable[bytes]) -> None:
        self._head(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked", "connection": "close"})
        for chunk in chunks:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))


def _lower(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers}
