"""The providers of agents, one module and one row each, and what is refused before one is used (F3, F21)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from ralph_hooks.loop.call import RefusedError
from ralph_hooks.loop.providers import claude, codex, command
from ralph_hooks.loop.providers.base import Provider

PROVIDERS: dict[str, Provider] = {one.PROVIDER.name: one.PROVIDER for one in (claude, codex, command)}


def provider_for(name: str, known: dict[str, Provider] | None = None) -> Provider:
    """The provider of that name, if a loop may use it. Raises `RefusedError`."""
    known = PROVIDERS if known is None else known
    found = known.get(name)
    if found is None:
        hint = f"`provider` under [loop] is one of {', '.join(sorted(known))}"
        raise RefusedError(f'Ralph subagent provider "{name}" is not registered', hint)
    if not found.capabilities.structured_output:
        raise RefusedError(f'Ralph subagent provider "{name}" does not support structured output')
    if not found.capabilities.fresh:
        raise RefusedError(f'Ralph subagent provider "{name}" inherits parent context; Ralph requires a fresh provider')
    return found


def check_arguments(provider: Provider, arguments: Sequence[str]) -> None:
    """Refuse what would make a round other than fresh, or take its hook away. Raises `RefusedError`."""
    for word, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        flag, value = _parts(word, following)
        for spelled in (flag, f"{flag} {value}"):
            if spelled in provider.refused:
                raise RefusedError(f"`{spelled}` cannot be passed to {provider.name}: {provider.refused[spelled]}")


def _parts(word: str, following: str) -> tuple[str, str]:
    """The option and its value, however they are written: `--flag=x`, `--flag x`, `-fx`, `-f x`."""
    if word.startswith("--"):
        flag, equals, value = word.partition("=")
    elif word.startswith("-") and len(word) > 2:
        flag, equals, value = word[:2], "=", word[2:].removeprefix("=")
    else:
        flag, equals, value = word, "", ""
    return flag, "".join((value if equals else following).split()).replace('"', "").replace("'", "")
