"""The prompt of a round (F5): the same bytes every round, then the handoff, which alone crosses (F9)."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ralph_hooks.gate.report import Report
from ralph_hooks.loop.endings import cut

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["state", "next_steps", "evidence", "blocker"],
    "properties": {
        "state": {"type": "string", "enum": ["continue", "complete", "blocked"]},
        "next_steps": {"type": "array", "items": {"type": "string"}},
        "evidence": {"type": "array", "items": {"type": "string"}},
        "blocker": {"type": ["string", "null"]},
    },
}

RULES = """\
- You start with nothing but this text and the repository. Read the specifications and the plan first.
- Take the most important open item of the plan. Do that one thing, wholly, and nothing else. Choose it yourself.
- Before you build something, search the code: it may be there already.
- Work alone in this process: start no other agents.
- Leave no stubs and no placeholders. Do not edit, skip or delete tests to make them pass.
- Run the project's checks on what you changed.
- Keep the plan true: tick what is done, write down what you found, put the most important open item first.
{commits}
- {channel} The report is this JSON object and nothing else:
  {{"state": "continue" | "complete" | "blocked", "next_steps": [text], "evidence": [text], "blocker": text or null}}
  - `continue`: work remains. `next_steps` lists it, most important first; no blocker.
  - `complete`: the whole objective is met and the checks pass. `evidence` says how you know; no next steps, no blocker.
    The checks are run again after you; a red tree is not complete, whatever the report says.
  - `blocked`: only a person can go on. `blocker` says what is needed, concretely.
  Other keys are refused. At most {most_chars} characters."""
COMMITS = {
    True: "- Do not commit. A round that leaves the checks green is committed after you.",
    False: "- Commit only if the objective or the repository's own rules ask for it.",
}
MESSAGE = "End with the report: your final message, whole, is the report."
FILE = "End with the report: write it to the file that the environment variable RALPH_HOOKS_REPORT names."


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What every round of a run is told in the same words. `place` is the loop's directory, relative to the cwd."""

    objective: str
    place: str
    commit: bool
    report_file: bool
    most_chars: int


def prefix(frame: Frame) -> str:
    """Objective, specifications, plan and rules: byte for byte the same in every round of a run."""
    rules = RULES.format(
        commits=COMMITS[frame.commit],
        channel=FILE if frame.report_file else MESSAGE,
        most_chars=frame.most_chars,
    )
    return (
        f"# Objective\n\n{frame.objective}\n\n"
        f"# Specifications\n\nEvery file below `{frame.place}/specs/`. A specification beats the plan.\n\n"
        f"# Plan\n\n`{frame.place}/plan.md` lists what is open. A person may edit it while you work.\n\n"
        f"# Rules\n\n{rules}\n\n"
        f"# Handoff\n\n"
    )


def handoff(report: Report | None, feedback: str, most_chars: int) -> str:
    """The last report and the gate's feedback, together at most `most_chars` characters."""
    if report is None and not feedback:
        return ""
    told = report_text(report) if report else ""
    room = max(most_chars - len(told) - 2, most_chars // 4)
    feedback = cut(feedback, room)
    if told and feedback:
        return cut(told, most_chars - len(feedback) - 2) + "\n\n" + feedback
    return cut(told or feedback, most_chars)


def report_text(report: Report) -> str:
    """The report as JSON that a person can read."""
    return json.dumps(report.as_dict(), ensure_ascii=False, indent=2)


def prompt(fixed: str, crossing: str) -> str:
    """The whole prompt of a round."""
    if not crossing:
        return fixed + "This is the first round: there is none.\n"
    return fixed + "What the round before you reported, and what the checks said after it:\n\n" + crossing + "\n"
