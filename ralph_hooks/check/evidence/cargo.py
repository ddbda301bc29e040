"""cargo test: every test binary and the documentation tests print one block, from `running N tests` to `test result:`.

A block's counts must add up to its N, and a block inside another one (a test that runs a test runner, a test that
prints such lines) belongs to that test. Blocks are therefore matched from the end, like brackets. A block without a
result is a binary that died, even where cargo exits with 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ralph_hooks.check.evidence.text import cut, dedent, lines_of
from ralph_hooks.check.verdict import Evidence, Failure

_RUNNING = re.compile(r"running (\d+) tests?$")
_RESULT = re.compile(
    r"test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; \d+ filtered out"
    r"(?:; finished in [\d.]+s)?$"
)
_BUILT = re.compile(r" +Finished .*target\(s\) in ")
_TARGET = re.compile(r"(?:^|  )(?:Running .*?([\w-]+)-[0-9a-f]{16}\)?|Doc-tests ([\w-]+))$")
_TEST = re.compile(r"test (.+?)(?: - should panic| - compile(?: fail)?)? \.\.\. (ok|FAILED|ignored)(?:, .*)?$")
_BEGUN = re.compile(r"test .+ \.\.\. ")
_SECTION = re.compile(r"---- (.+?)(?: - should panic| - compile(?: fail)?)? std(?:out|err) ----$")
_PANIC = re.compile(r"thread '(.+)'(?: \(\d+\))? panicked at ")
_UNBUILT = re.compile(r"error: could not compile `([^`]+)`(?: \(([^)]*)\))?(?: due to |$)")
_ALL_RUN = re.compile(r"error: \d+ targets? failed:$")
_ERROR = re.compile(r"error(?:\[E\d+\])?: ")
_STATUS = {"ok": "passed", "FAILED": "failed", "ignored": "skipped"}
_NESTED = 50  # open blocks looked at for the beginning of one


@dataclass
class Block:
    """The lines of one test binary; `result` are its four counts, or `None` when it died."""

    start: int
    end: int
    result: tuple[int, int, int, int] | None
    target: str = ""
    doc: bool = False

    def id(self, test: str) -> str:
        """The test's path with its crate, since every crate may have a `tests::it_works`."""
        return f"{self.target}::{test}" if self.target and not self.doc else test


def matches(words: list[str]) -> bool:
    """`cargo test`, also behind subcommands that run it (`llvm-cov`, `careful`, `hack`)."""
    commands = subcommands(words)
    return "nextest" not in commands and any(word in ("test", "t", "llvm-cov", "tarpaulin") for word in commands)


def subcommands(words: list[str]) -> list[str]:
    """The first words after `cargo` that are no options."""
    if words[:1] not in (["cargo"], ["cross"]):
        return []
    own = words[1 : words.index("--")] if "--" in words else words[1:]
    return [word for word in own if not word.startswith(("-", "+"))][:3]


def parse(text: str) -> Evidence | None:
    """All blocks of the last run, summed; or the crates that did not compile."""
    lines = lines_of(text)
    blocks = _blocks(lines)
    begin = _last_run(lines, blocks)
    blocks = [block for block in blocks if block.start >= begin]
    unbuilt = compile_failures(lines, max(begin, blocks[-1].end if blocks else 0))
    if unbuilt:
        return Evidence("cargo", errors=len(unbuilt), failures=unbuilt)
    return _evidence(lines, blocks) if blocks else None


def compile_failures(lines: list[str], begin: int) -> list[Failure]:
    """One failure for each crate that did not compile, below line `begin`; the first one has the compiler's text."""
    failures: list[Failure] = []
    first = next((at for at in range(begin, len(lines)) if _ERROR.match(lines[at])), None)
    for at in range(begin if first is None else first, len(lines)):
        if found := _UNBUILT.match(lines[at]):
            said = [] if failures else lines[first:at]
            failures.append(Failure(f"{found[1]} ({found[2]})" if found[2] else found[1], cut(dedent(said))))
    return failures


def _blocks(lines: list[str]) -> list[Block]:
    """The outermost blocks, in order, found from the end."""
    found: list[Block] = []
    results: list[tuple[int, tuple[int, int, int, int]]] = []
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        if result := _RESULT.match(line):
            results.append((at, (int(result[1]), int(result[2]), int(result[3]), int(result[4]))))
        elif running := _RUNNING.match(line):
            _open(found, results, at, int(running[1]))
    if results:  # the block whose beginning was cut off
        found.append(Block(0, results[0][0], results[0][1]))
    found.reverse()
    _name(lines, found)
    return found


