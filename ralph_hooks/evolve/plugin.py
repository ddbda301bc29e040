"""Plugin mode (E15): a deployment whose client runs the generations itself gets an envelope, and no local job."""

from __future__ import annotations

from typing import Any

from ralph_hooks.evolve.call import Call, as_json
from ralph_hooks.evolve.prompt import for_plugin
from ralph_hooks.evolve.seed import parse_seed

TOOL = "ouroboros_ralph"
AGENT = "general"
BOUNDS = ("max_generations", "per_iteration_timeout_seconds", "oscillation_window", "grade_regression_window")


def envelope(call: Call, root: str) -> dict[str, Any]:
    """The answer of a delegated call. The bounds are advisory there: nobody here can enforce them."""
    seed = parse_seed(call.seed_content) if call.seed_content is not None else None
    total = call.total_seconds
    fields = as_json(call)
    return {
        "job_id": None,
        "lineage_id": call.lineage_id,
        "status": "delegated_to_plugin",
        "_subagent": {
            "tool_name": TOOL,
            "title": f"Ralph: {call.lineage_id}",
            "agent": AGENT,
            "prompt": for_plugin(call, seed, root, total),
            "context": {
                "lineage_id": call.lineage_id,
                "project_dir": root,
                "max_total_seconds": total,
                **{name: fields[name] for name in BOUNDS},
                "execute": call.execute,
                "parallel": call.parallel,
                "skip_qa": call.skip_qa,
                "commit_policy": call.commit_policy,
            },
            "timeout": total,
        },
    }
