"""What a round left behind beside its work: told to the next round, and to the person as notes."""

from __future__ import annotations

import os

from ralph_hooks import files
from ralph_hooks.gate.report import COMPLETE
from ralph_hooks.loop.ground import Ground, config_digest
from ralph_hooks.loop.record import Record
from ralph_hooks.loop.round import AgentRun
from ralph_hooks.loop.verify import Judged
from ralph_hooks.plan.locate import git_top


def words_about(agent: AgentRun, judged: Judged) -> list[str]:
    """What the next round is told of the report before it."""
    if agent.report is None:
        return ["The round before did not report: it was cut or died. Its work may be half done."]
    if agent.report.state == COMPLETE and judged.decided and not judged.green:
        return ["The round before reported complete, but the checks do not agree, so it is not complete."]
    return []


def config_changed(ground: Ground) -> bool:
    """Whether the config means something else now; a comment or another tool's table is no change."""
    if files.read_bytes_or_none(ground.project.config_path) == ground.config_text:
        return False
    return config_digest(ground.project) != ground.config_digest


def changes(ground: Ground, record: Record, objective: str, agent: AgentRun, judged: Judged) -> list[tuple[str, str]]:
    """What a round may not decide, or could not: (words for the next round, a note for the person)."""
    found = []
    if ground.project.config_path and config_changed(ground):
        name = os.path.basename(ground.project.config_path)
        words = f"`{name}` was changed; only a person can put such a change into force."
        found.append((words, f"left `{name}` changed; this run goes on with the old one"))
    for change in judged.changed:
        found.append((f"{change}; only a person can accept it as the check.", f"changed a check: {change}"))
    if record.keep_objective(objective):
        found.append(("", "changed the objective; it was written back"))
    if record.keep_rounds():
        found.append(("", "changed the record of the rounds; it was written back"))
    if ground.repository and git_top(ground.project.root) != ground.repository:
        found.append(
            ("", "left the project without its git repository: content cannot be told any more, and nothing committed")
        )
    if agent.survivors:
        found.append(("", f"left processes that cannot be ended: {', '.join(agent.survivors)}"))
    return found
