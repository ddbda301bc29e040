"""The verbs `/ralph-hooks:loop`, `:goal` and `:cancel`, as a person types them at an agent's prompt (T8)."""

from __future__ import annotations

import dataclasses
import shlex

from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.gate import in_session
from ralph_hooks.plan.config import Check

DEFAULT_MAX = 20
MOST = 1000


def start_loop(session: str, text: str) -> str:
    """`"PROMPT" [--max-iterations N] [--completion-promise TEXT]`. Raises `RalphError`."""
    words, options = _split(text, ("--max-iterations", "--completion-promise"), "loop")
    prompt = " ".join(words).strip()
    if not prompt:
        raise RalphError("the loop has no prompt", '/ralph-hooks:loop "PROMPT" --max-iterations 20', EXIT_USAGE)
    most = _number(options.get("--max-iterations", str(DEFAULT_MAX)))
    promise = options.get("--completion-promise", "").strip()
    in_session.write(session, in_session.LOOP, {"prompt": prompt, "max": most, "promise": promise, "n": 0})
    end = f"until <promise>{promise}</promise> on a green tree, " if promise else ""
    return f"the loop runs {end}at most {most} iterations"


def goal(session: str, text: str) -> str:
    """`"COMMAND"` sets one more check for this session, `clear` takes it away, nothing tells."""
    command = _unquoted(text.strip())
    if command in ("clear", "off", "none"):
        return "the goal is gone" if in_session.clear(session, in_session.GOAL) else "there was no goal"
    if not command:
        now = in_session.read(session, in_session.GOAL)
        return f"the goal is `{now['run']}`" if now else "there is no goal"
    check = dataclasses.asdict(Check(run=command, name="goal"))
    in_session.write(session, in_session.GOAL, check)
    return f"`{command}` is one more check of this session"


def cancel(session: str) -> str:
    """End the loop and the goal."""
    ended = [kind[1:] for kind in (in_session.LOOP, in_session.GOAL) if in_session.clear(session, kind)]
    return f"ended: {', '.join(ended)}" if ended else "there was nothing to cancel"


def _split(text: str, known: tuple[str, ...], verb: str) -> tuple[list[str], dict[str, str]]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise RalphError(f"the words cannot be read: {error}", "put the prompt in quotes", EXIT_USAGE) from None
    rest, options = [], {}
    place = iter(words)
    for word in place:
        name, equals, value = word.partition("=")
        if name in known:
            options[name] = value if equals else next(place, "")
        elif word.startswith("--"):
            raise RalphError(f"unknown option `{word}`", f"/ralph-hooks:{verb} knows {', '.join(known)}", EXIT_USAGE)
        else:
            rest.append(word)
    return rest, options


def _number(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= MOST:
        raise RalphError(f"--max-iterations `{text}` is not from 1 to {MOST}", "--max-iterations 20", EXIT_USAGE)
    return int(text)


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
