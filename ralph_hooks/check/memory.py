"""Remembered green. Until the digest stands, nothing is remembered and everything is run."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.check.verdict import Run
    from ralph_hooks.plan.compiled import Plan
    from ralph_hooks.plan.config import Check
    from ralph_hooks.plan.locate import Project


class Recall:
    """What is known about the present content: `names` are the checks remembered as green."""

    def __init__(self, project: Project, plan: Plan, *, force: bool = False) -> None:
        self.digest = ""
        self.receipt = ""
        self.names: set[str] = set()
        self.whole = False

    def refresh(self) -> str:
        """The digest of the content now."""
        return ""

    def meanwhile(self) -> None:
        """Work that can be done while the first check runs."""

    def after(self) -> str:
        """The digest after the run."""
        return ""

    def remember(self, checks: list[Check], run: Run) -> None:
        """Note these checks as green, if nothing moved while they ran."""
