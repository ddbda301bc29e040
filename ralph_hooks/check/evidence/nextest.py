"""cargo nextest: the last `Summary` line, the results below it, and what each failing test printed above it."""

from __future__ import annotations

import re

from ralph_hooks.check.evidence.cargo import compile_failures, subcommands
from ralph_hooks.check.evidence.text import cut, dedent, lines_of
from ralph_hooks.check.verdict import Evidence, Failure

_SUMMARY = re.compile(r" +Summary \[ *[\d.]+s\] (\d+)(/\d+)? tests? run: (\d+) passed(.*)$")
_PART = re.compile(r", (\d+) (failed|exec failed|timed out|skipped)\b")
_START = re.compile(r" +Starting \d+ tests? across \d+ binar")
_LINE = re.compile(r" +(?:TRY \d+ )?([A-Z][A-Z0-9/ -]*?) \[[ >]*[\d.]*s? *\] (?:\( *[\d─/-]+\) )?(\S+ +\S.*)$")
_NOISE = re.compile(r" *(?:running \d+ tests?|test .* \.\.\. FAILED|failures:|test result: .*|std(?:out|err) [─-]+)$")
_PASSED = ("PASS", "LEAK", "FLAKY", "FL")
_IGNORED = ("SLOW", "START", "TERMINATING", "TRMNTG", "SETUP PASS", "CANCELING", "KILLING", "SIGINT", "RETRY")


def matches(words: list[str]) -> bool:
    """`cargo nextest run`, also behind `llvm-cov`."""
    return words[:1] == ["cargo-nextest"] or "nextest" in subcommands(words)


def parse(text: str) -> Evidence | None:
    """Counts of the last summary; names where nextest prints them (its default: all of a run)."""
    lines = lines_of(text)
    at = next((at for at in range(len(lines) - 1, -1, -1) if _SUMMARY.match(lines[at])), None)
    unbuilt = compile_failures(lines, at or 0)
    if unbuilt:
        return Evidence("nextest", errors=len(unbuilt), failures=unbuilt)
    found = _SUMMARY.match(lines[at]) if at is not None else None
    if at is None or not found:
        return None
    counts = {what: int(number) for number, what in _PART.findall(found[4])}
    statuses, texts = _results(lines, at)
    failing = [test for test, status in statuses.items() if status == "failed"]
    run, passed = int(found[1]), int(found[3])
    return Evidence(
        "nextest",
        passed=passed,
        failed=sum(counts.values()) - counts.get("skipped", 0),
        skipped=counts.get("skipped", 0),
        failures=[Failure(test, _text(test, texts.get(test, []))) for test in failing],
        statuses=statuses,
        complete=len(statuses) >= run > 0 and not found[2],
        nothing=run == 0,
    )


def _results(lines: list[str], summary: int) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Status by test, and what a test printed in its last try: indented below its result, or raw since its start."""
    begin = next((at for at in range(summary, -1, -1) if _START.match(lines[at])), 0)
    statuses: dict[str, str] = {}
    texts: dict[str, list[str]] = {}
    said: list[str] = []
    raw = False
    for at, line in enumerate(lines[begin:], begin):
        found = _LINE.match(line)
        if found and found[1] == "START":
            said, raw = [], True
        elif found and found[1] not in _IGNORED:
            statuses[found[2]] = _status(found[1])
            if at < summary:
                said = texts[found[2]] = said if raw else []
                raw = False
        elif at < summary and not found and (raw or not line or line.startswith("    ")):
            said.append(line)
    return statuses, texts


def _text(test: str, said: list[str]) -> str:
    """A test's own words, without what the test harness says around them."""
    name = test.split(" ", 1)[-1].strip()
    own = [line for line in said if not _NOISE.match(line) and line.strip() != name]
    return cut(re.sub(r"\n{3,}", "\n\n", dedent(own)))


def _status(word: str) -> str:
    """FAIL, TIMEOUT, ABORT, SIGSEGV … all mean failed; a try that failed is overruled by a later one."""
    if word == "SKIP":
        return "skipped"
    return "passed" if word.startswith(_PASSED) and "FAIL" not in word else "failed"
