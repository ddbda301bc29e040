"""What detection answers: a command, what it is for, and the evidence for it."""

from __future__ import annotations

from dataclasses import dataclass, replace

TESTS, TYPES, LINT = "tests", "types", "lint"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One command that could be a check. `why` is a sentence; `note` says what it leaves out, if anything."""

    ecosystem: str
    run: tuple[str, ...] | str
    why: str
    kind: str = TESTS
    name: str = ""
    cwd: str = "."
    paths: tuple[str, ...] = ()
    junit: str = ""
    min_tests: int = 1
    note: str = ""

    @property
    def shown(self) -> str:
        """The command as one would type it."""
        import shlex

        return self.run if isinstance(self.run, str) else shlex.join(self.run)

    def at(self, path: str) -> Proposal:
        """The same command for a package in a directory."""
        return (
            self if path == "." else replace(self, cwd=path, name=f"{path.replace('/', '-')}-{self.name or self.kind}")
        )
