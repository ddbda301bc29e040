"""Out again: our entries from every settings file, and on request the config and what was kept about the project."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from ralph_hooks import files
from ralph_hooks.install import mcp_entry, purge, settings, survey, writer
from ralph_hooks.install.approve import announce
from ralph_hooks.install.settings import Layer
from ralph_hooks.install.survey import Site
from ralph_hooks.install.writer import Change
from ralph_hooks.plan.locate import CONFIG


@dataclass(slots=True)
class Removal:
    """What was taken out, or with `dry_run` what would be, and what stays, each with a word why."""

    site: Site
    changes: list[tuple[Layer, Change]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    stays: list[str] = field(default_factory=list)


def remove(
    start: str, clients: Sequence[str], scopes: Sequence[str], *, everything: bool = False, dry_run: bool = False
) -> Removal:
    """Take our entries out of these layers. Every file is looked at before the first is written."""
    done = Removal(survey.site(start))
    layers = [layer for client in settings.CLIENTS for layer in settings.layers(client, done.site.root)]
    mine = [layer for layer in layers if layer.client in clients and layer.scope in scopes]
    planned = [(layer, settings.uninstall(layer, dry_run=True)) for layer in mine]
    if not dry_run:
        announce(done.site.root, [change for _, change in planned])
    done.changes = planned if dry_run else [(layer, settings.uninstall(layer)) for layer, _ in planned]
    done.stays = [
        f"{layer.path} still has our entry (`--client {layer.client} --scope {layer.scope}` takes it out)"
        for layer in layers
        if layer not in mine and settings.entries_in(layer)
    ]
    _mcp(done, clients, dry_run)
    _backups(done, mine)
    _rest(done, dry_run) if everything else _say_rest(done)
    return done


def _mcp(done: Removal, clients: Sequence[str], dry_run: bool) -> None:
    change = mcp_entry.uninstall(done.site.root, dry_run=dry_run) if "claude" in clients else None
    if change is not None and change.any:
        done.changes.append((mcp_entry.layer(done.site.root), change))


def _backups(done: Removal, layers: Sequence[Layer]) -> None:
    """A backup that is not what the file is now: somebody has changed the file since, so a person decides."""
    for layer in layers:
        backup = files.read_bytes_or_none(layer.path + writer.BACKUP)
        if backup is not None and backup != files.read_bytes_or_none(layer.path):
            done.stays.append(f"{layer.path}{writer.BACKUP}, the file as it was before the first install")


def _say_rest(done: Removal) -> None:
    done.stays += [f"{path} (`--purge` removes it)" for path in (*_own_config(done), *purge.own(done.site))]


def _rest(done: Removal, dry_run: bool) -> None:
    """The config, what was kept about the project, and with the last project everything of ours."""
    for path in (*_own_config(done), *purge.belongings(done.site)):
        done.removed.append(path)
        if not dry_run:
            purge.drop(path)
    for path in purge.leftovers(done.site):
        if path not in done.removed and not _will_be_empty(path, done.removed):
            done.removed.append(path)
        if not dry_run:
            purge.drop(path)
    if place := purge.jobs():
        done.stays.append(f"{place}, the background jobs of every project")


def _will_be_empty(path: str, removed: Sequence[str]) -> bool:
    """Whether all that is in this directory is named already."""
    below = [os.path.join(path, name) for name in os.listdir(path)] if os.path.isdir(path) else [path]
    return all(each in removed for each in below)


def _own_config(done: Removal) -> list[str]:
    """The config, if it is a file of its own; a table in `pyproject.toml` stays, and that is said."""
    config = done.site.config
    if config and os.path.basename(config) != CONFIG:
        done.stays.append(f"{config}, with the table [tool.ralph-hooks]")
        return []
    return [config] if config else []
