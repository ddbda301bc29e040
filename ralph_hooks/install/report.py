"""What an install did, for a person and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ralph_hooks.check.verdict import PASSES, Run
from ralph_hooks.install import settings
from ralph_hooks.install.detect import Proposal
from ralph_hooks.install.setup import Outcome, relative
from ralph_hooks.plan.config import Check


def lines(outcome: Outcome) -> Iterator[str]:
    """A few lines, each with a word in front that says what it is about."""
    draft = outcome.draft
    for check in draft.config.check:
        row = next((row for row in draft.rows if row.name == check.name), None)
        yield _line(
            "check",
            f"{_shown(check)}{_where(check)}" + (f"   because {row.proposal.why}" if row and row.proposal.why else ""),
        )
        if row and row.proposal.note:
            yield _line("", row.proposal.note)
    yield from _offers(outcome)
    for proof in outcome.proofs:
        yield _line("proved" if proof.proven else "UNPROVEN", f"`{proof.check}`: {proof.why}")
    yield _line("wrote" if draft.text is not None else "kept", relative(draft.path))
    for layer, change in outcome.settings:
        entries = ", ".join(entry.event for entry in settings.entries_in(layer))
        yield _line("wrote" if change.any else "kept", f"{relative(layer.path)} ({layer.client_name}: {entries})")
    if outcome.run is not None:
        yield _line("timed", _today(outcome.run))
        limits = ", ".join(f"{check.name} {check.timeout_s:g} s" for check in draft.config.check)
        yield _line("limits", f"timeout_s: {limits}; the hook's own timeout: {outcome.seconds} s")
    for note in outcome.notes:
        yield _line("note", note)


def next_steps(outcome: Outcome) -> Iterator[str]:
    """What a person does now."""
    clients = {layer.client for layer, _ in outcome.settings}
    if "codex" in clients:
        yield "Codex runs hooks only after a review: open `codex`, trust the project, type /hooks and approve ours"
    yield "commit these files; see it work: `ralph-hooks doctor --live`; take it out: `ralph-hooks uninstall`"


def data(outcome: Outcome) -> dict[str, Any]:
    """The same as JSON data."""
    draft, run = outcome.draft, outcome.run
    results = {check.name: check for check in run.checks} if run else {}
    proofs = {proof.check: proof for proof in outcome.proofs}
    rows = {row.name: row.proposal for row in draft.rows}
    return {
        "root": outcome.site.root,
        "git": outcome.site.git,
        "config": {"path": draft.path, "created": draft.text is not None},
        "within_s": outcome.seconds,
        "verdict": run.verdict if run else None,
        "checks": [
            {
                "name": check.name,
                "run": check.run,
                "cwd": check.cwd,
                "timeout_s": check.timeout_s,
                "why": rows[check.name].why if check.name in rows else "",
                "note": rows[check.name].note if check.name in rows else "",
                "verdict": results[check.name].verdict if check.name in results else None,
                "seconds": round(results[check.name].duration, 3) if check.name in results else None,
                "proven": proofs[check.name].proven if check.name in proofs else None,
                "proof": proofs[check.name].why if check.name in proofs else "",
            }
            for check in draft.config.check
        ],
        "offered": [_offer(proposal) for proposal in _others(outcome)],
        "settings": [
            {"client": layer.client, "scope": layer.scope, "path": layer.path, "changed": change.any}
            for layer, change in outcome.settings
        ],
        "notes": outcome.notes,
    }


def _others(outcome: Outcome) -> list[Proposal]:
    taken = [row.proposal for row in outcome.draft.rows]
    found = outcome.draft.found
    return [proposal for proposal in (*found.tests, *found.extra) if proposal not in taken]


def _offers(outcome: Outcome) -> Iterator[str]:
    for proposal in _others(outcome):
        how = "" if proposal.kind == "tests" else f", add it with `--with {proposal.kind}`"
        yield _line("also", f"{proposal.shown}   ({proposal.kind}: {proposal.why}{how})")
    found = outcome.draft.found
    if (
        found.tests
        and len(found.packages) > 1
        and not any(row.proposal in found.packages for row in outcome.draft.rows)
    ):
        yield _line("also", f"one check for each of {len(found.packages)} packages: `--per-package`")


def _offer(proposal: Proposal) -> dict[str, Any]:
    run = proposal.run if isinstance(proposal.run, str) else list(proposal.run)
    return {"kind": proposal.kind, "run": run, "why": proposal.why, "note": proposal.note}


def _today(run: Run) -> str:
    if run.verdict in PASSES:
        return f"{run.duration:.1f} s, green"
    reds = [check for check in run.checks if check.verdict not in PASSES]
    what = "; ".join(
        f"`{check.name}` {check.verdict}: {check.why}" if check.why else f"`{check.name}` {check.verdict}"
        for check in reds
    )
    counted = f"{run.failing_count} failing" if run.failing_count else what
    return f"{run.duration:.1f} s, {run.verdict.lower().replace('_', ' ')} today: {counted}; installed all the same"


def _shown(check: Check) -> str:
    import shlex

    return check.run if isinstance(check.run, str) else shlex.join(check.run)


def _where(check: Check) -> str:
    return "" if check.cwd == "." else f"   in {check.cwd}"


def _line(word: str, text: str) -> str:
    return f"{word:<9}{text}"
