"""From a repository to a live gate: survey, refuse, prove, write, time (I1 to I10)."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ralph_hooks.check import once
from ralph_hooks.check.lock import Busy
from ralph_hooks.check.run import Watch
from ralph_hooks.check.verdict import TIMEOUT, Run
from ralph_hooks.errors import RalphError
from ralph_hooks.install import by_hand, canary, entries, settings, survey, writer
from ralph_hooks.install.approve import announce
from ralph_hooks.install.canary import Proof
from ralph_hooks.install.doctor import examine, program
from ralph_hooks.install.settings import Layer
from ralph_hooks.install.survey import Choose, Draft, Options, Site
from ralph_hooks.install.writer import Change
from ralph_hooks.plan import load
from ralph_hooks.plan.compiled import plan_for
from ralph_hooks.plan.locate import find_project

Tell = Callable[[str], None]
UNKNOWN_LENGTH = 3600


@dataclass(slots=True)
class Outcome:
    """What was done, or with `dry_run` what would be. `seconds` is the hook's own timeout."""

    site: Site
    draft: Draft
    seconds: int
    config: Change
    settings: list[tuple[Layer, Change]]
    proofs: list[Proof] = field(default_factory=list)
    run: Run | None = None
    notes: list[str] = field(default_factory=list)


def set_up(start: str, options: Options, choose: Choose, tell: Tell) -> Outcome:
    """Do all of it. Raises `RalphError` before anything is written, or for what could not be written."""
    place = survey.site(start)
    draft = survey.draft(place, options, choose)
    outcome = _planned(place, draft, options)
    if options.dry_run:
        return outcome
    if options.prove:
        tell("proving it in a scratch copy, with a planted failing test …")
        outcome.proofs = _proved(outcome, options)
    _write(outcome, options)
    tell("timing one run …")
    _time(outcome, options)
    _compare(outcome)
    outcome.notes += [f"{each.what}: {each.fix}" for each in program.on_path(examine(place.root))]
    return outcome


def _planned(place: Site, draft: Draft, options: Options) -> Outcome:
    """Look at every file first, so that one that must be left alone stops everything before the first write."""
    seconds = _seconds(draft)
    beside = _beside(place, options)
    layers = [settings.layer(client, options.scope, place.root) for client in options.clients]
    changes = [(layer, _register(layer, draft, seconds, options, dry_run=True)) for layer in layers]
    before = None if draft.text is not None else b""
    config = Change(draft.path, before, before if draft.text is None else draft.text.encode())
    for change in (config, *(change for _, change in changes)):
        if change.any and not options.dry_run:
            writer.require_writable(change.path)
    outcome = Outcome(place, draft, seconds, config, changes, notes=[*draft.refused, *beside])
    if not place.git:
        outcome.notes.append("this is no git repository: nothing is remembered, so the checks run at every stop")
    return outcome


def _beside(place: Site, options: Options) -> list[str]:
    """A pasted hook of ours would run beside the new one. Raises `RalphError`; with --force it is only said."""
    layers = [layer for client in options.clients for layer in settings.layers(client, place.root)]
    found = [each for each in by_hand.pasted(layers) if each.event == "Stop"]
    if found and not options.force:
        what = f"`{found[0].where}`: a Stop hook that was written by hand starts `ralph-hooks` already"
        raise RalphError(what, f"{by_hand.WAY_OUT}; or insist on both with --force")
    return [f"`{each.where}` starts `ralph-hooks` too; each stop is judged once, by two processes" for each in found]


def _seconds(draft: Draft) -> int:
    return entries.within([check.timeout_s for check in draft.config.check], parallel=draft.config.gate.parallel)


def _register(layer: Layer, draft: Draft, seconds: int, options: Options, *, dry_run: bool = False) -> Change:
    if layer.client == "codex":
        wanted = entries.codex(seconds)
    else:
        config = draft.config
        wanted = entries.claude(
            seconds, subagents=config.gate.subagents, guard=options.guard, edits=config.guard.pre_tool_use
        )
    return settings.install(layer, wanted, dry_run=dry_run)


def _proved(outcome: Outcome, options: Options) -> list[Proof]:
    draft, place = outcome.draft, outcome.site
    checks = [(check.name, check.cwd) for check in draft.config.check]
    proofs = canary.prove(place.root, place.top, draft.text, checks, ((*options.clients, "claude")[0], outcome.seconds))
    for proof in proofs:
        if proof.masked and not options.force:
            raise RalphError(
                f"the check `{proof.check}` is refused: {proof.why}",
                "let the command's exit code through, or insist with --force",
            )
    return proofs


def _write(outcome: Outcome, options: Options) -> None:
    draft = outcome.draft
    if draft.text is not None and not writer.create_file(draft.path, draft.text.encode()):
        raise RalphError(f"`{draft.path}` appeared in the meantime", "ralph-hooks install")
    outcome.settings = _register_all(outcome, options)


def _register_all(outcome: Outcome, options: Options) -> list[tuple[Layer, Change]]:
    """Running sessions take a person's change; an agent's own install is for their guard to judge."""
    draft, seconds = outcome.draft, outcome.seconds
    if not options.by_agent:
        planned = [_register(layer, draft, seconds, options, dry_run=True) for layer, _ in outcome.settings]
        announce(outcome.site.root, planned)
    return [(layer, _register(layer, draft, seconds, options)) for layer, _ in outcome.settings]


def _time(outcome: Outcome, options: Options) -> None:
    """One run in place: it fills the memory when it is green, and its length sets the timeouts."""
    project = find_project(outcome.site.root)
    assert project is not None
    try:
        outcome.run = once.judge(project, plan_for(project), force=True, watch=Watch())
    except Busy as busy:
        outcome.notes.append(f"not timed: {busy}")
        return
    if outcome.draft.text is not None and options.timeout_s is None:
        _adjust(outcome, options)


def _adjust(outcome: Outcome, options: Options) -> None:
    draft = outcome.draft
    assert outcome.run is not None and draft.text is not None
    ran = {check.name: check for check in outcome.run.checks}
    rows = []
    for row in draft.rows:
        result = ran.get(row.name)
        wanted = row.timeout_s if result is None else entries.timeout_for(result.duration)
        if result is not None and result.verdict == TIMEOUT:
            wanted = UNKNOWN_LENGTH
            outcome.notes.append(f"`{row.name}` did not end within {row.timeout_s} s: its timeout_s is a guess now")
        rows.append(replace(row, timeout_s=wanted))
    if rows == draft.rows:
        return
    old, draft.rows = draft.text.encode(), rows
    draft.text = survey.render(outcome.site, rows)
    new = draft.text.encode()
    writer.rewrite(draft.path, lambda data: new if data == old else data)
    draft.config = load.load(draft.path)
    outcome.seconds = _seconds(draft)
    _register_all(outcome, options)


def _compare(outcome: Outcome) -> None:
    """A scratch copy in which the checks end otherwise proves nothing about this checkout."""
    if outcome.run is None:
        return
    here = {check.name: check.verdict for check in outcome.run.checks}
    for index, proof in enumerate(outcome.proofs):
        if proof.as_is and here.get(proof.check, proof.as_is) != proof.as_is:
            why = f"it is {here[proof.check]} here and {proof.as_is} in a scratch copy"
            outcome.proofs[index] = replace(proof, proven=False, why=why)


def relative(path: str) -> str:
    """A path as the person sees it from here."""
    short = os.path.relpath(path)
    return path if short.startswith("..") else short
