"""`ralph-hooks check` (G22): the gate's own checks by hand. No budget; the same ledger and memory."""

from __future__ import annotations

import json
import os
import sys

import click

from ralph_hooks import files
from ralph_hooks.check import identity, once, record, verdict
from ralph_hooks.check.run import Cancel, Cancelled, Watch
from ralph_hooks.cli import common
from ralph_hooks.cli.show.live import LiveWatch
from ralph_hooks.cli.show.run import show_run
from ralph_hooks.cli.show.text import console
from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.ledger import receipts
from ralph_hooks.plan import seal
from ralph_hooks.plan.compiled import Plan, only
from ralph_hooks.plan.locate import Project
from ralph_hooks.process import signals
from ralph_hooks.process.tree import RUN_ID

EXIT_CODES = {
    verdict.GREEN: 0, verdict.FLAKY: 0, verdict.RED: 1, verdict.NO_TESTS: 3, verdict.CANNOT_RUN: 4, verdict.TIMEOUT: 5,
}  # fmt: skip


# A signal that comes in the instant before the wait begins is seen at its next end.
TICK = 0.5


@click.command(help="Run the checks now, as the hook would: 0 green, 1 red, 3 no tests, 4 cannot run, 5 timeout.")
@click.option("--force", is_flag=True, help="Run what is remembered as green too.")
@click.option("--only", "names", metavar="NAME", multiple=True, help="Run this check alone; may be given again.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the table.")
@click.option("--junit", metavar="FILE", help="Write JUnit XML too.")
def command(force: bool, names: tuple[str, ...], as_json: bool, junit: str | None) -> int:
    """The exit code of the run's verdict; 2 when there is no project or its config cannot be used."""
    project = common.project_here()
    plan = _plan(project, names)
    _not_inside_itself(project)
    sealed = _is_sealed(project, plan)
    try:
        run = _run(project, plan, force=force)
    except Cancelled as cancelled:
        common.note(project, "check", reason="cancelled", plan=plan.digest, only=list(names))
        click.echo("cancelled: what the checks had started was ended with them", err=True)
        return 128 + int(str(cancelled) or signals.INT)
    code = EXIT_CODES[run.verdict]
    facts = {"plan": plan.digest, "only": list(names), "unsealed": not sealed, "exit": code, **record.summary(run)}
    common.note(project, "check", **facts)
    if not names and not all(check.remembered for check in run.checks):
        receipts.add(project, plan.digest, run, by="check")
    if junit is not None:
        _write_junit(junit, run)
    if as_json:
        click.echo(json.dumps({"root": project.root, **facts}, indent=2))
    else:
        show_run(console(), run, plan.feedback.tail_lines)
    return code


def _plan(project: Project, names: tuple[str, ...]) -> Plan:
    plan = common.plan_of(project)
    if not plan.check:
        sentence = f"`{project.config_path}` has no `[[check]]`, so there is nothing to run"
        raise RalphError(sentence, "ralph-hooks install", EXIT_CODES[verdict.CANNOT_RUN])
    known = [check.name for check in plan.check]
    for name in names:
        if name not in known:
            raise RalphError(f"there is no check `{name}`", f"the checks are: {', '.join(known)}", EXIT_USAGE)
    return only(plan, names) if names else plan


def _is_sealed(project: Project, plan: Plan) -> bool:
    """Whether a stop would run this config too; where not, the person is told."""
    found = seal.approved(project, "")
    if found.source != seal.SEALED or found.plan.text == plan.text:
        return True
    click.echo("note: the config differs from the sealed one, which is what a stop runs", err=True)
    click.echo("hint: ralph-hooks seal", err=True)
    return False


def _not_inside_itself(project: Project) -> None:
    outer = os.environ.get(RUN_ID, "")
    if outer and outer == common.run_of(project.checkout) and identity.nested_in(outer):
        sentence = "this is inside a run of these very checks, which would wait for itself"
        raise RalphError(sentence, "let the check call the test runner, not `ralph-hooks check`", EXIT_USAGE)


class Interrupt(Cancel):
    """The first signal waits for a safe moment, the second one does not."""

    def __call__(self, number: int, frame: object) -> None:
        if self.requested:
            raise Cancelled(str(self.requested))
        super().__call__(number, frame)


def _run(project: Project, plan: Plan, *, force: bool) -> verdict.Run:
    cancel = Interrupt()
    signals.waiting.answer(cancel)
    try:
        if not sys.stderr.isatty():
            return once.judge(project, plan, force=force, watch=_patient(Watch(), cancel))
        with LiveWatch(console(stderr=True), [check.name for check in plan.check], project.checkout) as live:
            return once.judge(project, plan, force=force, watch=_patient(live, cancel))
    except Cancelled:
        raise Cancelled(str(cancel.requested)) from None


def _patient(watch: Watch, cancel: Cancel) -> Watch:
    watch.cancel = cancel
    watch.tick_seconds = TICK
    return watch


def _write_junit(path: str, run: verdict.Run) -> None:
    from ralph_hooks.cli.show.junit import junit

    try:
        files.write_atomic(path, junit(run), 0o644)
    except OSError as error:
        raise RalphError(f"`{path}` cannot be written: {error.strerror}", exit_code=EXIT_USAGE) from None
