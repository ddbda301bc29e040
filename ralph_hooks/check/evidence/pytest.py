"""pytest: its final line, its short test summary and the sections of its failures."""

from __future__ import annotations

import re

from ralph_hooks.check.evidence.text import cut
from ralph_hooks.check.verdict import Evidence, Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set

_TIME = r"in \d+(?:\.\d+)?(?:s|(?: seconds?))(?: \(\d+(?: days?, \d+)?:\d\d:\d\d\))?"
_SOME = r"\d+ [a-z]+(?: (?!in )[a-z]+)*+"
_FINAL = re.compile(
    rf"^(?:=+ )?(no tests ran|no tests collected.*|\d+(?:/\d+)? tests? collected.*"
    rf"|{_SOME}(?:, {_SOME})*+) {_TIME}(?: =+)?$"
)
_COUNT = re.compile(r"(\d+) ([a-z]+(?: (?!in )[a-z]+)*+)")
_RESULTS = re.compile(r"^Results \(\d+(?:\.\d+)?m?s\):$")  # pytest-sugar and pytest-pretty, their counts below it
_RESULT = re.compile(r"^ {4,}(\d+) ([a-z]+)$")
_KINDS = {"failed", "passed", "skipped", "xfailed", "xpassed", "error", "errors", "deselected", "warning", "warnings"}
_STARTS = re.compile(r"^=+ test session starts =+$")
_SECTION = re.compile(r"^=+ \S.* =+$")
_TITLE = re.compile(r"^_+ (.*[^_ ].*) _+$")
_SHORT = re.compile(r"^=+ short test summary info =+$")
_ENTRY = re.compile(r"^(FAILED|ERROR|SUBFAILED|SUBFAIL) ?(.*)$")
_OTHER = re.compile(r"^(?:PASSED|SKIPPED|XFAIL|XPASS|RERUN|SUB[A-Z]+|WARNING)[ [(]|^!{3,} |^={3,} ")
_STATUS = "PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS"
_VERBOSE = re.compile(rf"^(\S+::.*?) ({_STATUS})(?: \(.*\))? +\[ *\d+%\]$")
_XDIST = re.compile(rf"^\[gw\d+\] \[ *\d+%\] ({_STATUS}) (\S+::.*?) *$")
_LISTED = re.compile(r"^(PASSED|XFAIL|XPASS) (\S+::.*?)(?: - .*)?$")
_MEANS = {"PASSED": "passed", "XPASS": "passed", "SKIPPED": "skipped", "XFAIL": "xfailed"}
# Something else glued to the final line: no summary that can be trusted, but no run that was cut off either.
_SUMMED_UP = re.compile(rf"={{3,}} (?:no tests ran|{_SOME}(?:, {_SOME})*+) {_TIME}")
_CONFTEST = re.compile(r"^ImportError while loading conftest '(.+)'\.$")
_PROGRESS = re.compile(r"^[.FEsxX]+$")
ENDED_EARLY = "pytest ended without its summary"


def matches(words: list[str]) -> bool:
    """`pytest`, its old name, and the project tools that only start it."""
    return words[0] in ("pytest", "py.test") or words[:2] in (["hatch", "test"], ["rye", "test"])


def parse(text: str) -> Evidence | None:
    """The last final line, the failures that belong to it, and the statuses of a verbose run."""
    lines = text.split("\n")
    found = next(
        ((at, counts) for at in range(len(lines) - 1, -1, -1) if (counts := _summary(lines, at)) is not None), None
    )
    if found is None or any(_STARTS.match(line) for line in lines[found[0] + 1 :]):
        return _unfinished(lines)
    at, counts = found
    failures = _failures(lines[:at])
    errors = counts.get("error", 0) + counts.get("errors", 0)
    if crash := [line.partition(" ")[2] for line in lines[:at] if line.startswith("INTERNALERROR>")]:
        errors += 1
        failures.insert(0, Failure("INTERNALERROR", cut("\n".join(crash))))
    evidence = Evidence(
        "pytest",
        passed=counts.get("passed", 0) + counts.get("xpassed", 0),
        failed=counts.get("failed", 0),
        errors=errors,
        skipped=counts.get("skipped", 0),
        xfailed=counts.get("xfailed", 0),
        failures=failures if errors or counts.get("failed") else [],
    )
    evidence.nothing = not (evidence.executed or evidence.skipped)
    _add_statuses(evidence, lines[:at], counts)
    return evidence


