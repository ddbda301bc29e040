"""TAP 13 and 14: test points, subtests by indentation, plans. For tape, tap, bats and any other producer."""

from __future__ import annotations

import re

from ralph_hooks.check.evidence.text import cut, dedent
from ralph_hooks.check.verdict import Evidence, Failure

_POINT = re.compile(r"^( *)(not )?ok\b(?: (\d+)\b)?(?: -)?(?: (.*))?$")
_PLAN = re.compile(r"^( *)1\.\.(\d+)(?: *#.*)?$")
_VERSION = re.compile(r"^TAP version \d+$")
_DIRECTIVE = re.compile(r"(?:^|\s)# *(skip|todo\b)\S* ?.*$", re.IGNORECASE)
_TIME = re.compile(r" # time=[\d.]+m?s(?= \{$|$)| \{$")
_BAIL = re.compile(r"^Bail out!(.*)$")
_PROGRAMS = {"tap", "tape", "bats", "tap-spec", "faucet"}


class Point:
    """One result. `status` as in `Evidence.statuses`; `parent` is true when it only sums up its subtests."""

    __slots__ = ("depth", "number", "parent", "path", "status", "text")

    def __init__(self, path: str, status: str, number: int | None, depth: int) -> None:
        self.path = path
        self.status = status
        self.number = number
        self.depth = depth
        self.text = ""
        self.parent = False


class Document:
    """All points of one TAP stream, in order of arrival; `planned` is the top plan, `None` where it is missing."""

    def __init__(self, *, headed: bool = False, planned: int | None = None) -> None:
        self.points: list[Point] = []
        self.planned = planned
        self.bail: str | None = None
        self.headed = headed

    @property
    def beheaded(self) -> bool:
        """Whether the beginning of the output is lost, and with it perhaps results or the plan."""
        first = next((point for point in self.points if point.depth == 0), None)
        return not self.headed and (first is None or first.number != 1)

    @property
    def leaves(self) -> list[Point]:
        """Points that stand for themselves; a parent only when it fails although its subtests do not."""
        return [point for point in self.points if not point.parent]


def matches(words: list[str]) -> bool:
    """Programs that print TAP when nobody watches."""
    return words[0] in _PROGRAMS or (words[0] == "ava" and bool({"--tap", "-t"} & set(words)))


def parse(text: str) -> Evidence | None:
    """The last TAP document. A plan that was not kept, or is missing at the end, is an error."""
    document = read(text.split("\n"))
    if not document.points and document.planned is None and document.bail is None:
        return None
    leaves = document.leaves
    failures = [Failure(point.path, cut(point.text)) for point in leaves if point.status == "failed"]
    broken = _broken(document, text)
    statuses: dict[str, str] = {}
    for point in leaves:
        if statuses.get(point.path) != "failed":
            statuses[point.path] = point.status
    counts = [sum(point.status == status for point in leaves) for status in ("passed", "skipped", "xfailed")]
    return Evidence(
        "tap",
        passed=counts[0],
        failed=len(failures),
        errors=len(broken),
        skipped=counts[1],
        xfailed=counts[2],
        failures=failures + broken,
        statuses=statuses,
        complete=not broken and not document.beheaded and document.planned is not None,
        nothing=document.planned == 0 and not document.points and not broken,
    )


def _broken(document: Document, text: str) -> list[Failure]:
    """What is wrong with the stream as such; nothing is held against one whose beginning was cut off."""
    if document.bail is not None:
        return [Failure("Bail out!", document.bail)]
    top = [point for point in document.points if point.depth == 0]
    if document.beheaded:
        return []
    seen = max([len(top), *(point.number or 0 for point in top)])
    if document.planned is None:
        ended = f"the output ended without its plan:\n{text[-2000:]}"
        return [Failure("TAP plan", cut(ended))] if document.headed else []
    if seen < document.planned:
        return [Failure("TAP plan", f"{document.planned} tests were planned, {seen} reported")]
    return []


