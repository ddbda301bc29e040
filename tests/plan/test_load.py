# ruff: noqa: E501 - what is said, word for word, each on one line
"""Config texts and what the loader says about them, word for word."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ralph_hooks.plan.config import Check, Config
from ralph_hooks.plan.load import ConfigError, load, parse
from ralph_hooks.plan.locate import find_project

CHECK = '[[check]]\nrun = ["pytest", "-q"]\n'
NAME = "ralph-hooks.toml"
RUN_WORDS = "expected a non-empty list of strings or a non-empty string"
PATH_WORDS = "expected a path inside the project, relative to its root"


def errors(text: str, name: str = NAME) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        parse(text, name)
    return caught.value.problems


REFUSED = {
    "number as text": (CHECK + 'timeout_s = "300"\n', ':3: `check[0].timeout_s` is "300"; expected a number above 0, at most 604800'),
    "bool for a number": (CHECK + "min_tests = true\n", ":3: `check[0].min_tests` is true; expected a whole number, 0 or more"),
    "bool for seconds": (CHECK + "timeout_s = true\n", ":3: `check[0].timeout_s` is true; expected a number above 0, at most 604800"),
    "fraction": ("[budget]\nmax_blocks = 3.5\n", ":2: `budget.max_blocks` is 3.5; expected a whole number from 1 to 10000"),
    "whole fraction": ("[budget]\nstall = 3.0\n", ":2: `budget.stall` is 3.0; expected a whole number, 0 or more"),
    "text for bool": ("[gate]\n\nannounce = 'yes'\n", ':3: `gate.announce` is "yes"; expected true or false'),
    "number for bool": ("[gate]\nmemory = 1\n", ":2: `gate.memory` is 1; expected true or false"),
    "not a number": (CHECK + "timeout_s = nan\n", ":3: `check[0].timeout_s` is NaN; expected a number above 0, at most 604800"),
    "infinite": (CHECK + "timeout_s = inf\n", ":3: `check[0].timeout_s` is Infinity; expected a number above 0, at most 604800"),
    "zero seconds": (CHECK + "timeout_s = 0\n", ":3: `check[0].timeout_s` is 0; expected a number above 0, at most 604800"),
    "date": ("[loop]\nprovider = 2020-01-01\n", ":2: `loop.provider` is 2020-01-01; expected a string"),
    "unknown key": (CHECK + "timeout = 3\n", ":3: `check[0].timeout` is not a known key; did you mean `timeout_s`?"),
    "key of another section": (CHECK + "max_blocks = 3\n", ":3: `check[0].max_blocks` is not a known key here; it belongs to `[budget]`"),
    "key of a check": ("run = 'pytest'\n", ":1: `run` is not a known key here; it belongs to `[[check]]`"),
    "unknown section": ("[gaet]\nmemory = true\n", ":1: `gaet` is not a known key; did you mean `gate`?"),
    "nothing like it": ("[budget]\nzzz = 1\n", ":2: `budget.zzz` is not a known key; known here: max_blocks, stall, cannot_run, renew"),
    "enum": ("[guard]\nratchet = 'blok'\n", ':2: `guard.ratchet` is "blok"; expected one of "off", "show", "block"; did you mean "block"?'),
    "enum in capitals": ("[gate]\nwhen = 'Always'\n", ':2: `gate.when` is "Always"; expected one of "always", "changed"; did you mean "always"?'),
    "one table": ("[check]\nrun = 'pytest'\n", ":1: `check` is one table; write `[[check]]`, since there may be several"),
    "no table": ("gate = 3\n", ":1: `gate` is 3; expected a table"),
    "check is a number": ("check = [5]\n", ":1: `check[0]` is 5; expected a table"),
    "no run": (CHECK + "[[check]]\nname = 'x'\n", f":3: `check[1].run` is missing; {RUN_WORDS}"),
    "empty argv": ("[[check]]\nrun = []\n", f":2: `check[0].run` is []; {RUN_WORDS}"),
    "empty line": ("[[check]]\nrun = ''\n", f':2: `check[0].run` is ""; {RUN_WORDS}'),
    "blank line": ("[[check]]\nrun = '  '\n", ':2: `check[0].run` is "  "; expected a command'),
    "empty word": ("[[check]]\nrun = ['a', '']\n", ':2: `check[0].run[1]` is ""; expected a non-empty string'),
    "number in argv": ("[[check]]\nrun = [\n  'a',\n  5,\n]\n", ":4: `check[0].run[1]` is 5; expected a non-empty string"),
    "number in env": (CHECK + "env = { A = 1 }\n", ":3: `check[0].env.A` is 1; expected a string"),
    "env table": (CHECK + "[check.env]\nA = '1'\nB = true\n", ":5: `check[0].env.B` is true; expected a string"),
    "cwd above": (CHECK + "cwd = 'a/../../b'\n", f':3: `check[0].cwd` is "a/../../b"; {PATH_WORDS}'),
    "absolute cwd": (CHECK + "cwd = '/tmp'\n", f':3: `check[0].cwd` is "/tmp"; {PATH_WORDS}'),
    "empty cwd": (CHECK + "cwd = ''\n", f':3: `check[0].cwd` is ""; {PATH_WORDS}'),
    "path above": (CHECK + "paths = [\n'src',\n'..']\n", f':5: `check[0].paths[1]` is ".."; {PATH_WORDS}'),
    "absolute junit": (CHECK + "junit = '/out/*.xml'\n", f':3: `check[0].junit` is "/out/*.xml"; {PATH_WORDS}'),
    "NUL in argv": ('[[check]]\nrun = ["a\\u0000b"]\n', ":2: `check[0].run` holds a NUL, which no process can be given"),
    "NUL in env": (CHECK + 'env = { A = "\\u0000" }\n', ":3: `check[0].env` holds a NUL, which no process can be given"),
    "bad variable": (CHECK + "env = { 'A=B' = '' }\n", ':3: `check[0].env` names the variable "A=B"; expected a name without = and NUL'),
    "two of a name": (CHECK + CHECK, ':3: `check[1]` is called "pytest -q", as `check[0]` is; give each its own `name`'),
    "name on two lines": (CHECK + 'name = "a\\nb"\n', ':3: `check[0].name` is "a\\nb"; expected printable text'),
    "empty release": ("[gate]\non_release = ['']\n", ':2: `gate.on_release` is [""]; expected a command'),
    "rounds over ceiling": ("[loop]\nmax_rounds = 300\n", ":2: `loop.max_rounds` is 300; `loop.round_ceiling` is 256"),
    "unsafe rounds": ("[loop]\nmax_rounds = 9007199254740992\n", ":2: `loop.max_rounds` is 9007199254740992; expected a whole number from 0 to 9007199254740991"),
    "syntax": ("[gate]\nmemory = maybe\n", ":2:10: not TOML: invalid value"),
    "cut off": ("[gate\n", ":1:6: not TOML: expected ']' at the end of a table declaration"),
    "twice": ("[gate]\nmemory = true\nmemory = true\n", ":3:14: not TOML: cannot overwrite a value"),
    "deep": ("x = " + "[" * 5000, ": is nested too deeply"),
    "deep tables": ("[" + ".".join("a" * 3000) + "]", ": is nested too deeply"),
    "long number": ("x = " + "1" * 5000, ": holds a number of thousands of digits"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_says_place_key_value_and_what_is_expected(text: str, said: str) -> None:
    assert errors(text) == [NAME + said]


def test_lists_every_problem_in_the_order_of_the_lines() -> None:
    found = errors("[gate]\nmemory = 1\n[budget]\nstall = -1\n[guard]\nnotes = 2\n" + CHECK + "nme = 'x'\n")
    assert [line.split(":")[1] for line in found] == ["2", "4", "6", "9"]


def test_long_values_are_cut() -> None:
    assert len(errors(f"[gate]\nwhen = '{'x' * 5000}'\n")[0]) < 200


def test_the_error_is_one_for_a_person() -> None:
    with pytest.raises(ConfigError) as caught:
        parse("[gate]\nmemory = 1\n", NAME)
    assert caught.value.render() == "error: ralph-hooks.toml:2: `gate.memory` is 1; expected true or false"
    assert caught.value.exit_code == 2


PYPROJECT = {
    "table": '[project]\nname = "x"\n[[tool.ralph-hooks.check]]\nrun = "pytest"\n',
    "inline": '[tool]\nralph-hooks = { check = [{ run = "pytest" }] }\n',
    "beside others": '[tool.ralph-hooks.gate]\nmemory = true\n[[tool.ralph-hooks.check]]\nrun = "pytest"\n[tool.ruff]\nx = 1\n',
}


@pytest.mark.parametrize("text", PYPROJECT.values(), ids=PYPROJECT.keys())
def test_pyproject_holds_the_same(text: str) -> None:
    assert parse(text, "pyproject.toml") == parse('[[check]]\nrun = "pytest"\n', NAME)


def test_pyproject_errors_have_their_lines() -> None:
    text = '[project]\nname = "x"\n[tool.ralph-hooks.gate]\nmemry = true\n'
    assert errors(text, "pyproject.toml") == [
        "pyproject.toml:4: `gate.memry` is not a known key; did you mean `memory`?"
    ]
    assert errors("[tool.other]\n", "pyproject.toml") == ["pyproject.toml: has no table `[tool.ralph-hooks]`"]


def test_bom_and_crlf_are_read() -> None:
    assert parse("\ufeff" + CHECK.replace("\n", "\r\n"), NAME) == parse(CHECK, NAME)
    assert errors("\ufeff[gate]\r\nmemory = 1\r\n")[0].startswith("ralph-hooks.toml:2: ")


def test_empty_is_all_defaults_and_no_check() -> None:
    assert parse("", NAME) == Config()


def test_explicit_defaults_are_the_defaults() -> None:
    assert parse(CHECK + "timeout_s = 600\n", NAME).check == [Check(run=["pytest", "-q"], name="pytest -q")]


@pytest.mark.parametrize(
    ("run", "name"),
    [
        ('["pytest", "-q"]', "pytest -q"),
        ('"make  \\n test"', "make test"),
        ('["a\\u001b[31m"]', "a [31m"),
        (f'"{"x" * 100}"', "x" * 59 + "…"),
    ],
)
def test_a_name_is_made_from_run(run: str, name: str) -> None:
    assert parse(f"[[check]]\nrun = {run}\n", NAME).check[0].name == name


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dir.toml").mkdir()
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "latin.toml").write_bytes(b"[gate]\n# caf\xe9\n")
    (tmp_path / "big.toml").write_bytes(b"#" * 2_000_000)
    (tmp_path / "gone.toml").symlink_to("nowhere")
    said = {}
    for name in ("dir", "pipe", "latin", "big", "gone"):
        with pytest.raises(ConfigError) as caught:
            load(str(tmp_path / f"{name}.toml"))
        said[name] = caught.value.message
    assert said == {
        "dir": "dir.toml: is a directory; expected a TOML file",
        "pipe": "pipe.toml: is not a regular file; expected a TOML file",
        "latin": "latin.toml:2: byte 0xe9 is not UTF-8, which TOML must be",
        "big": "big.toml: has 2000000 bytes; a config has at most 1048576",
        "gone": "gone.toml: cannot be read: No such file or directory",
    }


HEADERS = {
    "[tool.ralph-hooks]": True,
    "  [tool.ralph-hooks.gate]": True,
    "[[tool.ralph-hooks.check]]": True,
    "[tool.ralph-hooks ] # ours": True,
    "\ufeff[tool.ralph-hooks]": True,
    "[ tool . ralph-hooks ]": True,
    "[[ tool.ralph-hooks.check ]]": True,
    '[tool."ralph-hooks"]': True,
    "['tool'.'ralph-hooks'.gate]": True,
    "[tool.'ralph-hooks-extra']": False,
    "[tool.ralph-hooks-extra]": False,
    "[tool.ralph]": False,
    "# [tool.ralph-hooks]": False,
    "[tool.other]\nx = '[tool.ralph-hooks]'": False,
}


@pytest.mark.parametrize("header", HEADERS)
def test_which_pyproject_is_ours(header: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(header + "\n")
    assert (find_project(str(tmp_path)) is not None) is HEADERS[header]


@pytest.mark.parametrize("device", ["", "/dev/zero"])
def test_a_pipe_or_a_device_for_a_pyproject_stops_nobody(tmp_path: Path, device: str) -> None:
    path = tmp_path / "pyproject.toml"
    path.symlink_to(device) if device else os.mkfifo(path)
    assert find_project(str(tmp_path)) is None
