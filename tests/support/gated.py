"""Small projects behind the real gate, and what the ledger says about their stops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ralph_hooks.ledger import ledger
from ralph_hooks.plan.locate import find_project
from tests.support.clients import stop_hook, with_hooks
from tests.support.project import TestProject, make_project

# Five unit tests; `failing` says how many of them fail. `runs` counts, outside of what the digest sees.
SUITE = """\
import pathlib, unittest
with open("runs", "a") as runs:
    runs.write("run\\n")
failing = int(pathlib.Path("failing").read_text())
class Suite(unittest.TestCase):
    pass
for n in range(5):
    def test(self, n=n):
        self.assertGreaterEqual(n, failing, f"bug {n} is still there")
    setattr(Suite, f"test_{n}", test)
del test
"""
CHECK = '[[check]]\nname = "suite"\nrun = ["python3", "-m", "unittest", "suite"]\n'
CLAUDE_GATE = stop_hook("ralph-hooks", "hook", "claude", "--within", "630", _id="ralph-hooks")
CODEX_GATE = stop_hook("ralph-hooks hook codex --within 630", _id="ralph-hooks")
FIX = "echo 0 > failing"
MEND = "touch mended"


def gated(root: Path, failing: int = 1, more: str = "", *, client: str = "claude") -> TestProject:
    """A project with the suite, its config (plus `more`) and the gate registered, all committed."""
    project = make_project(root).write("suite.py", SUITE).write("failing", f"{failing}\n")
    return register(project.write(".gitignore", "runs*\n__pycache__/\n").config(CHECK + more), client)


def scripted(root: Path, script: str, more: str = "", *, keys: str = "", client: str = "claude") -> TestProject:
    """A project whose check is this shell script until `MEND`, with further `keys` of the check."""
    project = make_project(root).write("check.sh", "test -e mended && exit 0\n" + script)
    project.config(f'[[check]]\nname = "suite"\nrun = ["sh", "check.sh"]\n{keys}{more}')
    return register(project.write(".gitignore", "runs*\n"), client)


def register(project: TestProject, client: str = "claude") -> TestProject:
    """Put the gate's entry where this client looks for it, and commit."""
    if client == "codex":
        with_hooks(project, CODEX_GATE, file=".codex/hooks.json")
    else:
        with_hooks(project, CLAUDE_GATE)
    return project.commit()


def runs(project: TestProject) -> int:
    """How often the suite really ran."""
    path = project.root / "runs"
    return len(path.read_text().splitlines()) if path.exists() else 0


def stops(project: TestProject | Path) -> list[dict[str, Any]]:
    """The ledger's lines, oldest first."""
    found = find_project(str(project if isinstance(project, Path) else project.root))
    assert found is not None
    return [record for record in ledger.read(found) if "decision" in record]


def decisions(project: TestProject | Path) -> list[str]:
    """Each stop as `BLOCK(red)`."""
    records = stops(project)
    return [f"{each['decision']}({each['reason']})" if each["reason"] else each["decision"] for each in records]
