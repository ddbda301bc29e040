"""Where a run stands before its first round: project, plan, provider. What can be refused is refused here."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ralph_hooks import files
from ralph_hooks.errors import RalphError
from ralph_hooks.gate import owner
from ralph_hooks.gate.round import VARIABLE
from ralph_hooks.loop.call import Call, RefusedError
from ralph_hooks.loop.commit import Committer
from ralph_hooks.loop.isolate import Isolated, isolate
from ralph_hooks.loop.prompt import Frame, prefix
from ralph_hooks.loop.providers import check_arguments, provider_for
from ralph_hooks.loop.providers.base import Provider
from ralph_hooks.loop.record import HOME
from ralph_hooks.plan import compiled, seal
from ralph_hooks.plan.config import Config
from ralph_hooks.plan.inputs import inputs_of
from ralph_hooks.plan.locate import Project, find_project, git_top
from ralph_hooks.process import table

if TYPE_CHECKING:
    from ralph_hooks.plan.compiled import Plan

HOOK_SPARE = 60.0
INSTEAD = "bound it by --max-rounds and --max-seconds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Fixed at the start of the run. `gate_inside` is whether the hook works inside the rounds; `inputs` are what the
    checks are defined by outside of the config, `repository` is the git top level, "" without one."""

    project: Project
    plan: Plan
    provider: Provider
    prefix: str
    gate_inside: bool
    hook_seconds: float
    notes: tuple[str, ...]
    config_text: bytes | None
    config_digest: str
    inputs: dict[str, dict[str, str]]
    repository: str
    committer: Committer | None = None

    @property
    def git(self) -> bool:
        return git_top(self.project.root) is not None


def project_at(root: str) -> Project:
    """The project of a directory; one without a config is its own. Raises `RalphError`."""
    try:
        found = find_project(root)
    except OSError as error:
        raise RalphError(f"`{root}` cannot be entered: {error.strerror}") from None
    if found is not None:
        return found
    real = os.path.realpath(root)
    return Project(real, git_top(real) or real, "")


def plan_at(project: Project) -> Plan:
    """What a person approved of this project; without a config nothing is checked. Raises `RalphError`."""
    return approved_at(project).plan


def approved_at(project: Project) -> seal.Approved:
    """The same, with how the config of today differs from it."""
    if not project.config_path:
        return seal.Approved(cast("Plan", Config()), seal.NONE)
    return seal.approved(project, "")


def config_digest(project: Project) -> str:
    """The digest of the plan that the config makes now, "" when it makes none."""
    try:
        return compiled.plan_for(project).digest if project.config_path else ""
    except RalphError:
        return ""


def refuse_inside_a_round() -> None:
    """A round starts no loop of its own (F23)."""
    text = files.read_bytes_or_none(os.environ.get(VARIABLE) or "")
    driver = owner.of_round(text) if text else None
    if driver is not None and driver.alive() and table.is_ancestor(driver.pid):
        raise RefusedError(f"this is a round of the loop `{driver.name}`; a round starts no loop")


def ground_for(call: Call) -> Ground:
    """Check all that a call needs; nothing was started when this raises `RalphError`."""
    refuse_inside_a_round()
    project = project_at(call.root)
    approved = approved_at(project)
    plan = approved.plan
    provider = provider_for(call.provider)
    check_arguments(provider, call.arguments)
    _refuse_what_cannot_hold(call, project, plan, provider)
    isolated = isolate(call, project) if call.isolate else None
    project = isolated.project if isolated else project
    off = provider.gate_off(project.root, call.arguments) if call.gate_inside else ""
    frame = Frame(
        objective=call.objective,
        place=f"{HOME}/{call.name}",
        commit=call.commit,
        report_file=provider.capabilities.report_file,
        most_chars=plan.loop.max_report_chars,
    )
    return Ground(
        project=project,
        plan=plan,
        provider=provider,
        prefix=prefix(frame),
        gate_inside=call.gate_inside and provider.capabilities.gate_inside and not off,
        hook_seconds=_hook_seconds(plan),
        notes=(*approved.changes, *_notes(call, project, plan, off)),
        inputs=approved.inputs or {check.name: inputs_of(check, project.root) for check in plan.check},
        committer=_committer(call, project, isolated) if call.commit else None,
        repository=git_top(project.root) or "",
        config_digest=config_digest(project),
        config_text=files.read_bytes_or_none(project.config_path) if project.config_path else None,
    )


def _committer(call: Call, project: Project, isolated: Isolated | None) -> Committer:
    place = os.path.relpath(os.path.join(project.root, HOME, call.name), project.top)
    scratch = os.path.join(project.state, "loops", call.name, "commit")
    branch = "" if isolated else call.branch
    committer = Committer(project.top, branch, place, scratch, isolated.linked if isolated else ())
    committer.refuse(own=call.resume or isolated is not None)
    return committer


def _refuse_what_cannot_hold(call: Call, project: Project, plan: Plan, provider: Provider) -> None:
    told = provider.capabilities
    if call.bounds.max_cost_usd and not told.cost:
        raise RefusedError(f"provider `{provider.name}` reports no cost, so --max-cost-usd cannot hold", INSTEAD)
    if call.bounds.max_tokens and not told.tokens:
        raise RefusedError(f"provider `{provider.name}` reports no tokens, so --max-tokens cannot hold", INSTEAD)
    if provider.name == "command" and not plan.loop.command:
        raise RefusedError("provider `command` runs nothing yet", 'set `command = ["…"]` under [loop] in the config')
    if call.commit and not (plan.check and call.verify):
        raise RefusedError("--commit green needs a check that can be green")
    needs = {"--commit": call.commit, "--isolate": call.isolate, "--no-progress": call.bounds.no_progress,
             "--oscillation": call.bounds.oscillation}  # fmt: skip
    for option, given in needs.items():
        if given and git_top(project.root) is None:
            raise RefusedError(f"`{project.root}` is not in a git repository, which {option} needs", "git init")


def _notes(call: Call, project: Project, plan: Plan, off: str) -> list[str]:
    notes = []
    if not call.verify:
        notes.append("--no-verify: no check decides; completion is the worker's word")
    elif not plan.check:
        notes.append("no check is configured: completion is the worker's word (`ralph-hooks install` finds the checks)")
    if off:
        notes.append(f"hooks are switched off in {off}: no gate inside the rounds, the driver checks after each")
    if call.isolate:
        notes.append(f"works in the worktree {project.top}")
    if git_top(project.root) is None:
        notes.append("not a git repository: content cannot be told, so nothing is remembered and nothing committed")
    return notes


def _hook_seconds(plan: Plan) -> float:
    """How long the hook inside a round may take: all checks to their end, and some to spare."""
    times = [check.timeout_s for check in plan.check]
    return (max(times, default=0.0) if plan.gate.parallel else sum(times)) + HOOK_SPARE
