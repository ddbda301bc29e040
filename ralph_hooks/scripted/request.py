"""One request of a coding agent, as the scripted model sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MAIN = "main"
SUBAGENT = "subagent"
SIDE = "side"


@dataclass(frozen=True)
class Request:
    """`role` is `main`, `subagent`, or `side` (titles, token counts, model lists: nothing that a script answers).

    `shown` is the text that is new to the model: all that was said since its own last answer (the prompt, results of
    tools, feedback of hooks). `results` are the tool results among it, in order.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    role: str = SIDE
    session: str = ""
    agent: str = ""
    shown: str = ""
    results: tuple[str, ...] = ()
    tools: tuple[str, ...] = field(default=())

    @property
    def streams(self) -> bool:
        """Whether the client wants server-sent events."""
        return bool(self.body.get("stream"))


def flat(content: object) -> str:
    """The text in a content field: a string, or blocks that hold strings, at any depth."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text for part in content if (text := flat(part)))
    if isinstance(content, dict):
        return flat(content.get("text") or content.get("content") or content.get("output") or "")
    return ""
