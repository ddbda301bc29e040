"""Languages with one test command of their own: Rust, Go, .NET, Elixir, Deno."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ralph_hooks.install.detect.proposal import LINT, Proposal
from ralph_hooks.install.place import Place, table

LOOKED_FOR = "Cargo.toml, go.mod or go.work, *.sln or *.csproj, mix.exs, deno.json"


def find(place: Place) -> Iterator[Proposal]:
    """What this directory's build file says."""
    for ecosystem in (_rust, _go, _dotnet, _elixir, _deno):
        yield from ecosystem(place)


def _rust(place: Place) -> Iterator[Proposal]:
    cargo = place.toml("Cargo.toml")
    if not cargo:
        return
    workspace = "workspace" in cargo
    wide = ("--workspace",) if workspace else ()
    why = f"`{place.shown('Cargo.toml')}` is a {'workspace' if workspace else 'package'}"
    yield Proposal(ecosystem="cargo", run=("cargo", "test", *wide), why=why)
    if place.has(".config/nextest.toml"):
        why = f"`{place.shown('.config/nextest.toml')}` is there"
        run = ("cargo", "nextest", "run", *wide)
        yield Proposal(ecosystem="nextest", run=run, why=why, note="leaves out the documentation tests")
    if (
        place.has("clippy.toml", ".clippy.toml")
        or table(cargo, "lints", "clippy")
        or table(cargo, "workspace", "lints", "clippy")
    ):
        run = ("cargo", "clippy", *wide, "--all-targets", "--", "-D", "warnings")
        yield Proposal(ecosystem="clippy", kind=LINT, run=run, why="clippy is configured")


def _go(place: Place) -> Iterator[Proposal]:
    if place.has("go.work"):
        used = re.findall(r"^\s*(?:use\s+)?(\./\S+|\.)\s*$", place.text("go.work"), re.M)
        modules = [f"./{module.removeprefix('./').rstrip('/')}/...".replace("./.", ".") for module in used]
        run = ("go", "test", *(modules or ["./..."]))
        yield Proposal(ecosystem="go", run=run, why=f"`{place.shown('go.work')}` uses {len(modules)} modules")
    elif place.has("go.mod"):
        yield Proposal(ecosystem="go", run=("go", "test", "./..."), why=f"`{place.shown('go.mod')}` is a module")
    else:
        return
    config = place.has(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
    if config:
        why = f"`{place.shown(config)}` is there"
        yield Proposal(ecosystem="golangci-lint", kind=LINT, run=("golangci-lint", "run"), why=why)


def _dotnet(place: Place) -> Iterator[Proposal]:
    solutions = place.find("*.sln", "*.slnx")
    projects = place.find("*.csproj", "*.fsproj", "*/*.csproj", "*/*.fsproj", "*/*/*.csproj")
    if solutions or any("Microsoft.NET.Test.Sdk" in place.text(name) for name in projects):
        why = f"`{place.shown((solutions or projects)[0])}` is there"
        yield Proposal(ecosystem="dotnet", run=("dotnet", "test"), why=why)


def _elixir(place: Place) -> Iterator[Proposal]:
    if place.has("mix.exs"):
        yield Proposal(ecosystem="mix", run=("mix", "test"), why=f"`{place.shown('mix.exs')}` is there")


def _deno(place: Place) -> Iterator[Proposal]:
    config = place.has("deno.json", "deno.jsonc")
    if not config:
        return
    if "test" in table(place.json(config), "tasks"):
        why = f"`{place.shown(config)}` has a `test` task"
        yield Proposal(ecosystem="deno", run=("deno", "task", "test"), why=why)
    else:
        yield Proposal(ecosystem="deno", run=("deno", "test"), why=f"`{place.shown(config)}` is there")
