"""Output as a person would see it."""

from __future__ import annotations

import time

import pytest

from ralph_hooks.check.evidence.text import clean, cut, dedent

SHOWN = [
    (b"plain\n", "plain\n"),
    (b"a\r\nb\r\n", "a\nb\n"),
    (b"a\r\r\nb", "a\nb"),
    ("é ✓ 測試 👩‍💻\n".encode(), "é ✓ 測試 👩‍💻\n"),
    (b"\xff\xfe\xe9 end", "\ufffd\ufffd\ufffd end"),
    (b"\x1b[31m2 failed\x1b[0m, \x1b[1;32m3 passed\x1b[m", "2 failed, 3 passed"),
    (b"\x1b[38;2;255;0;0mred\x1b[39m", "red"),
    (b"\x1b[38:5:1mred", "red"),
    (b"\x1b]0;title\x07text", "text"),
    (b"\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\", "link"),
    (b"\x1bPq#0;2\x1b\\after", "after"),
    (b"\x1b]0;never ended\nnext line", "\nnext line"),
    ("\u009b31mred".encode(), "red"),
    (b"a\x00b\x07c\x08d\x7fe", "abcde"),
    ("evil\u202egnp.exe\u2066x\u2069".encode(), "evilgnp.exex"),
    ("tag\U000e0041\U000e0042\ufeff!".encode(), "tag!"),
    (b"tab\there", "tab\there"),
    (b"10%\r50%\r100%\n", "100%\n"),
    (b"downloading\rdone\n", "doneloading\n"),
    (b"downloading\r\x1b[Kdone\n", "done\n"),
    (b"downloading\x1b[2K\rdone\n", "done\n"),
    (b"downloading\x1b[1G\x1b[0Kdone", "done"),
    (b"abc\r\n\rdef\n", "abc\ndef\n"),
    (b"waiting\r", "waiting"),
    (b"\x1b(Btext\x1b=\x1b>\x1b7", "text"),
    (b"\x1b", ""),
    (b"", ""),
]


@pytest.mark.parametrize(("data", "text"), SHOWN)
def test_what_is_shown(data: bytes, text: str) -> None:
    assert clean(data) == text


GARBAGE = [
    b"\x1b",
    b"\x1b[",
    b"\x1b]",
    b"\r",
    b"a\r",
    b"\x1b[K\r",
    b"\x1b[1;",
    b"\xc2\x9b",
    b"\x1b]0;x",
    b"ab\r\x1b[Kc",
]


@pytest.mark.parametrize("part", GARBAGE)
def test_a_megabyte_of_garbage_takes_no_time(part: bytes) -> None:
    began = time.monotonic()
    clean(part * (1024 * 1024 // len(part)))
    assert time.monotonic() - began < 10


def test_a_cut_names_what_it_left_out() -> None:
    text = "\n".join(f"line {number}" for number in range(1000))
    short = cut(text, 300)
    assert short.startswith("line 0\nline 1\n")
    assert short.endswith("\nline 999")
    head, _, tail = short.partition("[")
    left_out = int(tail.split(" ", 1)[0])
    assert left_out + len(head) + len(tail.partition("out]\n")[2]) == len(text)
    assert len(short) < 350
    assert cut("\n\nshort\n") == "short"
    assert len(cut("x" * 100_000, 300)) < 350


def test_common_indentation_goes() -> None:
    assert dedent(["", "    a", "      b", "", "    c ", ""]) == "a\n  b\n\nc"
    assert dedent([]) == ""
