"""A reply to a client: exit code, standard output, standard error."""

from __future__ import annotations


class Reply:
    """What the hook process leaves with."""

    __slots__ = ("code", "err", "out")

    def __init__(self, code: int, out: str = "", err: str = "") -> None:
        self.code = code
        self.out = out
        self.err = err