def _summary(lines: list[str], at: int) -> dict[str, int] | None:
    if not _RESULTS.match(lines[at]):
        return _final(lines[at])
    counts: dict[str, int] = {}
    for line in lines[at + 1 :]:
        if not line.strip():
            break
        if match := _RESULT.match(line):
            counts[match[2]] = int(match[1])
    return counts if counts.keys() & _KINDS else None


def _final(line: str) -> dict[str, int] | None:
    """The counts of a final line; empty when no test ran."""
    match = _FINAL.match(line)
    if not match:
        return None
    counts = {kind.strip(): int(number) for number, kind in _COUNT.findall(match[1]) if "collected" not in match[1]}
    return counts if not counts or counts.keys() & _KINDS else None


def _unfinished(lines: list[str]) -> Evidence | None:
    """No final line: a broken conftest, a run that died half way, or the short summary of `-qq`."""
    for at in range(len(lines) - 1, -1, -1):
        if _RESULTS.match(lines[at]):
            return Evidence("pytest", passed=0, failed=0, nothing=True)
        if broken := _CONFTEST.match(lines[at]):
            return _broken(broken[1].rpartition("/")[2], cut("\n".join(lines[at:])))
        if _STARTS.match(lines[at]):
            rest = "\n".join(lines[at:])
            return None if _SUMMED_UP.search(rest) else _broken(ENDED_EARLY, cut(rest))
        if _SHORT.match(lines[at]):
            failures = _failures(lines)
            return Evidence("pytest", failed=len(failures), failures=failures) if failures else None
        if lines[at].endswith("[100%]"):
            return None
    # `-q`, and no end of line after the progress: a test has ended the process
    return _broken(ENDED_EARLY, lines[-1]) if _PROGRESS.match(lines[-1]) else None


def _broken(name: str, text: str) -> Evidence:
    return Evidence("pytest", passed=0, failed=0, errors=1, failures=[Failure(name, text)])


def _failures(lines: list[str]) -> list[Failure]:
    """The entries of the last short summary with their sections; without one, the sections themselves."""
    blocks = _blocks(lines)
    short = next((at for at in range(len(lines) - 1, -1, -1) if _SHORT.match(lines[at])), None)
    if short is None or any(_final(line) is not None for line in lines[short:]):
        return [Failure(title, text) for title, text in _own_sections(lines, blocks)]
    by_title: dict[str, list[str]] = {}
    for title, text in blocks:
        by_title.setdefault(title, []).append(text)
    entries = _entries(lines[short + 1 :], by_title.keys())
    failures: dict[str, Failure] = {}
    # Backwards, so that the sections of an earlier run in the same output are left over, not taken.
    for name, wanted, message in reversed(entries):
        section = next((by_title[title] for title in wanted if by_title.get(title)), None)
        text = section.pop() if section else ""
        failures[name] = Failure(name, text or message)
    return [failures[name] for name in dict.fromkeys(name for name, _, _ in entries)]


def _blocks(lines: list[str]) -> list[tuple[str, str]]:
    """Title and text of every failure section, in order."""
    blocks: list[tuple[str, str]] = []
    title, begin = "", 0
    for at, line in enumerate([*lines, "== end =="]):
        named = _TITLE.match(line) if line.startswith("_") else None
        if not named and not (line.startswith("=") and _SECTION.match(line)):
            continue
        if title:
            blocks.append((title, cut("\n".join(lines[begin:at]))))
        title, begin = (named[1] if named else ""), at + 1
    return blocks


