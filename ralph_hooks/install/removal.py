"""Out again: our entries from every settings file, and on request the config and what was kept about the project."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field

from ralph_hooks import files, paths
from ralph_hooks.install import settings, survey, writer
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
    start: str, clients: Sequence[str], scopes: Sequence[str], *, purge: bool = False, dry_run: bool = False
) -> Removal:
    """Take our entries out of these layers. Every file is looked at before the first is written."""
    done = Removal(survey.site(start))
    everything = [layer for client in settings.CLIENTS for layer in settings.layers(client, done.site.root)]
    mine = [layer for layer in everything if layer.client in clients and layer.scope in scopes]
    planned = [(layer, settings.uninstall(layer, dry_run=True)) for layer in mine]
    if not dry_run:
        announce(done.site.root, [change for _, change in planned])
    done.changes = planned if dry_run else [(layer, settings.uninstall(layer)) for layer, _ in planned]
    done.stays = [
        f"{layer.path} still has our entry (`--client {layer.client} --scope {layer.scope}` takes it out)"
        for layer in everything
        if layer not in mine and settings.entries_in(layer)
    ]
    _backups(done, mine)
    _rest(done, purge, dry_run)
    return done


def _backups(done: Removal, layers: Sequence[Layer]) -> None:
    """A backup that is not what the file is now: somebody has changed the file since, so a person decides."""
    for layer in layers:
        backup = files.read_bytes_or_none(layer.path + writer.BACKUP)
        if backup is not None and backup != files.read_bytes_or_none(layer.path):
            done.stays.append(f"{layer.path}{writer.BACKUP}, the file as it was before the first install")


def _rest(done: Removal, purge: bool, dry_run: bool) -> None:
    site = done.site
    own = site.config if site.config and os.path.basename(site.config) == CONFIG else None
    kept = [place for place in (paths.project_dir(site.root), paths.checkout_dir(site.top)) if os.path.isdir(place)]
    if site.config and not own:
        done.stays.append(f"{site.config}, with the table [tool.ralph-hooks]")
    if not purge:
        done.stays += [f"{path} (`--purge` removes it)" for path in (own, *kept) if path]
        return
    for path in filter(None, (own, *kept)):
        done.removed.append(path)
        if not dry_run:
            shutil.rmtree(path) if os.path.isdir(path) else files.remove(path)
