"""What holds for every reader of a runner that prints: green stays green, nothing raises, nothing takes long."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_hooks.check.evidence.registry import runner as module_of
from ralph_hooks.check.verdict import Evidence
from tests.check.evidence.recorded import book, output

RUNNERS = ("go", "cargo", "nextest", "rspec", "phpunit", "ctest", "prove", "surefire", "gradle", "dotnet")
RECORDED = [(runner, case) for runner in RUNNERS for case in book(runner)["cases"]]

# Exit code 0 although something failed or died: here the runner's own words contradict the exit code.
CONTRADICTED = {
    ("cargo", "exits"),  # the test binary left with 0 in the middle of its tests
    ("phpunit", "exits"),  # so did PHPUnit
    ("phpunit", "version"),  # a header alone; `matches` keeps such commands out
    ("surefire", "ignored-failures"),
    ("gradle", "ignored"),
}
# An exit code that says more than the summary does.
UNTOLD = {
    ("phpunit", "risky"),  # --fail-on-risky
    ("ctest", "nothing-error"),
    ("nextest", "nothing"),
    ("surefire", "no-match"),
    ("gradle", "no-match"),
    ("gradle", "exits"),
    ("prove", "nowhere"),
}
FRAGMENTS = [line for runner, case in RECORDED for line in output(runner, case).split("\n")[-40:] if len(line) < 200]


def parse(runner: str, text: str) -> Evidence | None:
    """What a runner's reader makes of a text."""
    module = module_of(runner)
    assert module is not None
    return module.parse(text)


@pytest.mark.parametrize(("runner", "case"), RECORDED)
def test_evidence_agrees_with_the_exit_code(runner: str, case: str) -> None:
    evidence = parse(runner, output(runner, case))
    failing = evidence is not None and evidence.failing > 0
    code = book(runner)["cases"][case]["exit"]
    if code == 0:
        assert failing == ((runner, case) in CONTRADICTED)
    elif evidence is not None:
        assert failing == ((runner, case) not in UNTOLD)


@pytest.mark.parametrize(("runner", "case"), RECORDED)
def test_failures_are_told_once_and_counted(runner: str, case: str) -> None:
    evidence = parse(runner, output(runner, case))
    if evidence is None:
        return
    ids = [failure.id for failure in evidence.failures]
    assert len(ids) == len(set(ids))
    assert len(ids) <= evidence.failing
    assert set(evidence.statuses.values()) <= {"passed", "failed", "skipped", "xfailed"}
    assert not evidence.nothing or evidence.executed == 0


@pytest.mark.parametrize(("runner", "case"), RECORDED)
def test_lines_around_a_run_change_nothing(runner: str, case: str) -> None:
    """A script that builds before and reports after the run is read like the bare run."""
    text = output(runner, case)
    bare, wrapped = parse(runner, text), parse(runner, f"building\n\n{text}\ndone in 3 s\n")
    if runner == "phpunit" and bare and bare.failures and bare.failures[0].id == "phpunit":
        return  # "ended without a result" means that nothing but progress follows
    assert (bare is None) == (wrapped is None)
    if bare and wrapped:
        assert (bare.passed, bare.failing, bare.nothing) == (wrapped.passed, wrapped.failing, wrapped.nothing)


@pytest.mark.parametrize(("runner", "case"), [row for row in RECORDED if row not in CONTRADICTED])
def test_a_head_that_was_cut_off_turns_no_green_run_red(runner: str, case: str) -> None:
    if book(runner)["cases"][case]["exit"] != 0:
        return
    lines = output(runner, case).split("\n")
    for cut in range(1, len(lines), 1 + len(lines) // 150):
        evidence = parse(runner, "\n".join(lines[cut:]))
        assert evidence is None or evidence.failing == 0, lines[cut]


@pytest.mark.parametrize("runner", sorted({runner for runner, _ in RECORDED}))
def test_last_run_decides(runner: str) -> None:
    """Red and then green again: the later run is the one that counts, and the other way round."""
    red, green = {"go": ("verbose-red", "verbose-green"), "prove": ("red", "green")}.get(runner, ("red", "green"))
    green = {"rspec": "talks", "phpunit": "talks", "gradle": "tell-green"}.get(runner, green)
    first, second = output(runner, red), output(runner, green)
    later = parse(runner, f"{first}\n{second}")
    assert later is not None
    assert later.failing == 0
    later = parse(runner, f"{second}\n{first}")
    assert later is not None
    assert later.failing > 0


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize(("other", "case"), [row for row in RECORDED if row[1] in ("red", "verbose-red", "red")])
def test_another_runners_output_is_not_evidence(runner: str, other: str, case: str) -> None:
    if runner == other or {runner, other} == {"cargo", "nextest"}:
        return
    assert parse(runner, output(other, case)) is None


@pytest.mark.parametrize("runner", RUNNERS)
@given(data=st.data())
def test_never_raises(runner: str, data: st.DataObject) -> None:
    lines = data.draw(st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=40)), max_size=60))
    evidence = parse(runner, "\n".join(lines))
    assert evidence is None or evidence.failing >= 0


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_megabyte_of_anything_is_quick(runner: str) -> None:
    """Lines of all runners in random order: no reader may grow with the square of its input."""
    chance = random.Random(7)
    own = [line for name, case in RECORDED if name == runner for line in output(name, case).split("\n") if line]
    for pool in (FRAGMENTS, own or FRAGMENTS, ["running 3 tests", "FAIL", "(", "test result: ok. 1 passed"]):
        text = "\n".join(chance.choices(pool, k=2_000_000 // (1 + sum(map(len, pool)) // len(pool))))[:1_000_000]
        begun = time.monotonic()
        parse(runner, text)
        assert time.monotonic() - begun < 10, runner
