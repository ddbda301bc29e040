"""docs/cli.md names every verb, every option of ours and every exit code."""

from __future__ import annotations

import importlib

import click
import pytest

from ralph_hooks.cli.check import EXIT_CODES
from ralph_hooks.cli.main import VERBS
from tests.support.project import REPOSITORY

DOCS = (REPOSITORY / "docs" / "cli.md").read_text()
OURS = ["check", "status", "log", "pause", "resume", "budget", "schema"]


def test_the_table_of_verbs() -> None:
    rows = "".join(f"| `{verb}` | {words} |\n" for verb, words in VERBS.items())
    assert f"| --- | --- |\n{rows}\n" in DOCS


@pytest.mark.parametrize("verb", OURS)
def test_every_option_is_named_in_its_section(verb: str) -> None:
    command = importlib.import_module(f"ralph_hooks.cli.{verb}").command
    section = next(part for part in DOCS.split("\n## ")[1:] if verb in part.split("\n")[0].split(", "))
    commands = [command, *command.commands.values()] if isinstance(command, click.Group) else [command]
    for parameter in (parameter for one in commands for parameter in one.params):
        words = parameter.opts if isinstance(parameter, click.Option) else [str(parameter.name).upper()]
        assert any(word in section for word in words), words


def test_every_exit_code_of_check() -> None:
    table = DOCS.split("## Exit codes")[1].split("\n## ")[0]
    assert all(f"| {code} |" in table for code in EXIT_CODES.values())
