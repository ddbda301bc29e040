from __future__ import annotations

import contextlib
import os
import time
from _thread import start_new_thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_hooks.gate.event import BadEventError, parse_event, read_event
from ralph_hooks.gate.root import session_name


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b"[]", "not an object"),
        (b"{", "not one JSON object"),
        (b'{"a":1} {"b":2}', "not one JSON object"),
        (b'{"a":NaN}', "not one JSON object"),
        (b'\xff{"a":1}', "not UTF-8 at byte 0"),
        (b'{"session_id": 5}', "`session_id` must be a string, not 5"),
        (b'{"stop_hook_active": "yes"}', "`stop_hook_active` must be true or false"),
        (b'{"stop_hook_active": 1}', "`stop_hook_active` must be true or false"),
        (b'{"background_tasks": {}}', "`background_tasks` must be a list or null"),
        (b'{"background_tasks": [1]}', "must be a list of objects"),
        (b'{"permission_mode": []}', "`permission_mode` must be a string or null"),
        (b"[" * 200000, "not one JSON object"),
    ],
)
def test_an_event_that_cannot_be_used_names_what_is_wrong(raw: bytes, says: str) -> None:
    with pytest.raises(BadEventError) as caught:
        parse_event(raw)
    assert says in str(caught.value)


def test_unknown_fields_and_nulls_are_fine() -> None:
    event = parse_event(b'{"session_id":"s","future":{"x":[1]},"background_tasks":null,"agent_id":null}')
    assert (event.session, event.background, event.agent) == ("s", [], "")


def test_names_of_other_hosts_are_understood() -> None:
    event = parse_event(b'{"sessionId":"s","hookEventName":"Stop"}')
    assert (event.session, event.name) == ("s", "Stop")


def test_reading_ends_with_the_object_although_the_pipe_stays_open() -> None:
    read, write = os.pipe()
    os.write(write, b'{"session_id":"s"}\n')
    begin = time.monotonic()
    assert parse_event(read_event(read)).session == "s"
    assert time.monotonic() - begin < 2
    os.close(write)


def test_an_open_empty_pipe_is_given_up() -> None:
    read, write = os.pipe()
    with pytest.raises(BadEventError, match="within"):
        read_event(read, 0.1)
    os.close(write)


def test_an_event_in_pieces_and_of_megabytes() -> None:
    read, write = os.pipe()
    body = b'{"session_id":"s","last_assistant_message":"' + b"}" * 3_000_000 + b'"}'
    start_new_thread(feed_slowly, (write, body))
    assert len(parse_event(read_event(read)).message) == 3_000_000
    os.close(write)


@pytest.mark.parametrize("fill", [b"}", b"a", b" "])
def test_a_large_event_costs_no_more_than_its_size(fill: bytes) -> None:
    """A megabyte more must not mean that all the others are looked at again."""
    read, write = os.pipe()
    body = b'{"session_id":"s","last_assistant_message":"' + fill * 40_000_000 + b'"}'
    start_new_thread(feed_slowly, (write, body))
    begin = time.monotonic()
    assert len(parse_event(read_event(read)).message) == 40_000_000
    assert time.monotonic() - begin < 4
    os.close(write)


def test_an_event_without_an_end_is_given_up_although_more_comes() -> None:
    read, write = os.pipe()
    start_new_thread(drip, (write,))
    begin = time.monotonic()
    with pytest.raises(BadEventError, match="within"):
        read_event(read, 0.5)
    assert time.monotonic() - begin < 3
    os.close(read)


def drip(write: int) -> None:
    with contextlib.suppress(OSError):
        while True:
            os.write(write, b"{")
            time.sleep(0.001)


def feed_slowly(write: int, body: bytes) -> None:
    view = memoryview(body)
    while view:
        view = view[os.write(write, view[:50_000]) :]


@given(st.text(min_size=1), st.text())
def test_any_session_id_is_a_safe_file_name(session: str, agent: str) -> None:
    name = session_name(session, agent)
    assert len(name) < 60 and "/" not in name and "\0" not in name and not name.startswith(".")


def test_session_names_are_distinct() -> None:
    names = {
        session_name(s, a) for s, a in [("a", ""), ("a", "b"), ("ab", ""), ("../x", ""), ("..-x", ""), ("A" * 9999, "")]
    }
    assert len(names) == 6
