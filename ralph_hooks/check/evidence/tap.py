"""TAP 13 and 14: test points, subtests by indentation, plans. For tape, tap, bats and any other producer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ralph_hooks.check.evidence.text import cut, dedent
from ralph_hooks.check.verdict import Evidence, Failure

_POINT = re.compile(r"^( *)(not )?ok\b(?: (\d+)\b)?(?: -)?(?: (.*))?$")
_PLAN = re.compile(r"^( *)1\.\.(\d+)(?: *#.*)?$")
_VERSION = re.compile(r"^TAP version \d+$")
_DIRECTIVE = re.compile(r"(?:^|\s)# *(skip|todo)\b\S* ?.*$", re.IGNORECASE)
_TIME = re.compile(r" # time=[\d.]+m?s(?= \{$|$)| \{$")
_BAIL = re.compile(r"^Bail out!(.*)$")
_PROGRAMS = {"tap", "tape", "bats", "tap-spec", "faucet"}


@dataclass
class Point:
    """One result. `status` as in `Evidence.statuses`; `parents` is true when it sums up subtests."""

    path: str
    status: str
    number: int | None
    depth: int
    text: str = ""
    parent: bool = False


@dataclass
class Document:
    """All points of one TAP stream, in order of arrival; `planned` is the top plan, `None` where it is missing."""

    points: list[Point] = field(default_factory=list)
    planned: int | None = None
    bail: str | None = None
    headed: bool = False

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
    broken = _broken(document)
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
        complete=not broken and document.planned is not None,
        nothing=document.planned == 0 and not document.points and not broken,
    )


def _broken(document: Document) -> list[Failure]:
    """What is wrong with the stream as such; nothing is held against one whose beginning was cut off."""
    if document.bail is not None:
        return [Failure("Bail out!", document.bail)]
    top = [point for point in document.points if point.depth == 0]
    if not document.headed and (not top or top[0].number != 1):
        return []
    seen = max([len(top), *(point.number or 0 for point in top)])
    if document.planned is None:
        return [Failure("TAP plan", "the output ended without its plan")] if document.headed else []
    if seen < document.planned:
        return [Failure("TAP plan", f"{document.planned} tests were planned, {seen} reported")]
    return []


def read(lines: list[str]) -> Document:
    """The points of the last TAP stream in these lines."""
    begin = max((at for at, line in enumerate(lines) if _VERSION.match(line)), default=-1)
    document = Document(headed=begin >= 0)
    # Points without a parent so far, grouped by depth: a parent's line comes after those of its subtests.
    groups: list[tuple[int, list[Point]]] = []
    opened: list[re.Match[str]] = []
    plan_after = 0
    for at in range(begin + 1, len(lines)):
        line = lines[at]
        match = _POINT.match(line)
        if match and (match[4] or "").endswith(" {"):
            opened.append(match)  # its subtests stand below it, and its result counts where its brace closes
            continue
        if opened and line == f"{opened[-1][1]}}}":
            match = opened.pop()
        if match:
            if not match[1] and match[3] == "1" and document.points and any(depth == 0 for depth, _ in groups):
                planned = document.planned if plan_after == len(document.points) else None
                document, groups = Document(headed=document.headed, planned=planned), []
            document.points.append(_point(match, groups))
            if document.points[-1].status == "failed":
                document.points[-1].text = _details(lines, at + 1, len(match[1]))
        elif (plan := _PLAN.match(line)) and not plan[1]:
            document.planned, plan_after = int(plan[2]), len(document.points)
        elif (bail := _BAIL.match(line)) and document.bail is None:
            document.bail = bail[1].strip()
    return document


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
    own = [point]
    children: list[Point] = []
    while groups and groups[-1][0] > depth:
        children = groups.pop()[1] + children
    for child in children:
        child.path = f"{point.path} > {child.path}"
    point.parent = bool(children) and (status != "failed" or any(child.status == "failed" for child in children))
    groups.append((depth, children + own))
    return point


def _details(lines: list[str], at: int, depth: int) -> str:
    """The YAML block or the comment lines below a point that failed."""
    if at < len(lines) and lines[at].strip() == "---":
        margin = len(lines[at]) - 3
        block: list[str] = []
        for line in lines[at + 1 : at + 400]:
            if line.strip() == "..." and len(line) - 3 <= margin:
                break
            block.append(line)
        return dedent(block)
    comments: list[str] = []
    while at < len(lines) and lines[at].startswith(" " * depth + "#") and len(comments) < 200:
        comments.append(lines[at][depth + 1 :].removeprefix(" "))
        at += 1
    return "\n".join(comments)
