"""A thing that is wrong with a setup, and the setup that is looked at."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ralph_hooks import files
from ralph_hooks.errors import RalphError
from ralph_hooks.install import jsontext, settings, survey
from ralph_hooks.install.jsontext import JsonTextError, Node
from ralph_hooks.install.settings import Layer
from ralph_hooks.install.surgery import Entry
from ralph_hooks.install.survey import Site
from ralph_hooks.plan import load
from ralph_hooks.plan.config import Config


@dataclass(frozen=True, slots=True)
class Finding:
    """`what` is one sentence, `fix` what to type or do. A `note` is worth knowing and nothing to repair."""

    id: str
    what: str
    fix: str
    note: bool = False


@dataclass(slots=True)
class Registration:
    """Our entries in one settings file."""

    layer: Layer
    entries: list[Entry]

    @property
    def stop(self) -> Entry | None:
        return next((entry for entry in self.entries if entry.event == "Stop"), None)


@dataclass(slots=True)
class Patient:
    """What `doctor` looks at, read once."""

    cwd: str
    site: Site
    layers: list[Layer]
    registered: list[Registration]
    config: Config | None = None
    config_error: str = ""
    env: dict[str, str] = field(default_factory=lambda: dict(os.environ))

    def clients(self) -> list[str]:
        """The clients whose settings hold a Stop hook of ours."""
        return sorted({each.layer.client for each in self.registered if each.stop})

    def roots(self, client: str) -> list[Node]:
        """The parsed settings files of a client, the strongest first; unreadable ones left out."""
        order = ("local", "project", "user")
        layers = sorted(
            (each for each in self.layers if each.client == client), key=lambda each: order.index(each.scope)
        )
        return [root for layer in layers if (root := parsed(layer)) is not None]


Check = Callable[[Patient], Iterator[Finding]]


def examine(start: str) -> Patient:
    """Read everything that the checks look at."""
    place = survey.site(start)
    layers = [layer for client in settings.CLIENTS for layer in settings.layers(client, place.root)]
    registered = [Registration(layer, found) for layer in layers if (found := settings.entries_in(layer))]
    patient = Patient(os.path.realpath(start), place, layers, registered)
    if place.config:
        try:
            patient.config = load.load(place.config)
        except RalphError as error:
            patient.config_error = error.message
    return patient


def parsed(layer: Layer) -> Node | None:
    """The root of a settings file, `None` where it is missing or cannot be read."""
    try:
        text = settings.decode(layer, files.read_bytes_or_none(layer.path))[1]
        return jsontext.parse(text) if text and text.strip() else None
    except (RalphError, JsonTextError):
        return None