def _open(found: list[Block], results: list[tuple[int, tuple[int, int, int, int]]], at: int, count: int) -> None:
    """A `running N tests` line: it opens the nearest result that counts N, else its binary never came to its end."""
    for place in range(len(results) - 1, max(-1, len(results) - 1 - _NESTED), -1):
        if sum(results[place][1]) == count:
            end, result = results[place]
            del results[place:]
            if not results:
                found.append(Block(at, end, result))
            return
    if not results:
        found.append(Block(at, at, None))


def _name(lines: list[str], blocks: list[Block]) -> None:
    """Give each block its target, which cargo names above it, and a dead one the lines up to the next target."""
    above = 0
    for place, block in enumerate(blocks):
        for line in reversed(lines[above : block.start]):
            if found := _TARGET.search(line):
                block.target, block.doc = found[1] or found[2], not found[1]
                break
        if block.result is None:
            limit = blocks[place + 1].start if place + 1 < len(blocks) else len(lines)
            more = range(block.start + 1, limit)
            block.end = next((at - 1 for at in more if _TARGET.search(lines[at])), limit - 1)
        above = block.end


def _last_run(lines: list[str], blocks: list[Block]) -> int:
    """Where cargo was last done with building, outside of any block: there the last run begins."""
    edges = [0, *(block.end + 1 for block in blocks)]
    stops = [*(block.start for block in blocks), len(lines)]
    for begin, stop in zip(reversed(edges), reversed(stops), strict=True):
        for at in range(stop - 1, begin - 1, -1):
            if _BUILT.match(lines[at]):
                return at
            if _UNBUILT.match(lines[at]):
                return begin
    return 0


def _evidence(lines: list[str], blocks: list[Block]) -> Evidence:
    done = [block.result for block in blocks if block.result]
    passed, failed, ignored, measured = (sum(counts) for counts in zip(*done, strict=True)) if done else (0, 0, 0, 0)
    failures: list[Failure] = []
    statuses: dict[str, str] = {}
    dead = len(blocks) - len(done)
    for block in blocks:
        own = lines[block.start : block.end + 1]
        if block.result is None:
            failures.append(_death(block, own))
            continue
        tests = _failures(block, own)
        failures += tests
        told = {block.id(found[1]): _STATUS[found[2]] for line in own if (found := _TEST.match(line))}
        statuses |= {test: status for test, status in told.items() if status != "failed"}
        statuses |= {test.id: "failed" for test in tests}
    executed = passed + failed + measured
    to_the_end = not failed or any(_ALL_RUN.match(line) for line in lines[blocks[-1].end :])
    return Evidence(
        "cargo",
        passed=passed + measured,
        failed=failed,
        errors=dead,
        skipped=ignored,
        failures=failures,
        statuses=statuses,
        complete=not dead and to_the_end and len(statuses) == executed + ignored,
        nothing=not dead and executed + ignored == 0,
    )


def _death(block: Block, own: list[str]) -> Failure:
    said = dedent(own[1:])
    return Failure(block.target or "a test binary", cut(f"{own[0]}, and then no result\n{said}"))


def _failures(block: Block, own: list[str]) -> list[Failure]:
    """The tests of the block's closing list, each with its section of the output."""
    names = _closing_list(own) if block.result and block.result[1] else []
    known = frozenset(names)
    texts: dict[str, list[str]] = {}
    current: list[str] = []
    for line in own[: len(own) - len(names) - 3]:
        found = _SECTION.match(line) or _PANIC.match(line)
        if found and found[1] in known:
            current = texts.setdefault(found[1], [])
        elif _BEGUN.match(line):
            current = []
        if not _SECTION.match(line):
            current.append(line)
    return [Failure(block.id(name), cut(dedent(texts.get(name, [])))) for name in names]


def _closing_list(own: list[str]) -> list[str]:
    """The names between the last `failures:` and the result, which an empty line parts from them."""
    at = len(own) - 3
    while at >= 0 and own[at].startswith("    "):
        at -= 1
    return [line[4:] for line in own[at + 1 : -2]] if at >= 0 and own[at] == "failures:" else []
