"""JUnit XML as real writers write it, and XML that must not be believed."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from ralph_hooks.check.evidence import junit
from ralph_hooks.check.evidence.registry import collect
from ralph_hooks.check.verdict import Evidence
from tests.check.evidence.recorded import RECORDINGS, Row, book, compare, rows, untold

ROWS = [
    *rows(
        "pytest-red",
        *(2, 6, 2, 1),
        ids=[
            "test_calc::test_adds",
            "test_calc::test_named[x[1]]",
            r"test_calc::test_named[\xe9::\xfc]",
            "test_calc::test_named[a - b]",
            "test_calc.TestClass::test_method",
            "test_calc::test_uses_fixture",
            "test_calc::test_teardown",
            "test_calc::test_strict",
        ],
        says="the sum is wrong",
    ),
    *rows("pytest-green", 6, 0, 0, 1, 1),
    *rows("pytest-empty", 0, 0, nothing=True),
    *rows("pytest-import-error", 0, 0, 1, ids=["pytest::test_broken"], says="No module named 'missing_module'"),
    *rows("node-red", 2, 5, 0, 1, ids=["test::adds", "test::child", "test::throws", "test::rejects", "test::never"]),
    *rows("node-green", 6, 0, 0, 2),
    *rows(
        "jest-red",
        *(2, 7, 0, 1),
        ids=[
            "adds",
            "a suite compares › deeply",
            "a suite inner throws",
            "a suite inner times out",
            "fixed",
            "never",
            "neither",
        ],
        says="Expected: 3",
    ),
    *rows(
        "mocha-red",
        *(2, 6),
        ids=[
            "adds",
            "compares: deeply::a suite compares: deeply",
            "throws::a suite inner throws",
            "times out::a suite inner times out",
            '"before all" hook for "never"::hooks "before all" hook for "never"',
            '"after each" hook for "first"::each "after each" hook for "first"',
        ],
        says="the sum is wrong",
    ),
    *rows(
        "vitest-red",
        *(2, 6, 0, 3),
        ids=[
            "a.test.js::adds",
            "a.test.js::a suite > compares > deeply",
            "a.test.js::a suite > inner > throws",
            "a.test.js::a suite > inner > times out",
            "a.test.js::fixed",
            "b.test.js",
        ],
        says="expected 2 to be 3",
    ),
]


def read(*contents: str | bytes) -> Evidence | None:
    files = [(f"{at}.xml", text.encode() if isinstance(text, str) else text) for at, text in enumerate(contents)]
    return junit.read(files)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_a_recording_is_read(row: Row) -> None:
    evidence = read((RECORDINGS / "junit" / f"{row.case}.txt").read_bytes())
    compare(evidence, row)
    assert evidence is not None
    assert evidence.complete


def test_every_recording_has_its_row() -> None:
    assert untold("junit", ROWS) == set()
    assert book("junit")["versions"]["pytest"] == "pytest 9.0.2"


def test_suites_nest_and_files_add_up() -> None:
    nested = (
        '<testsuites><testsuite name="a"><testsuite name="b"><testcase name="t"/></testsuite></testsuite></testsuites>'
    )
    evidence = read(
        nested, '<testsuite name="c"><testcase classname="C" name="u"><error message="no"/></testcase></testsuite>'
    )
    assert evidence is not None
    assert evidence.statuses == {"b::t": "passed", "C::u": "failed"}
    assert (evidence.passed, evidence.failed, evidence.errors) == (1, 0, 1)
    assert evidence.failures[0].text == "no"


FLAKY = """<testsuite name="s">
<testcase classname="C" name="flaky">
  <flakyFailure message="first time"><stackTrace>x</stackTrace></flakyFailure>
