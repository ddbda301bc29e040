"""The tests play a person, also where an agent started them."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

from ralph_hooks.guard.person import agent_name, ancestors

DETACH = [sys.executable, "-I", "-S", str(Path(__file__).with_name("detach.py"))]
PR_SET_CHILD_SUBREAPER = 36


def by_a_person() -> list[str]:
    """What to put before a command so that no agent is above it; nothing where none is."""
    return detach() if any(agent_name(pid) for pid in ancestors()) else []


def detach() -> list[str]:
    """What to put before a command so that it is no child of ours.

    A test that ran checks in this process made it the one that orphans go to, until now.
    """
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    return DETACH
