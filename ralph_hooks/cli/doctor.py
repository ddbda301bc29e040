"""`ralph-hooks doctor`: what is wrong with this setup, each with its fix."""

from __future__ import annotations

import dataclasses
import json

import click

from ralph_hooks.cli import common
from ralph_hooks.install import settings
from ralph_hooks.install.bytecode import compile_package
from ralph_hooks.install.doctor import Finding, diagnose, examine
from ralph_hooks.process import signals


@click.command(help="Name what is wrong with this setup, each with its fix.")
@click.option(
    "--live", is_flag=True, help="Also run the installed client against a scripted model: red blocks, green lets go."
)
@click.option("--json", "as_json", is_flag=True, help="The findings as JSON.")
def command(*, live: bool, as_json: bool) -> int:
    """Exit 0 when nothing is to be repaired, 1 otherwise; notes do not count."""
    signals.unwind()
    compile_package()
    patient = examine(common.here())
    found = diagnose(patient)
    tried: list[str] = []
    if live:
        from ralph_hooks.install.doctor import live as trial

        results = trial.try_all(patient)
        found += trial.findings(results)
        tried = [result.client for result in results if not result.words]
    findings = [each for each in found if not each.note]
    if as_json:
        click.echo(
            json.dumps(
                {
                    "clean": not findings,
                    "root": patient.site.root,
                    "live": tried,
                    "findings": [_data(each) for each in found],
                },
                indent=2,
            )
        )
    else:
        _show(found, tried)
    return 1 if findings else 0


def _show(found: list[Finding], tried: list[str]) -> None:
    for each in found:
        click.echo(f"{'note' if each.note else 'finding'}: {each.what}\n  fix: {each.fix}")
    for client in tried:
        click.echo(f"live: in {settings.CLIENTS[client]} a red stop was blocked and a green one let go")
    count = sum(not each.note for each in found)
    click.echo("nothing to repair" if not count else f"{count} to repair")


def _data(finding: Finding) -> dict[str, object]:
    return dataclasses.asdict(finding)
