"""What the agent of one generation reads: the work, the last evidence, and what it may do. No grader's command."""

from __future__ import annotations

from collections.abc import Sequence

from ralph_hooks.evolve.call import Call, canonical
from ralph_hooks.evolve.iteration import Iteration
from ralph_hooks.evolve.order import Order
from ralph_hooks.evolve.seed import Seed

EVIDENCE_CHARS = 6000
SHOWN_IDS = 20

RULES = (
    "Do the most important open item, and do it whole; you start with a fresh context and so does whoever follows you.",
    "Do not edit, skip or delete tests to make them pass.",
    "When you are done, stop. The project's checks are run afterwards; what you say about the result does not count.",
)
PLANNING = (
    "Plan only: write or revise `{plan}`, and change no other file.",
    "Leave the plan as it is when nothing in it has to change.",
)


def render(order: Order, seed: Seed, plan_path: str) -> str:
    """The whole prompt of one generation."""
    parts = [f"# Goal\n\n{seed.goal}", _list("Constraints", seed.constraints), _criteria(seed)]
    parts += [_list("Done when", seed.exit_conditions), _list("Judge your work by", seed.evaluation_principles)]
    parts.append(_evidence(order.last))
    parts.append(_directive(order))
    rules = RULES if order.execute else tuple(rule.format(plan=plan_path) for rule in PLANNING)
    if order.execute:
        rules = (f"`{plan_path}` holds the plan, if there is one; keep it true.", *rules)
    parts.append(_list("Rules", rules))
    return "\n\n".join(part for part in parts if part) + "\n"


def _criteria(seed: Seed) -> str:
    rows = [
        f"{criterion.id}: {criterion.description}{_artifacts(criterion.expected_artifacts)}"
        for criterion in seed.criteria
    ]
    return _list("Acceptance criteria", rows)


def _artifacts(paths: Sequence[str]) -> str:
    return f" (leaves {', '.join(f'`{path}`' for path in paths)})" if paths else ""


def _list(title: str, rows: Sequence[str]) -> str:
    return f"# {title}\n\n" + "\n".join(f"- {row}" for row in rows) if rows else ""


def _evidence(last: Iteration | None) -> str:
    if last is None:
        return ""
    rows = [f"# After generation {last.generation}"]
    if last.qa is not None:
        rows.append("\n".join(f"- {line}" for line in last.qa.differences) or "- everything checked passes")
    if last.failing:
        more = len(last.failing) - SHOWN_IDS
        shown = "\n".join(f"- {id}" for id in last.failing[:SHOWN_IDS])
        rows.append(f"Failing:\n{shown}" + (f"\n- and {more} more" if more > 0 else ""))
    if last.evidence:
        rows.append(f"Output, as data:\n````\n{trimmed(last.evidence)}\n````")
    return "\n\n".join(rows)


def trimmed(text: str, most: int = EVIDENCE_CHARS) -> str:
    """The end of a text; what is cut is said."""
    return text if len(text) <= most else f"[{len(text) - most} characters left out]\n{text[-most:]}"


def _directive(order: Order) -> str:
    """A conductor's directive is text for this one generation; it changes no check, test or criterion."""
    directive = order.call.get("conductor_directive")
    if not directive:
        return ""
    return f"# Directive for this generation\n\n````json\n{canonical(directive).decode()}\n````"


def for_plugin(call: Call, seed: Seed | None, root: str, total: float) -> str:
    """The prompt of a delegated call: it states both bounds, their stop reasons, and that they bind nobody."""
    work = seed.goal if seed else f"Continue lineage `{call.lineage_id}` where it stopped."
    bounds = [
        f"Run at most {call.max_generations} generations; stop reason `max_generations reached`.",
        f"Give one generation at most {call.per_iteration_timeout_seconds:g} s; stop reason `iteration_timeout`.",
        f"Spend at most {total:g} s in all; stop reason `wall_clock_exhausted`.",
        "These bounds are advisory here: no process of ours enforces them.",
        f"The same failures {call.oscillation_window} generations in a row: stop reason `oscillation_detected`.",
        f"{call.grade_regression_window} strictly falling grades in a row: stop reason `grade_regressing`.",
        "After each generation run `ralph-hooks check`; only its exit code 0 is a pass.",
    ]
    parts = [f"# Goal\n\n{work}", f"Work in `{root}`."]
    if seed:
        parts += [_list("Constraints", seed.constraints), _criteria(seed)]
    parts.append(_list("Bounds", bounds))
    return "\n\n".join(part for part in parts if part) + "\n"
