"""The command line: one verb, one file, imported only when it is typed."""

from __future__ import annotations

import difflib
import importlib
import io
import os
import sys
from collections.abc import Sequence

import click

from ralph_hooks import __version__
from ralph_hooks.errors import EXIT_USAGE, RalphError

# A row is a verb: `cli/<verb>.py` holds its `command`.
VERBS = {
    "install": "find the test command, write the config, register the hook, prove it",
    "uninstall": "take our entries out again, byte for byte",
    "doctor": "name what is wrong with a setup, each with its fix",
    "demo": "see an agent be stopped by a red suite, in twenty seconds",
    "check": "run the checks now, as the hook would",
    "status": "is it green, and what is left of the budget",
    "log": "what happened, stop by stop",
    "pause": "let the gate rest for a while (a person's verb)",
    "resume": "end a pause",
    "budget": "look at or reset the block budgets",
    "verify": "was this very tree green, or run it now for CI",
    "seal": "approve the checks as they are now (a person's verb)",
    "loop": "rounds of fresh agents toward one objective",
    "init": "lay out a loop's files",
    "evolve": "generations in the background until the checks pass",
    "job": "follow, cancel or resume background jobs",
    "worker": "run background jobs on this machine",
    "mcp": "serve the tools to an MCP client",
    "schema": "the JSON schema of the config",
}


class Verbs(click.Group):
    """Verbs by name, each loaded when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        try:
            module = importlib.import_module(f"ralph_hooks.cli.{cmd_name}")
        except ModuleNotFoundError as error:
            raise missing_extra(cmd_name, error) from None
        command = module.command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and name not in VERBS:
            near = difflib.get_close_matches(name, VERBS, n=1)
            hint = f"did you mean `ralph-hooks {near[0]}`?" if near else "`ralph-hooks --help` lists the verbs"
            raise RalphError(f"there is no verb `{name}`", hint, EXIT_USAGE)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


def missing_extra(verb: str, error: ModuleNotFoundError) -> Exception:
    """An optional library that is not installed, as an error with the command that installs it."""
    extra = {"dbos": "jobs", "yaml": "jobs", "ruamel": "jobs", "mcp": "mcp"}.get((error.name or "").split(".")[0])
    if extra is None:
        return error
    hint = f"python -m pip install 'ralph-hooks[{extra}]'"
    return RalphError(f"`ralph-hooks {verb}` needs the extra `{extra}`", hint, EXIT_USAGE)


@click.group(cls=Verbs, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ralph-hooks")
@click.option("-C", "--project", "directory", metavar="DIR", help="Work in this directory.")
@click.pass_context
def program(ctx: click.Context, directory: str | None) -> None:
    """Deterministic backpressure for coding agents."""
    if directory is not None:
        try:
            os.chdir(directory)
        except OSError as error:
            raise RalphError(f"`{directory}` cannot be entered: {error.strerror}", exit_code=EXIT_USAGE) from None
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())  # exit 0: some client may run the bare name as a hook, and 2 would be a block


def main(words: Sequence[str]) -> int:
    """Run one verb; its exit code. Expected errors are rendered here, everything else goes up."""
    _prepare_streams()
    try:
        # not `program.main`, which turns an interrupt into an error and a closed pipe into exit 1
        with program.make_context("ralph-hooks", list(words)) as context:
            code = program.invoke(context)
    except RalphError as error:
        click.echo(error.render(), err=True)
        return error.exit_code
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        click.echo(f"error: {error.format_message()}", err=True)
        click.echo(f"hint: {_help_of(error)}", err=True)
        return error.exit_code
    return code if isinstance(code, int) else 0


def _prepare_streams() -> None:
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it came closed
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name that the terminal cannot show is no reason to fail


def _help_of(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "ralph-hooks"
    return f"`{path} --help`"
