"""Which runner is asked, and that nobody else contradicts (G12)."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from importlib import import_module
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ralph_hooks.check.evidence import registry
from ralph_hooks.check.evidence.hints import may_have_spoken
from ralph_hooks.check.evidence.registry import RUNNERS, collect, sniff
from ralph_hooks.check.evidence.text import clean
from ralph_hooks.check.evidence.words import simple_commands
from ralph_hooks.plan.config import Format
from tests.check.evidence.recorded import RECORDINGS, output
from tests.support.project import REPOSITORY

NAMES = [name for name, _ in RUNNERS]


def test_every_row_is_a_module_and_a_format_of_the_config() -> None:
    for name, path in RUNNERS:
        module = import_module(path)
        assert callable(module.matches)
        assert callable(module.parse)
        assert name in get_args(Format)


def test_the_wrapper_that_hides_an_exit_code_is_contradicted() -> None:
    """Case 7: exit 0, but the runner's own summary says two failed."""
    evidence = collect("auto", ["bash", "run.sh"], "pytest -q || true", "..FF\n2 failed, 2 passed in 0.03s\n")
    assert evidence is not None
    assert evidence.failing == 2


def test_an_unknown_command_is_never_contradicted() -> None:
    text = output("pytest", "red")
    assert collect("auto", ["make", "test"], "", text) is None
    assert collect("auto", ["./run"], "echo pytest", text) is None
    assert collect("auto", ["npx", "jest"], "", text) is None


def test_the_format_names_the_runner_where_the_command_does_not() -> None:
    evidence = collect("pytest", ["make", "test"], "", output("pytest", "red"))
    assert evidence is not None
    assert evidence.failing == 8
    assert collect("jest", ["pytest"], "", output("pytest", "red")) is None


def test_none_reads_nothing() -> None:
    assert collect("none", ["pytest"], "", output("pytest", "red")) is None


def test_no_tests_is_evidence_too() -> None:
    """Case 5: exit 5 of pytest and `jest --passWithNoTests`."""
    for command, runner, case in (("pytest", "pytest", "empty"), ("jest", "jest", "empty-pass")):
        evidence = collect("auto", [command], "", output(runner, case))
        assert evidence is not None
        assert evidence.nothing
        assert evidence.executed == 0


def test_a_script_with_two_runners_adds_them_up() -> None:
    text = output("pytest", "green-quiet") + output("vitest", "red")
    evidence = collect("auto", ["bash", "-c", "pytest -q && npx vitest run"], "", text)
    assert evidence is not None
    assert evidence.runner == "pytest+vitest"
    assert (evidence.passed, evidence.failing, evidence.xfailed) == (8, 6, 1)
    assert evidence.failures[0].id == "b.test.js"


def test_what_a_named_runner_prints_inside_another_is_left_alone() -> None:
    """A green pytest whose test runs jest and shows its failures: only pytest is named."""
    evidence = collect("auto", ["pytest", "-s"], "", output("jest", "red") + output("pytest", "green"))
    assert evidence is not None
    assert evidence.failing == 0


@pytest.mark.parametrize(("runner", "case", "first"), [
    ("pytest", "red", "test_calc.py::test_adds"),
    ("unittest", "red", "test_calc.TestCalc.test_described"),
    ("node", "22-red", "adds"),
    ("vitest", "red", "b.test.js"),
    ("mocha", "red", "adds"),
])  # fmt: skip
def test_a_red_run_of_an_unknown_command_is_guessed_for_the_feedback(runner: str, case: str, first: str) -> None:
    evidence = sniff(output(runner, case))
    assert evidence is not None
    assert evidence.guessed
    assert evidence.runner == runner
    assert evidence.failures[0].id == first


def test_nothing_is_guessed_from_green_or_prose() -> None:
    assert sniff(output("pytest", "green")) is None
    assert sniff("2 failed\nFAILED\nnot so ok\n") is None


def test_the_hints_lose_nothing_that_was_recorded() -> None:
    for name in NAMES:
        for path in sorted((RECORDINGS / name).rglob("*.txt")):
            text = clean(path.read_bytes())
            module = registry.runner(name)
            assert module is not None
            evidence = module.parse(text)
            cut_short = evidence and [failure.id for failure in evidence.failures] == [
                f"{name} ended without its summary"
            ]
            if evidence and evidence.failing and not cut_short:
                assert may_have_spoken(name, text), str(path)


