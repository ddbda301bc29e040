"""Output of a program as a person would see it: no colours, no cursor tricks, nothing invisible."""

from __future__ import annotations

import re

FAILURE_CHARS = 4000

# Unfinished sequences end at the line or at 4096 characters, so that a lone escape hides nothing after it.
_STRINGS = re.compile("(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]{0,4096}+(?:\x07|\x1b\\\\|\x9c)?")
_ERASE_REST = re.compile("(?:\x1b\\[|\x9b)0?K")
_ERASE_LINE = re.compile("(?:\x1b\\[|\x9b)2K")
_HOME = re.compile("(?:\x1b\\[|\x9b)[01]?G")
_CSI = re.compile("(?:\x1b\\[|\x9b)[0-?]{0,64}+[ -/]{0,8}+[@-~]?")
_ESCAPE = re.compile("\x1b[ -/]{0,8}+[0-~]?")
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]+"
)
# A private-use character stands for "erase to the end of the line" between two passes; the program's own are dropped.
_MARK = "\uf8ff"


def clean(data: bytes) -> str:
    """UTF-8 with replacement, lines ended by LF, as a terminal would show it last, without control characters."""
    text = data.decode("utf-8", "replace").replace(_MARK, "").replace("\r\n", "\n")
    if "\x1b" in text or "\x9b" in text or "\x9d" in text:
        text = _STRINGS.sub("", text)
        text = _ERASE_LINE.sub("\r" + _MARK, _ERASE_REST.sub(_MARK, _HOME.sub("\r", text)))
        text = _ESCAPE.sub("", _CSI.sub("", text))
    if "\r" in text:
        text = "\n".join(_overwritten(line) if "\r" in line else line for line in text.split("\n"))
    return _HIDDEN.sub("", text.replace(_MARK, ""))


def _overwritten(line: str) -> str:
    """What is left of a line whose parts, split by carriage returns, were printed over each other."""
    shown: list[str] = []
    width = 0
    for part in reversed(line.split("\r")):
        visible = part.replace(_MARK, "")
        if len(visible) > width:
            shown.append(visible[width:])
            width = len(visible)
        if len(visible) < len(part):
            break  # erased to the end of the line: nothing of what came before is left
    return "".join(shown)


def cut(text: str, limit: int = FAILURE_CHARS) -> str:
    """A failure's text in at most about `limit` characters; what is left out of its middle is named."""
    text = text.strip("\n")
    if len(text) <= limit:
        return text
    head, tail = text[: limit * 2 // 3], text[len(text) - limit // 3 :]
    head, tail = head[: head.rfind("\n") + 1] or head, tail[tail.find("\n") + 1 :]
    return f"{head.rstrip()}\n[{len(text) - len(head) - len(tail)} characters left out]\n{tail}"


def dedent(lines: list[str]) -> str:
    """Lines joined, without their common indentation and without empty lines around them."""
    filled = [line for line in lines if line.strip()]
    margin = min((len(line) - len(line.lstrip(" ")) for line in filled), default=0)
    return "\n".join(line[margin:].rstrip() for line in lines).strip("\n")


def lines_of(text: str, longest: int = 2000) -> list[str]:
    """The lines of a text, longer ones cut: what a runner says of itself is short; no pattern shall meet a mebibyte."""
    return [line if len(line) <= longest else line[:longest] for line in text.split("\n")]
