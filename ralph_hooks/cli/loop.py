"""`ralph-hooks loop`: rounds of fresh agents toward one objective."""

from __future__ import annotations

import json
import math
import os
import sys
from typing import Any

import click

from ralph_hooks.check.evidence.text import clean
from ralph_hooks.cli import common
from ralph_hooks.cli.show.loop_lines import line_for
from ralph_hooks.cli.show.text import console
from ralph_hooks.loop import call as calls
from ralph_hooks.loop.call import Bounds, Call, RefusedError
from ralph_hooks.loop.drive import run_loop
from ralph_hooks.loop.endings import Result, text_of
from ralph_hooks.loop.ground import plan_at, project_at
from ralph_hooks.loop.isolate import WORKTREES, record_root
from ralph_hooks.loop.owning import Stopper
from ralph_hooks.loop.progress import RULES
from ralph_hooks.loop.prompt import report_text
from ralph_hooks.loop.record import HOME, Record
from ralph_hooks.plan.locate import Project

MOST_OBJECTIVE = 1 << 20
ARGUMENTS = "ralph_hooks.arguments"
STOP = "ralph_hooks.stop"


class Amount(click.ParamType[float]):
    """A finite number that is not negative."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not math.isfinite(number) or number < 0:
            self.fail(f"{value!r} is not a number of 0 or more", param, ctx)
        return number


class LoopCommand(click.Command):
    """What follows `--` is the agent's; `stop NAME` is another command under the same name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] == ["stop"]:
            ctx.meta[STOP] = args[1:]
            args = []
        elif "--" in args:
            at = args.index("--")
            ctx.meta[ARGUMENTS] = tuple(args[at + 1 :])
            args = args[:at]
        return super().parse_args(ctx, args)


def bounds_options(function: Any) -> Any:
    """The options that make a `Bounds`; each is named as its field."""
    least = {name: rule[1] for name, rule in RULES.items()}
    for option, kind, words in reversed((
        ("--round-timeout", Amount(), "Cut a round after this many seconds (3600; 0 = never)."),
        ("--idle-timeout", Amount(), "Cut a round after this many seconds of silence of the agent (900; 0 = never)."),
        ("--max-seconds", Amount(), "End the run after this many seconds, in the middle of a round too."),
        ("--max-tokens", click.IntRange(min=0), "End the run after this many tokens."),
        ("--max-cost-usd", Amount(), "End the run after this many dollars; passed on to a client that takes a limit."),
        ("--no-progress", click.IntRange(min=0), "End after K rounds that changed neither content nor verdict."),
        ("--oscillation", click.IntRange(min=0), "End when content and failures repeat in a cycle of 2 to K rounds."),
        ("--regression", click.IntRange(min=0), "End when more tests failed each time over K rounds."),
        ("--tolerate", click.IntRange(min=0), "Go on after at most K dead rounds in a row (0)."),
        ("--grace", Amount(), "After its report an agent may linger, silent, for this many seconds (10)."),
        ("--wait-for-limits", Amount(), "Wait at most this many seconds for rate limits and overload (0)."),
    )):  # fmt: skip
        needs = least.get(option[2:].replace("-", "_"), 0)
        function = click.option(option, type=kind, help=words + (f" At least {needs}." if needs > 1 else ""))(function)
    return function


