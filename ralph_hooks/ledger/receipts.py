"""Receipts (T6): one hash-chained record for every verdict on a content that git could commit.

A record holds the content's digest, the plan's digest and the verdict; its `hash` covers the record and the hash
before it, so that a changed, removed or inserted line breaks the chain. Pruning leaves a checkpoint record that carries
the chain on.
"""

from __future__ import annotations

import fcntl
import os
import time

from ralph_hooks import __version__, fasthash, fastjson, files
from ralph_hooks.check.verdict import PASSES, Run
from ralph_hooks.check.watch import Cancelled
from ralph_hooks.process import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ralph_hooks.plan.locate import Project

FILE = "receipts.jsonl"
KEEP = 2000
PRUNE_ABOVE = 4000
LOCK_SECONDS = 5.0
START = "0" * 40


class BrokenChainError(Exception):
    """The chain does not hold; the message names the line."""


def add(project: Project, plan_digest: str, run: Run, *, session: str = "", by: str = "") -> bool:
    """Append the verdict of a run; `False` when there is no digest, or the state cannot be written in time."""
    if not run.receipt_digest or run.digest_before != run.digest_after:
        return False
    record = {
        "at": time.time(),
        "verdict": run.verdict,
        "digest": run.receipt_digest,
        "tracked": run.tracked_digest,
        "plan": plan_digest,
        "tools": run.tools,
        "version": __version__,
        "by": by,
        "session": session,
        "run": run.id,
        "failing": run.failing_ids[:50],
    }
    try:
        with _lock(project):
            _append(path_of(project), record)
    except (OSError, TimeoutError, BrokenChainError, Cancelled):
        return False
    return True


def find(project: Project, digest: str, plan_digest: str) -> dict[str, Any] | None:
    """The newest record of this content under this plan. Raises `BrokenChainError`."""
    found = None
    for record in read(project):
        if digest in (record.get("digest"), record.get("tracked")) and record.get("plan") == plan_digest:
            found = record
    return found


def is_green(record: dict[str, Any]) -> bool:
    return record["verdict"] in PASSES


def read(project: Project) -> Iterator[dict[str, Any]]:
    """All records, oldest first, each checked against the one before. Raises `BrokenChainError`."""
    previous: str | None = None
    for number, line in enumerate(_lines(path_of(project)), start=1):
        record = _parse(line)
        if record is None:
            raise BrokenChainError(f"line {number} of `{path_of(project)}` is not a record")
        begins = previous is None and (record.get("prev") == START or record.get("checkpoint") is True)
        if not begins and record.get("prev") != previous:
            raise BrokenChainError(f"line {number} of `{path_of(project)}` does not follow the one before it")
        if record.get("hash") != _hash(record):
            raise BrokenChainError(f"line {number} of `{path_of(project)}` was changed after it was written")
        previous = str(record["hash"])
        yield record


def path_of(project: Project) -> str:
    """Where the chain of this project is kept."""
    return os.path.join(project.state, FILE)


def _lines(path: str) -> list[bytes]:
    return [line for line in (files.read_bytes_or_none(path) or b"").split(b"\n") if line.strip()]


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        record = fastjson.loads(line.decode())
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _hash(record: dict[str, Any]) -> str:
    body = {key: value for key, value in record.items() if key != "hash"}
    return fasthash.blake2(fastjson.canonical(body).encode())


def _sealed(record: dict[str, Any], previous: str) -> bytes:
    record = {**record, "prev": previous}
    record["hash"] = _hash(record)
    return fastjson.canonical(record).encode()


def _append(path: str, record: dict[str, Any]) -> None:
    files.make_way(path)
    lines = _lines(path)
    last = _parse(lines[-1]) if lines else None
    if lines and (last is None or last.get("hash") != _hash(last)):
        _move_aside(path)
        last, lines = None, []
    if len(lines) >= PRUNE_ABOVE:
        last = _prune(path, lines)
    files.append_line(path, _sealed(record, str(last["hash"]) if last else START), durable=True)


def _move_aside(path: str) -> None:
    """A chain whose end is torn proves nothing more; it is kept, and a new one begins."""
    os.replace(path, f"{path}.broken-{int(time.time())}-{os.urandom(2).hex()}")


def _prune(path: str, lines: list[bytes]) -> dict[str, Any]:
    """Keep the newest; the first of the rest is a checkpoint that names the hash it stands for."""
    kept = [record for line in lines[-KEEP:] if (record := _parse(line))]
    checkpoint = {"at": time.time(), "checkpoint": True, "left_out": len(lines) - len(kept)}
    previous = str(kept[0]["prev"])
    chain = [_sealed(checkpoint, previous)]
    last: dict[str, Any] = _parse(chain[0]) or {}
    for record in kept:
        chain.append(_sealed({k: v for k, v in record.items() if k not in ("prev", "hash")}, str(last["hash"])))
        last = _parse(chain[-1]) or {}
    files.write_atomic(path, b"\n".join(chain) + b"\n")
    return last


class _lock:  # noqa: N801 - used as a function
    """One writer at a time, for at most five seconds."""

    def __init__(self, project: Project) -> None:
        files.make_dirs(project.state)
        self._fd = files.open_state(path_of(project) + ".lock", os.O_RDWR)

    def __enter__(self) -> None:
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    os.close(self._fd)
                    raise TimeoutError from None
                with signals.waiting:
                    time.sleep(0.01)

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)
