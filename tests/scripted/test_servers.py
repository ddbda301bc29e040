"""The scripted servers, spoken to directly over HTTP."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from typing import Any

import pytest

from ralph_hooks.scripted import (
    MessagesServer,
    Request,
    ResponsesServer,
    Script,
    Step,
    call,
    close,
    error,
    hang,
    say,
    shell,
)
from ralph_hooks.scripted.script import Answer
from ralph_hooks.scripted.server import ScriptedServer

Json = dict[str, Any]
Reply = tuple[int, str, dict[str, str]]
TOOLS = [{"name": "Bash"}, {"name": "exec_command"}]


def post(server: ScriptedServer, path: str, body: Json, **headers: str) -> Reply:
    """Status, body and headers of one request."""
    host = server.url.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=10)
    connection.request("POST", path, json.dumps(body), {k.replace("_", "-"): v for k, v in headers.items()})
    response = connection.getresponse()
    text, got = response.read().decode(), {k.lower(): v for k, v in response.getheaders()}
    connection.close()
    return response.status, text, got


def ask(server: ScriptedServer, *said: Json, stream: bool = False, heads: dict[str, str] | None = None) -> Reply:
    body = {"model": "m", "tools": TOOLS, "stream": stream, "messages": [{"role": "user", "content": "go"}, *said]}
    return post(server, "/v1/messages?beta=true", body, **(heads or {}))


def text_of(answer: Reply) -> str:
    return str(json.loads(answer[1])["content"][0]["text"])


def events(text: str) -> list[Json]:
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]


def test_steps_play_in_order_then_the_closing_text() -> None:
    with MessagesServer([say("one"), say("two")]) as server:
        assert [text_of(ask(server)) for _ in range(4)] == ["one", "two", "Done.", "Done."]
    assert [turn.shown for turn in server.turns] == ["go"] * 4


def test_a_stream_says_what_the_whole_says() -> None:
    blocks: Step = [say("both"), shell("make"), call("Read", file_path="a")]
    with MessagesServer([blocks, blocks]) as server:
        whole, stream = json.loads(ask(server)[1]), events(ask(server, stream=True)[1])
    assert [block.get("name", block.get("text")) for block in whole["content"]] == ["both", "Bash", "Read"]
    started = [event["content_block"] for event in stream if event["type"] == "content_block_start"]
    assert [block.get("name", block["type"]) for block in started] == ["text", "Bash", "Read"]
    parts = [event["delta"].get("partial_json") for event in stream if event["type"] == "content_block_delta"]
    assert json.loads(parts[1])["command"] == "make"
    assert json.loads(parts[2]) == whole["content"][2]["input"] == {"file_path": "a"}
    assert (stream[0]["type"], stream[-1]["type"], stream[-2]["delta"]["stop_reason"]) == (
        "message_start",
        "message_stop",
        whole["stop_reason"],
    )


@pytest.mark.parametrize(
    ("step", "status", "kind", "header"),
    [
        (error(401), 401, "authentication_error", None),
        (error(429, retry_after=3), 429, "rate_limit_error", "3"),
        (error(429, retry_after=0.5), 429, "rate_limit_error", "0.5"),
        (error(529), 529, "overloaded_error", None),
        (error(500, "boom", kind="odd_error"), 500, "odd_error", None),
    ],
)
def test_errors(step: Step, status: int, kind: str, header: str | None) -> None:
    with MessagesServer([step]) as server:
        code, text, headers = ask(server)
    assert (code, json.loads(text)["error"]["type"], headers.get("retry-after")) == (status, kind, header)


def test_openai_errors_carry_details() -> None:
    with ResponsesServer([error(429, kind="usage_limit_reached", detail={"resets_at": 5})]) as server:
        code, text, _ = post(server, "/v1/responses", {"tools": TOOLS, "input": []})
    assert code == 429
    assert json.loads(text)["error"]["resets_at"] == 5


def test_shown_is_what_is_new_since_the_models_own_answer() -> None:
    said: list[Json] = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "Bash", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "2 failed"}]}]},
        {"role": "user", "content": "Stop hook feedback"},
    ]
    with MessagesServer() as server:
        ask(server, *said)
    assert (server.turns[0].shown, server.turns[0].results) == ("2 failed\nStop hook feedback", ("2 failed",))


def test_side_requests_leave_the_script_alone() -> None:
    with MessagesServer([say("main")]) as server:
        post(server, "/v1/messages", {"messages": [{"role": "user", "content": "a title, please"}]})
        post(server, "/v1/messages/count_tokens", {"messages": [], "tools": TOOLS})
        assert post(server, "/v1/nothing", {})[0] == 404
        assert text_of(ask(server)) == "main"
    assert (len(server.requests), len(server.turns)) == (4, 1)


def test_sessions_and_subagents_have_their_own_scripts() -> None:
    with MessagesServer([say("a1"), say("a2")], [say("b1"), say("b2")], agents=[[say("s1")]]) as server:
        heads = [{"x_claude_code_session_id": name} for name in ("A", "B", "A", "C")]
        said = [text_of(ask(server, heads=head)) for head in heads]
        sub = text_of(ask(server, heads=heads[0] | {"x_claude_code_agent_id": "9"}))
    assert (said, sub) == (["a1", "b1", "a2", "b2"], "s1")
    assert [turn.agent for turn in server.agent_turns] == ["9"]


def test_a_callable_step_sees_the_request() -> None:
    with MessagesServer([lambda request: say(f"saw {request.shown}")]) as server:
        assert text_of(ask(server)) == "saw go"


def test_what_a_step_raises_comes_out_of_the_server() -> None:
    def step(_: Request) -> Answer:
        raise ValueError("the model was not told")

    with pytest.raises(ValueError, match="not told"), MessagesServer([step]) as server:
        assert ask(server)[0] == 400


@pytest.mark.parametrize("text", ["", "half a"])
def test_close_cuts_the_connection(text: str) -> None:
    with MessagesServer([close(text)]) as server, pytest.raises((http.client.IncompleteRead, ConnectionError)):
        ask(server, stream=True)


@pytest.mark.parametrize("text", ["", "half a"])
def test_hang_holds_until_the_server_ends(text: str) -> None:
    ended: list[BaseException] = []

    def client() -> None:
        try:
            ask(server, stream=True)
        except (http.client.HTTPException, OSError) as problem:
            ended.append(problem)

    with MessagesServer([hang(text)]) as server:
        thread = threading.Thread(target=client)
        thread.start()
        thread.join(0.3)
        assert thread.is_alive()
    thread.join(10)
    assert ended


def test_many_at_once_play_each_step_once() -> None:
    said: list[str] = []
    with MessagesServer(Script([say(str(n)) for n in range(20)])) as server:
        threads = [threading.Thread(target=lambda: said.append(text_of(ask(server)))) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
    assert sorted(said, key=int) == [str(n) for n in range(20)]


def test_responses_stream() -> None:
    with ResponsesServer([[say("both"), shell("make")], say("ok")], tokens=(7, 3)) as server:
        body = {"tools": TOOLS, "stream": True, "input": [{"role": "user", "content": [{"text": "go"}]}]}
        got = events(post(server, "/v1/responses", body, session_id="A", thread_id="A")[1])
    items = [event["item"] for event in got if event["type"] == "response.output_item.done"]
    assert [item["type"] for item in items] == ["message", "function_call"]
    assert (items[1]["name"], json.loads(items[1]["arguments"])) == ("exec_command", {"cmd": "make"})
    assert got[-1]["response"]["usage"]["total_tokens"] == 10
    assert server.turns[0].shown == "go"


def test_a_script_knows_what_is_left() -> None:
    script = Script([say("a"), say("b")])
    with MessagesServer(script) as server:
        ask(server)
    assert (script.played, script.left) == (1, 1)


def test_the_address_is_loopback() -> None:
    with MessagesServer() as server, MessagesServer() as other:
        assert server.url.startswith("http://127.0.0.1:")
        assert server.url != other.url


@pytest.mark.parametrize(
    "garbage", [b"", b"\x16\x03\x01 no http\r\n\r\n", b"POST /v1/messages HTTP/1.1\r\ncontent-length: x\r\n\r\n"]
)
def test_garbage_leaves_the_server_standing(garbage: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    with MessagesServer([say("still here")]) as server:
        with socket.create_connection(("127.0.0.1", int(server.url.rsplit(":", 1)[1])), timeout=5) as raw:
            raw.sendall(garbage)
            raw.shutdown(socket.SHUT_WR)
            raw.recv(1000)
        assert text_of(ask(server)) == "still here"
    assert capfd.readouterr().err == ""
