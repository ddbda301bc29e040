"""The settings files: valid, ours in them once, nothing that switches hooks off."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from ralph_hooks import files
from ralph_hooks.errors import RalphError
from ralph_hooks.install import jsontext, settings
from ralph_hooks.install.by_hand import WAY_OUT, pasted
from ralph_hooks.install.doctor.finding import Finding, Patient
from ralph_hooks.install.jsontext import JsonTextError, Node
from ralph_hooks.process.capture import capture

MANAGED = {
    "darwin": "/Library/Application Support/ClaudeCode/managed-settings.json",
    "linux": "/etc/claude-code/managed-settings.json",
}


def valid(patient: Patient) -> Iterator[Finding]:
    """Every file that exists parses and has the shape that its client wants."""
    for layer in patient.layers:
        try:
            data = files.read_bytes(layer.path) if os.path.lexists(layer.path) else None
        except FileNotFoundError:
            continue  # a link to a file that is not there yet
        except OSError as error:
            what = f"`{layer.path}` cannot be read: {error.strerror}; {layer.client_name} takes nothing from it"
            yield Finding("settings-unreadable", what, f"ls -l {layer.path}")
            continue
        try:
            _, text = settings.decode(layer, data)
            if text and text.strip():
                settings.check(layer, text)
        except RalphError as error:
            yield Finding("settings-invalid", error.message, error.hint)


def registered_once(patient: Patient) -> Iterator[Finding]:
    """One Stop hook of ours for each client, not none and not two."""
    if not patient.clients() and not pasted(patient.layers) and not plugins(patient):
        yield Finding("no-hook", "no Stop hook of ours is in any settings file", "ralph-hooks install")
    for client in patient.clients():
        places = [each.layer for each in patient.registered if each.layer.client == client and each.stop]
        if len(places) > 1:
            where = " and ".join(f"`{layer.path}`" for layer in places)
            fix = f"ralph-hooks uninstall --client {client} --scope {places[-1].scope}"
            yield Finding("two-hooks", f"our hook is registered in {where}", fix)


def written_by_hand(patient: Patient) -> Iterator[Finding]:
    """A pasted hook works as long as nobody changes it; no install brings it up to date, no guard watches over it."""
    for found in pasted(patient.layers):
        beside = any(each.layer.client == found.layer.client and each.stop for each in patient.registered)
        what = f"`{found.where}`: a {found.event} hook that was written by hand starts `ralph-hooks`"
        if beside and found.event == "Stop":
            yield Finding("by-hand", f"{what}, beside the one that `install` wrote", "take it out")
        else:
            yield Finding("by-hand", f"{what}, so `install` and `uninstall` leave it alone", WAY_OUT)


def plugins(patient: Patient) -> list[str]:
    """The ids under which our plugin is switched on."""
    return [
        str(item.key)
        for root in patient.roots("claude")
        for item in (_object(root, "enabledPlugins") or Node("object", 0)).items
        if str(item.key).split("@")[0] == "ralph-hooks" and item.node.scalar is True
    ]


def plugin_and_settings(patient: Patient) -> Iterator[Finding]:
    """Both run at one stop: one run and one charge, but two processes."""
    enabled = plugins(patient)
    if enabled and "claude" in patient.clients():
        both = f"the plugin `{enabled[0]}` and from a settings file"
        what = f"the hook comes from {both}; each stop is judged once, by two processes"
        yield Finding("plugin-and-settings", what, "ralph-hooks uninstall --client claude")


def not_disabled(patient: Patient) -> Iterator[Finding]:
    """`disableAllHooks` in the strongest file that says anything, and what a managed policy forbids."""
    managed = _managed()
    roots = [root for root in (managed, *patient.roots("claude")) if root is not None]
    said = next((root for root in roots if root.get("disableAllHooks") is not None), None)
    if said is not None and (flag := said.get("disableAllHooks")) and flag.scalar is True:
        yield Finding(
            "hooks-disabled",
            "`disableAllHooks` is true, so no hook runs at all",
            "take `disableAllHooks` out of the settings",
        )
    only = managed.get("allowManagedHooksOnly") if managed else None
    if only is not None and only.scalar is True:
        what = "the managed settings allow only managed hooks (`allowManagedHooksOnly`)"
        yield Finding("managed-only", what, "ask who administers this machine to add the hook there")


def block_cap(patient: Patient) -> Iterator[Finding]:
    """The client ends the turn as a success after this many blocks in a row; ours must say so first."""
    value = patient.env.get("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "")
    for root in reversed(patient.roots("claude")):
        node = (_object(root, "env") or Node("object", 0)).get("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP")
        value = str(node.scalar) if node else value
    cap = int(value) if value.isdigit() else 8
    stall = patient.config.budget.stall if patient.config else 5
    if cap and "claude" in patient.clients() and (stall == 0 or stall >= cap):
        late = f"`budget.stall = {stall}` does not come first"
        what = f"Claude Code ends a turn without a word after {cap} blocks in a row, and {late}"
        yield Finding("stall", what, f"set `stall` in [budget] to a number from 1 to {cap - 1}")


def committed(patient: Patient) -> Iterator[Finding]:
    """A project's entry that git ignores reaches no teammate."""
    for each in patient.registered:
        if each.layer.scope == "project" and patient.site.git:
            ignored = capture(["git", "check-ignore", "-q", "--", each.layer.path], cwd=patient.site.root, timeout=30)
            if ignored.code == 0:
                what = f"git ignores `{each.layer.path}`, so only this checkout has the hook"
                yield Finding("ignored", what, "take it out of .gitignore", note=True)


def _managed() -> Node | None:
    data = files.read_bytes_or_none(MANAGED.get(sys.platform, MANAGED["linux"]))
    try:
        root = jsontext.parse(data.decode("utf-8", "replace").removeprefix("\ufeff")) if data else None
    except JsonTextError:
        return None
    return root if root is not None and root.kind == "object" else None


def _object(root: Node, key: str) -> Node | None:
    node = root.get(key)
    return node if node is not None and node.kind == "object" else None


def started_here(patient: Patient) -> Iterator[Finding]:
    """Hooks of the root are not loaded for a session that starts below it."""
    if patient.cwd == patient.site.root:
        return
    if any(each.layer.scope == "user" and each.stop for each in patient.registered):
        return
    below = os.path.relpath(patient.cwd, patient.site.root)
    what = f"a session started here, in `{below}`, does not load the hooks of `{patient.site.root}`"
    yield Finding(
        "subdirectory", what, f"start the agent in `{patient.site.root}`, or `ralph-hooks install --scope user`"
    )
