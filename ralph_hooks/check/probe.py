"""Whether a suite in a scratch clone tests the clone (T5): a copy of the code elsewhere would excuse every failure.

Two looks. Before the run: a dependency directory that leads back into the checkout (an editable install, a linked
workspace). After a red run: the code that differs between clone and checkout is spoiled in the clone, and a suite that
answers as before does not read it there. Code that is the same in both may be read anywhere.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Sequence

from ralph_hooks import files
from ralph_hooks.check.dependencies import LINKED
from ralph_hooks.check.verdict import TIMEOUT, CheckResult
from ralph_hooks.process.capture import capture

TEST = re.compile(r"(?:^|[/._-])(?:tests?|specs?|__tests__|conftest)(?:[/._-]|$)|[a-z](?:Tests?|Spec)\.\w+$")
CODE = re.compile(
    r"\.(?:py|pyx|[cm]?[jt]sx?|vue|svelte|go|rs|rb|php|java|kt|kts|groovy|scala|cs|fs|exs?|erl|c|cc|cpp|cxx|h|hpp|swift)$"
)
Again = Callable[[], Sequence[CheckResult]]
SPOILED = b"ralph-hooks spoiled this copy on purpose ((((\n"
WORDS = "`{name}` can be spoiled at the merge-base and nothing changes, so the checks test another copy of it"


def names_test(path: str) -> bool:
    """Whether a file is named like one that holds tests."""
    return bool(TEST.search(path))


def changed_code(top: str, copy: str, commit: str, seconds: float) -> list[str] | None:
    """Code, tests left out, of the clone of `commit` that is not the same in the checkout; `None` = git did not say."""
    words = ["git", "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--diff-filter=MDT", commit]
    done = capture(words, cwd=top, timeout=seconds)
    names = [os.fsdecode(name) for name in done.out.split(b"\0") if name]
    code = [name for name in names if CODE.search(name) and not names_test(name)]
    return [name for name in code if os.path.isfile(os.path.join(copy, name))] if done.code == 0 else None


def elsewhere(copy: str, code: Sequence[str] | None, before: Sequence[CheckResult], again: Again) -> str:
    """Spoil this code in the clone and run `again`: why the suite may test another copy, "" when it tests this one."""
    if code is None:
        return "git did not say what has changed since"
    if not code:
        return ""
    for name in code:
        path = os.path.join(copy, name)
        files.remove(path)  # a link must not lead the write elsewhere
        files.write_atomic(path, SPOILED)
    after = again()
    if len(after) != len(before) or any(result.verdict == TIMEOUT for result in after):
        return "the run that shows which code is tested did not end in time"
    return WORDS.format(name=code[0]) if [*map(_said, before)] == [*map(_said, after)] else ""


def _said(result: CheckResult) -> tuple[str, str, list[str]]:
    failing = sorted(failure.id for failure in result.evidence.failures) if result.evidence else []
    return result.name, result.verdict, failing


def leads_back(top: str, copy: str) -> str:
    """The first linked dependency that resolves into the checkout's own code, or ""."""
    top = os.path.realpath(top)
    for name in LINKED:
        for linked in (os.path.join(copy, name), *glob.glob(os.path.join(copy, "*", name))):
            if os.path.islink(linked) and (leak := _editable(linked, top) or _workspace_link(linked, top)):
                return leak
    return ""


def _editable(directory: str, top: str) -> str:
    """A `.pth` file or an editable finder in a virtual environment that names the checkout."""
    for pattern in ("*.pth", "__editable__*.py", "*.egg-link", "*.dist-info/direct_url.json"):
        for path in glob.glob(os.path.join(directory, "lib", "python*", "site-packages", pattern)):
            text = (files.read_bytes_or_none(path) or b"").decode("utf-8", "replace")
            outside = text.replace(os.path.realpath(directory), "")
            if top in outside and (not path.endswith(".json") or '"editable"' in text):
                return path
    return ""


def _workspace_link(directory: str, top: str) -> str:
    """A package in node_modules that is a link to a package of the checkout."""
    inside = os.path.realpath(directory)
    for path in (*glob.glob(os.path.join(directory, "*")), *glob.glob(os.path.join(directory, "@*", "*"))):
        real = os.path.realpath(path)
        if os.path.islink(path) and real.startswith(top + os.sep) and not real.startswith(inside + os.sep):
            return path
    return ""