def test_naming_one_runner_loads_no_other() -> None:
    code = (
        "import sys; from ralph_hooks.check.evidence import registry as r;"
        "r.prepare('auto', ['npm', 'test'], 'tsc && jest --ci'); r.sniff('error: no such file');"
        "print(*sorted(m.rpartition('.')[2] for m in sys.modules if m.startswith('ralph_hooks.check.evidence.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=REPOSITORY, check=True)
    assert done.stdout.split() == ["hints", "jest", "registry", "text", "tree", "words", "wrappers"]


GREEN = [
    "pytest/green",
    "pytest/talk",
    "unittest/talk",
    "node/24-talk",
    "jest/talk",
    "vitest/talk",
    "mocha/talk",
    "tap/bats-green",
]


@pytest.mark.parametrize("place", GREEN)
@pytest.mark.parametrize("ending", [b"\r\n", b"\n"])
@pytest.mark.parametrize("noise", [b"", b"\x1b[33mwarn\x1b[0m 3 failed\n", b"Tests: 1 failed\n2 failing\n"])
def test_green_stays_green_with_other_line_ends_and_noise(place: str, ending: bytes, noise: bytes) -> None:
    runner, case = place.split("/")
    data = (RECORDINGS / runner / f"{case}.txt").read_bytes().replace(b"\n", ending)
    evidence = collect(runner, [], "", clean(noise + data + noise))
    assert evidence is not None
    assert evidence.failing == 0
    assert (evidence.passed or 0) > 0


WHOLE = ["pytest", "unittest", "node", "jest", "vitest", "mocha"]


@pytest.mark.parametrize("name", WHOLE)
def test_a_report_that_lost_its_beginning_keeps_its_counts(name: str) -> None:
    """Of a long output only the end is kept, so it may begin anywhere above the summary."""
    module = registry.runner(name)
    assert module is not None
    for path in sorted((RECORDINGS / name).glob("*red*.txt")):
        text = clean(path.read_bytes())
        whole = module.parse(text)
        if whole is None or whole.passed is None:
            continue
        lines = text.split("\n")
        for start in range(0, len(lines) // 2, 7):
            part = module.parse("\n".join(lines[start:]))
            if part is None:
                break  # the summary itself is gone
            assert (part.failed, part.skipped, part.xfailed) == (whole.failed, whole.skipped, whole.xfailed), path
            assert part.passed is not None and part.passed <= whole.passed, path
            assert not part.complete or part.statuses == whole.statuses, path


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_parser_never_raises(name: str, data: st.DataObject) -> None:
    """Arbitrary text, and lines of real recordings shuffled and cut."""
    lines = data.draw(st.lists(st.sampled_from(_lines()) | st.text(max_size=40), max_size=60))
    module = registry.runner(name)
    assert module is not None
    evidence = module.parse("\n".join(lines))
    assert evidence is None or evidence.failing >= 0


_LINES: list[str] = []


def _lines() -> list[str]:
    if not _LINES:
        for name in NAMES:
            for path in sorted((RECORDINGS / name).rglob("*red*.txt"))[:4]:
                _LINES.extend(clean(path.read_bytes()).split("\n"))
    return _LINES


def red_output(name: str) -> str:
    """A recording of this runner that names failures."""
    texts = [clean(path.read_bytes()) for path in sorted((RECORDINGS / name).rglob("*.txt"))]
    module = registry.runner(name)
    assert module is not None
    return next(text for text in texts if (evidence := module.parse(text)) and evidence.failing)


SEEDS = [
    "a", " ", "=", "_ ", "= x ", "1 failed, ", "FAILED a::b - ", "ok 1\n", "not ok 1\n  ---\n",
    "    not ok 1 - x {\n", "}\n", "  ● a › b\n", "FAIL a\n", " FAIL  a > b\n", "⎯", "  1) x\n", "✖ a\n", "▶ b\n",
    "# tests 1\n", "TAP version 13\n", "Ran 1 test in 0.1s\n", "=" * 70 + "\nFAIL: a (b.c)\n" + "-" * 70 + "\n",
    "== test session starts ==\n", "  2 passing (1ms)\n", " Test Files  1 failed (1)\n",
    "Test Suites: 1 failed, 1 total\n", "_ a _\n", "[gw0] [  1%] PASSED a::b\n", "(1 ms) (1 ms) ",
    "INTERNALERROR> x\n", "1..1\n", "Bail out!\n", "      ok 1\n     ok 1\n", "✓ a (1 ms)\n  ",
    "== short test summary info ==\n", "ERROR a - b - c - d - ", "1 passed in 1s\n", "%\r",
    "Tests:  1 failed, 2 passed, ",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_megabyte_of_garbage_takes_no_time(name: str, seed: str) -> None:
    module = registry.runner(name)
    assert module is not None
    text = (seed * (1024 * 1024 // len(seed) + 1))[: 1024 * 1024]
    real = red_output(name)
    began = time.monotonic()
    module.parse(text)
    module.parse(text + "\n" + real)
    assert time.monotonic() - began < 10


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(8))
def test_a_megabyte_of_mixed_lines_takes_no_time(name: str, seed: int) -> None:
    """Long runs of one kind of line after long runs of another, with real lines among them."""
    dice = random.Random(seed)
    module = registry.runner(name)
    assert module is not None
    kinds = [*SEEDS, *(line + "\n" for line in dice.sample(_lines(), 40))]
    text = "".join(dice.choice(kinds) * dice.choice([1, 3, 2000]) for _ in range(400))[: 1024 * 1024]
    text += red_output(name)
    began = time.monotonic()
    module.parse(text)
    assert time.monotonic() - began < 10


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="abpytest-q '\"\\;&|()<>#$\n{}=`", max_size=80))
def test_any_shell_text_can_be_split(text: str) -> None:
    for command in simple_commands(["bash", "-c", text], text):
        assert command