def read(lines: list[str]) -> Document:
    """The points of the last TAP stream in these lines."""
    begin = max((at for at, line in enumerate(lines) if _VERSION.match(line)), default=-1)
    reader = _Reader(headed=begin >= 0)
    for line in lines[begin + 1 :]:
        reader.feed(line)
    return reader.finish()


class _Reader:
    """Reads one line after the other."""

    def __init__(self, *, headed: bool) -> None:
        self.document = Document(headed=headed)
        # Points without a parent so far, grouped by depth: a parent's line comes after those of its subtests.
        self.groups: list[tuple[int, list[Point]]] = []
        self.opened: list[re.Match[str]] = []
        self.details: list[str] = []
        self.block = -1  # the indentation of the YAML block we are in
        self.fresh = False  # whether nothing but its details came after the last point
        self.plan_after = 0

    def feed(self, line: str) -> None:
        """Take the next line."""
        if self.block >= 0 and self._in_block(line):
            return
        match = _POINT.match(line)
        if match and (match[4] or "").endswith(" {"):
            self.opened.append(match)  # its subtests stand below it; it counts where its brace closes
        elif self.opened and line == f"{self.opened[-1][1]}}}":
            self._take(self.opened.pop())
        elif match:
            self._take(match)
        elif self.fresh and line.strip() == "---":
            self.block = len(line) - 3
        elif self.fresh and line.lstrip(" ").startswith("#") and not line.lstrip(" ").startswith("# Subtest"):
            self.details.append(line.lstrip(" ")[1:].removeprefix(" "))
        else:
            self.fresh = False
            self._other(line)

    def finish(self) -> Document:
        """The document, once all lines are in."""
        self._close()
        return self.document

    def _other(self, line: str) -> None:
        if (plan := _PLAN.match(line)) and not plan[1]:
            self.document.planned, self.plan_after = int(plan[2]), len(self.document.points)
        elif (bail := _BAIL.match(line)) and self.document.bail is None:
            self.document.bail = bail[1].strip()

    def _in_block(self, line: str) -> bool:
        indent = len(line) - len(line.lstrip(" "))
        if indent == self.block and line.strip() == "...":
            self.block, self.fresh = -1, False
            return True
        if line.strip() and indent < self.block:
            self.block = -1
            return False
        self.details.append(line)
        return True

    def _take(self, match: re.Match[str]) -> None:
        self._close()
        points = self.document.points
        if not match[1] and match[3] == "1" and any(depth == 0 for depth, _ in self.groups):
            planned = self.document.planned if self.plan_after == len(points) else None
            self.document, self.groups = Document(headed=self.document.headed, planned=planned), []
        self.document.points.append(_point(match, self.groups))
        self.fresh = True

    def _close(self) -> None:
        if self.details and self.document.points and self.document.points[-1].status == "failed":
            self.document.points[-1].text = dedent(self.details[:400])
        self.details, self.block, self.fresh = [], -1, False


def _point(match: re.Match[str], groups: list[tuple[int, list[Point]]]) -> Point:
    depth, failed, title = len(match[1]), bool(match[2]), _TIME.sub("", match[4] or "")
    directive = _DIRECTIVE.search(title)
    kind = directive[1].lower() if directive else ""
    title = title[: directive.start()] if directive else title
    title = title.strip().replace("\\#", "#").replace("\\\\", "\\")
    if kind == "todo":
        status = "xfailed" if failed else "skipped"
    else:
        status = "skipped" if kind else "failed" if failed else "passed"
    point = Point(title or f"test {match[3] or ''}".strip(), status, int(match[3]) if match[3] else None, depth)
    below: list[list[Point]] = []
    while groups and groups[-1][0] > depth:
        below.append(groups.pop()[1])
    children = [child for group in reversed(below) for child in group]
    for child in children:
        child.path = f"{point.path} > {child.path}"
    point.parent = bool(children) and (status != "failed" or any(child.status == "failed" for child in children))
    groups.append((depth, [*children, point]))
    return point
