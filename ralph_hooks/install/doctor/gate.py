"""The gate itself: its config, its commands, its time, its state."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

from ralph_hooks import files, paths
from ralph_hooks.check.environment import environment, working_directory
from ralph_hooks.check.run import command
from ralph_hooks.install import entries, refuse
from ralph_hooks.install.doctor.finding import Finding, Patient
from ralph_hooks.install.place import Place
from ralph_hooks.process.spawn import which


def config(patient: Patient) -> Iterator[Finding]:
    """There is one, and it can be read."""
    if patient.config_error:
        yield Finding("config", patient.config_error, "correct it; `ralph-hooks schema` knows every key")
    elif patient.config is None:
        yield Finding("no-config", f"no ralph-hooks.toml in `{patient.site.root}` or above", "ralph-hooks install")
    elif not patient.config.check:
        yield Finding("no-check", f"`{patient.site.config}` has no [[check]]", "add one: name and run")


def checks_start(patient: Patient) -> Iterator[Finding]:
    """Each check's program is there, and its exit code can say red."""
    for check in patient.config.check if patient.config else []:
        cwd = working_directory(check, patient.site.root)
        argv = command(check.run)
        if not os.path.isdir(cwd):
            yield Finding("cwd", f"the check `{check.name}` runs in `{check.cwd}`, which is not there", "correct `cwd`")
        elif which(argv[0], cwd, environment(check, patient.site.root, "").get("PATH", "")) is None:
            what = (
                f"the check `{check.name}` runs `{argv[0]}`, which is not on PATH nor in the project's own directories"
            )
            yield Finding("program", what, f"install `{argv[0]}`, or correct `run`")
        if reason := refuse.reason(check.run, Place(patient.site.root, check.cwd)):
            yield Finding("refused", f"the check `{check.name}` cannot decide: {reason[0]}", reason[1])


def time_enough(patient: Patient) -> Iterator[Finding]:
    """The client's timeout comes after the gate's own deadline, and that after the checks'."""
    if patient.config is None:
        return
    gate = patient.config.gate
    wanted = entries.within([check.timeout_s for check in patient.config.check], parallel=gate.parallel)
    for each in patient.registered:
        if each.stop is None:
            continue
        own, within = each.stop.hook.get("timeout"), _within(each.stop.hook)
        if not isinstance(own, int | float) or within is None or own < within:
            what = f"in `{each.layer.path}` the hook's timeout ({own} s) comes before its `--within` ({within} s)"
            yield Finding("timeout", what, _again(patient, each.layer.client, each.layer.scope))
        elif within < wanted:
            given = f"`{each.layer.path}` gives the gate {within - 30:g} s"
            what = f"the checks may take {wanted - entries.MARGIN} s together, {given}"
            yield Finding("timeout", what, _again(patient, each.layer.client, each.layer.scope))


def _again(patient: Patient, client: str, scope: str) -> str:
    return f"ralph-hooks install --client {client} --scope {scope}"


def _within(hook: dict[str, object]) -> float | None:
    args = hook.get("args")
    words = [str(word) for word in args] if isinstance(args, list) else str(hook.get("command", "")).split()
    try:
        return float(words[words.index("--within") + 1])
    except (ValueError, IndexError):
        return None


def state_writable(patient: Patient) -> Iterator[Finding]:
    """Budgets and the ledger need a place; without one nothing is blocked."""
    try:
        files.make_dirs(paths.state_dir())
        with tempfile.TemporaryFile(dir=paths.state_dir()):
            pass
    except OSError as error:
        what = f"the state directory `{paths.state_dir()}` cannot be written: {error.strerror}"
        yield Finding("state", what, "make it writable, or point XDG_STATE_HOME elsewhere")


def repository(patient: Patient) -> Iterator[Finding]:
    """Without git the gate works and remembers nothing."""
    if not patient.site.git:
        yield Finding("no-git", "this is no git repository, so the checks run at every stop", "git init", note=True)