@click.command(cls=LoopCommand, options_metavar="[OPTIONS]", epilog="`ralph-hooks loop stop NAME [--now]` ends one.")
@click.argument("objective", required=False)
@click.option("--file", "file", metavar="PATH", help="Read the objective from a file; `-` is standard input.")
@click.option("--name", help="The loop's directory below .ralph/; made from the objective by default.")
@click.option("--max-rounds", metavar="N", help="At most N rounds (min(256, ceiling)).")
@click.option("--resume", is_flag=True, help="Go on after the last finished round of this loop.")
@click.option("--commit", type=click.Choice(["green"]), help="Commit after every green round.")
@click.option("--branch", default="", help="With --commit: to this branch instead of the current one.")
@click.option("--isolate", is_flag=True, help="Work in a worktree of its own.")
@click.option("--no-verify", is_flag=True, help="Run no checks: take the worker's word.")
@click.option("--no-gate-inside", is_flag=True, help="No hook inside the rounds; the driver still checks after each.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per event on standard output.")
@click.option("--plain", is_flag=True, help="A line per event even on a terminal.")
@bounds_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Run rounds of fresh agents toward OBJECTIVE until the checks agree that it is met.

    Arguments after `--` go to the agent. Exit codes: 0 complete, 1 failed, 2 usage, 3 blocked, 4 round limit, 5 time
    or cost, 6 no progress, 7 the agent's service, 130 or 143 cancelled.
    """
    if STOP in ctx.meta:
        from ralph_hooks.cli import loop_stop

        return loop_stop.main(ctx.meta[STOP])
    call = call_of(given, ctx.meta.get(ARGUMENTS, ()))
    most = plan_at(project_at(call.root)).loop.max_result_chars
    if given["as_json"]:
        return run_loop(call, json_line, Stopper()).ending.exit_code
    result = shown(call, plain=given["plain"] or not sys.stdout.isatty())
    _out(clean(closing(result, most).encode("utf-8", "replace")))
    return result.ending.exit_code


def shown(call: Call, *, plain: bool) -> Result:
    """Run the loop and show it: a line per event, or a live table."""
    if plain:
        return run_loop(call, plain_line, Stopper())
    from ralph_hooks.cli.show.loop_live import LiveLoop

    with LiveLoop(console(), call.bounds) as live:
        return run_loop(call, live, Stopper())


def call_of(given: dict[str, Any], arguments: tuple[str, ...]) -> Call:
    """The call that these options ask for. Raises `RefusedError`."""
    root = os.getcwd()
    loop = plan_at(project_at(root)).loop
    objective, name = objective_and_name(given, project_at(root))
    if given["branch"] and not given["commit"]:
        raise RefusedError("--branch needs --commit green", "--commit green --branch NAME")
    return Call(
        root=root,
        objective=objective,
        max_rounds=calls.rounds_of(given["max_rounds"], loop),
        name=name,
        provider=loop.provider,
        bounds=bounds_of(given),
        arguments=arguments,
        resume=given["resume"],
        verify=not given["no_verify"],
        gate_inside=not given["no_gate_inside"],
        commit=given["commit"] == "green",
        branch=given["branch"],
        isolate=given["isolate"],
    )


def bounds_of(given: dict[str, Any]) -> Bounds:
    """The bounds among the options, the defaults for the rest. Raises `RefusedError`."""
    for name, (_, least, _) in RULES.items():
        if given[name] and given[name] < least:
            raise RefusedError(f"--{name.replace('_', '-')} must be 0 or at least {least}", "ralph-hooks loop --help")
    fields = {name: given[name] for name in Bounds.__slots__ if given.get(name) is not None}
    return Bounds(**fields)


def objective_and_name(given: dict[str, Any], project: Project) -> tuple[str, str]:
    """The objective and the loop's name; with --resume an earlier run can tell both."""
    text, file, name = given["objective"], given["file"], given["name"]
    if text is not None and file is not None:
        raise RefusedError("give the objective or --file, not both")
    if name is not None:
        name = calls.checked_name(name)
    if file is not None:
        text = read_objective(file)
    if text is None and given["resume"]:
        place = os.path.join(project.state, WORKTREES) if given["isolate"] else os.path.join(project.root, HOME)
        name = name or only_loop(place)
        root = record_root(project, name) if given["isolate"] else project.root
        text = Record(root, name).objective()
        if text is None:
            hint = "`ralph-hooks status` shows the loops of this project"
            raise RefusedError(f"there is no loop `{name}` below `{place}` to resume", hint)
    objective = calls.objective_of(text)
    return objective, name or calls.name_of(objective)


def only_loop(place: str) -> str:
    """The name of the one loop in this directory. Raises `RefusedError`."""
    try:
        names = sorted(entry.name for entry in os.scandir(place) if entry.is_dir())
    except OSError:
        names = []
    if len(names) != 1:
        found = f"there are {', '.join(names)}" if names else "there is none"
        raise RefusedError(f"which loop is to go on? below `{place}` {found}", "name it with --name")
    return names[0]


def read_objective(path: str) -> str:
    """The text of a prompt file. Raises `RefusedError`."""
    try:
        if path == "-":
            data = common.standard_input(MOST_OBJECTIVE + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(MOST_OBJECTIVE + 1)
    except OSError as error:
        hint = "`ralph-hooks init` lays out a PROMPT.md"
        raise RefusedError(f"`{path}` cannot be read: {error.strerror}", hint) from None
    if len(data) > MOST_OBJECTIVE:
        raise RefusedError(f"`{path}` is larger than 1 MiB", "put the details into files below .ralph/<name>/specs/")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RefusedError(
            f"`{path}` is not UTF-8 text at byte {error.start}", "`iconv -t UTF-8` translates it"
        ) from None
    if "\0" in text:
        raise RefusedError(f"`{path}` is not text: it holds NUL bytes")
    return text


def plain_line(kind: str, /, **facts: Any) -> None:
    """Show one event as a line."""
    line = line_for(kind, facts)
    if line:
        _out(line)


def json_line(kind: str, /, **facts: Any) -> None:
    """Show one event as JSON."""
    _out(json.dumps({"event": kind, **facts}))


def _out(line: str) -> None:
    try:
        sys.stdout.write(line.encode("utf-8", "replace").decode("utf-8") + "\n")
        sys.stdout.flush()
    except OSError:
        # whoever read it has gone; the loop goes on, and its record is on disk
        os.dup2(os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC), sys.stdout.fileno())


def closing(result: Result, most: int) -> str:
    """The closing result as text."""
    return text_of(result, report_text(result.report) if result.report else "", most)