def _own_sections(lines: list[str], blocks: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The sections after the last final line of another run."""
    last = max((at for at, line in enumerate(lines) if _final(line) is not None), default=-1)
    own = {match[1] for line in lines[last + 1 :] if (match := _TITLE.match(line))}
    return list({title: (title, text) for title, text in blocks if title in own}.values())


def _entries(lines: list[str], titles: Set[str]) -> list[tuple[str, list[str], str]]:
    """Id, possible section titles and message of each entry of a short summary."""
    entries: list[tuple[str, list[str], str]] = []
    open_entry = False
    for line in lines:
        if (match := _ENTRY.match(line)) and (entry := _entry(match[1], match[2], titles)):
            entries.append(entry)
            open_entry = True
        elif _OTHER.match(line):
            open_entry = False
        elif open_entry and len(entries[-1][2]) < 2000:
            entries[-1] = (*entries[-1][:2], f"{entries[-1][2]}\n{line}")
    return entries


def _entry(kind: str, rest: str, titles: Set[str]) -> tuple[str, list[str], str] | None:
    if kind.startswith("SUB"):
        inner = rest.find("::")
        start = rest.rfind(" ", 0, max(inner, 0))
        description, rest = rest[: max(start, 0)].strip(), rest[start + 1 :]
    else:
        description = ""
    cuts = [match.start() for match in re.finditer(" - ", rest)][:20]
    for end in [*cuts, len(rest)]:
        wanted = _wanted(kind, rest[:end], description)
        if not titles.isdisjoint(wanted):
            break
    else:
        end = next((end for end in cuts if "[" not in rest[:end] or rest[:end].endswith("]")), len(rest))
        wanted = _wanted(kind, rest[:end], description)
    name = rest[:end]
    if not name or (kind == "FAILED" and "::" not in name and "." not in name):
        return None
    return f"{name} {description}".rstrip(), wanted, rest[end + 3 :]


def _wanted(kind: str, name: str, description: str) -> list[str]:
    """The titles that the section of this test may have."""
    path, _, inner = name.partition("::")
    plain, bracket, parameters = inner.partition("[")
    domain = plain.replace("::", ".") + bracket + parameters
    if kind == "ERROR":
        return [f"ERROR at setup of {domain}", f"ERROR at teardown of {domain}", f"ERROR collecting {name}"]
    return [f"{domain} {description}".rstrip(), f"[doctest] {domain}", path]


def _add_statuses(evidence: Evidence, lines: list[str], counts: dict[str, int]) -> None:
    """Statuses of the verbose or `-rA` lines, all of them only when they add up to the counts."""
    start = max((at for at, line in enumerate(lines) if _STARTS.match(line)), default=0)
    seen: list[tuple[str, str]] = []
    listed: dict[str, str] = {}
    for line in lines[start:]:
        if match := _VERBOSE.match(line):
            seen.append((match[1], match[2]))
        elif match := _XDIST.match(line):
            seen.append((match[2], match[1]))
        elif match := _LISTED.match(line):
            listed[match[2]] = _MEANS[match[1]]
    kinds = [
        ("PASSED", "passed"),
        ("FAILED", "failed"),
        ("SKIPPED", "skipped"),
        ("XFAIL", "xfailed"),
        ("XPASS", "xpassed"),
    ]
    whole = all(sum(status == kind for _, status in seen) == counts.get(name, 0) for kind, name in kinds)
    evidence.complete = bool(seen) and whole
    if evidence.complete:
        for name, status in seen:
            if evidence.statuses.get(name) != "failed":
                evidence.statuses[name] = _MEANS.get(status, "failed")
    elif len([status for status in listed.values() if status == "passed"]) <= (evidence.passed or 0):
        evidence.statuses.update(listed)
    evidence.statuses.update({failure.id: "failed" for failure in evidence.failures})