</testcase>
<testcase classname="C" name="red"><failure message="always">at C</failure><rerunFailure message="again"/></testcase>
<testcase classname="C" name="err"><flakyError message="first"/></testcase>
</testsuite>"""


def test_a_flaky_test_that_passed_has_passed() -> None:
    evidence = read(FLAKY)
    assert evidence is not None
    assert (evidence.passed, evidence.failed) == (2, 1)
    assert [(failure.id, failure.text) for failure in evidence.failures] == [("C::red", "always\nat C")]


@pytest.mark.parametrize("status", ["notrun", "disabled", "SKIPPED"])
def test_a_case_with_a_status_that_says_so_was_not_run(status: str) -> None:
    evidence = read(f'<testsuite><testcase name="t" status="{status}"/><testcase name="u" status="run"/></testsuite>')
    assert evidence is not None
    assert evidence.statuses == {"t": "skipped", "u": "passed"}


def test_a_suite_that_failed_as_such_counts() -> None:
    evidence = read('<testsuite name="s"><error message="no database"/></testsuite>')
    assert evidence is not None
    assert (evidence.errors, evidence.failures[0].id) == (1, "s")


def test_namespaces_control_characters_and_encodings() -> None:
    assert read("<testsuite><testcase name='a'><failure>&#27;[31mred</failure></testcase></testsuite>") is None
    latin = '<?xml version="1.0" encoding="iso-8859-1"?><testsuite><testcase name="é"/></testsuite>'.encode("latin-1")
    wide = '<?xml version="1.0" encoding="utf-16"?><testsuite><testcase name="é"/></testsuite>'.encode("utf-16")
    for content in (latin, wide):
        evidence = read(content)
        assert evidence is not None
        assert evidence.statuses == {"é": "passed"}
    spaced = (
        '<t:testsuite xmlns:t="urn:x"><t:testcase name="a"><t:failure>red\u202e!</t:failure></t:testcase></t:testsuite>'
    )
    bidi = read(spaced)
    assert bidi is not None
    assert bidi.failures[0].text == "red!"


ENTITIES = "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
BOMB = f'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{ENTITIES}]><testsuite><testcase name="&j;"/></testsuite>'
BAD: list[str | bytes] = [
    BOMB,
    '<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuite><testcase name="t"/></testsuite>',
    '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&e;"/></testsuite>',
    '<testsuite><testcase name="t"/>',
    "",
    "not xml",
    "<html><body/></html>",
    '<?xml version="1.0" encoding="nosuch"?><testsuite/>',
    b"\xff\xfe\x00",
    b"\x00" * 100,
]


@pytest.mark.parametrize("content", BAD)
def test_what_cannot_be_read_says_nothing(content: str | bytes) -> None:
    assert read(content) is None


def test_a_broken_file_beside_a_good_one_makes_it_incomplete() -> None:
    evidence = read('<testsuite><testcase name="t"/></testsuite>', BAD[3])
    assert evidence is not None
    assert (evidence.passed, evidence.complete) == (1, False)


def test_a_report_goes_before_the_output_and_a_broken_one_does_not() -> None:
    red = [("a.xml", b'<testsuite><testcase name="t"><failure/></testcase></testsuite>')]
    told = collect("auto", ["pytest"], "", "1 passed in 0.1s\n", red)
    assert told is not None
    assert (told.runner, told.failing) == ("junit", 1)
    fallen = collect("auto", ["pytest"], "", "2 failed in 0.1s\n", [("a.xml", b"<testsuite>")])
    assert fallen is not None
    assert (fallen.runner, fallen.failing) == ("pytest", 2)
    assert collect("none", ["pytest"], "", "2 failed in 0.1s\n", red) is None


def test_a_huge_report_is_read_in_little_memory() -> None:
    case = b'<testcase classname="C" name="t"><failure message="m">' + b"x" * 2000 + b"</failure></testcase>"
    content = b"<testsuite>" + case * 10_000 + b"</testsuite>"
    tracemalloc.start()
    began = time.monotonic()
    evidence = junit.read([("a.xml", content)])
    took, peak = time.monotonic() - began, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert evidence is not None
    assert evidence.failed == 10_000
    assert peak < 8 * 1024 * 1024
    assert took < 30
