"""The line of every key in TOML's odder shapes."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from ralph_hooks.plan.positions import line_of, lines_of
from tests.support.properties import patient

TEXT = '''# a comment with [brackets] and "quotes
[[check]]  # first
run = """
[[check]]
x = 1 \\""""
name = 'a#b'
[[check]]
env.A = "1"
env."B.C" = '2'
paths = [ # comment ]
  "a",

  "b", ]
[check.sub]
k = 1
["gate"]
memory = { deep = [1, { x = 2 }], other = 1979-05-27T07:32:00Z }
[a.b]
c = 1
'''
LINES = {
    ("check",): 2, ("check", 0): 2, ("check", 0, "run"): 3, ("check", 0, "name"): 6, ("check", 1): 7,
    ("check", 1, "env", "A"): 8, ("check", 1, "env", "B.C"): 9, ("check", 1, "paths", 0): 11,
    ("check", 1, "paths", 1): 13, ("check", 1, "sub"): 14, ("check", 1, "sub", "k"): 15, ("gate",): 16,
    ("gate", "memory"): 17, ("gate", "memory", "deep", 1, "x"): 17, ("gate", "memory", "other"): 17,
    ("a", "b", "c"): 19,
}  # fmt: skip


def test_finds_every_key() -> None:
    tomllib.loads(TEXT)
    found = lines_of(TEXT)
    assert {key: found.get(key) for key in LINES} == LINES
    assert lines_of(TEXT.replace("\n", "\r\n")) == found


def test_a_missing_key_has_the_line_of_what_is_around_it() -> None:
    found = lines_of(TEXT)
    assert line_of(found, ("check", 1, "run")) == 7
    assert line_of(found, ("nowhere", 3)) == 0


@patient
@given(st.text(alphabet="[]{}=.,'\"\\\n#ab1 \t", max_size=60))
def test_never_fails_and_never_hangs_on_what_is_no_toml(text: str) -> None:
    assert all(1 <= line <= text.count("\n") + 1 for line in lines_of(text).values())
