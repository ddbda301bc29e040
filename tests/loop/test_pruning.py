"""Logs of finished runs are bounded; nothing that could still be needed goes."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from ralph_hooks.loop.pruning import Keep, prune
from tests.support.looping import COMPLETE, CONTINUE, agent

MUCH = Keep(folders=1000, days=1000, size=1 << 40)


def folder(place: Path, name: str, size: int = 10, days: float = 0) -> str:
    """A folder with one file below it, last written so many days ago."""
    file = place / name / "0001-1" / "agent.out"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"x" * size)
    then = time.time() - days * 86400
    for path in (file, file.parent, file.parent.parent):
        os.utime(path, (then, then))
    return str(place / name)


@pytest.mark.parametrize(
    ("keep", "left"),
    [
        (MUCH, "abcd"),
        (Keep(folders=2, days=1000, size=1 << 40), "ab"),
        (Keep(folders=1000, days=2.5, size=1 << 40), "abc"),
        (Keep(folders=1000, days=1000, size=25), "ab"),
        (Keep(folders=1000, days=1000, size=1), "a"),
        (Keep(folders=0, days=0, size=0), "a"),
    ],
)
def test_the_oldest_go_first_and_the_newest_stays(tmp_path: Path, keep: Keep, left: str) -> None:
    folders = [folder(tmp_path, name, days=age) for age, name in enumerate("abcd")]
    gone = prune(folders, keep)
    assert "".join(sorted(os.listdir(tmp_path))) == left
    assert sorted(gone) == [path for path in folders if not os.path.exists(path)]


def test_what_is_linked_stays(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"x" * 1000)
    folders = [folder(tmp_path / "logs", name) for name in "ab"]
    for path in folders:
        os.symlink(precious, os.path.join(path, "link"))
        os.symlink(tmp_path, os.path.join(path, "up"))
    assert len(prune(folders, Keep(folders=1, days=1, size=500))) == 1
    assert precious.stat().st_size == 1000


def test_a_new_run_prunes_finished_ones_and_nothing_that_can_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted = agent(tmp_path, f"touch ok; {COMPLETE}")
    scripted.loop("Make it work", "--name", "done").ends(0)
    scripted.plays(CONTINUE)
    scripted.loop("Make it work", "--name", "open", "--max-rounds", "1").ends(4)
    (loops,) = Path(os.environ["XDG_STATE_HOME"]).glob("ralph-hooks/projects/*/loops")
    (resumable,) = (loops / "open").iterdir()
    (finished,) = (loops / "done").iterdir()
    for number in range(25):
        folder(loops / "done", f"{number + 1}-{number:016x}", days=60 + number)
    folder(loops / "done", "commit", days=900)
    for path in (resumable, finished):
        os.utime(path, (0, 0))
        for inner in path.rglob("*"):
            os.utime(inner, (0, 0))
    scripted.plays(f"touch ok; {COMPLETE}")
    scripted.loop("Make it work again", "--name", "third").ends(0)
    left = {path.name for path in (loops / "done").iterdir()}
    assert left == {"commit", "1-0000000000000000"}  # the newest of what is finished
    assert resumable.is_dir()
    assert len(list((loops / "third").iterdir())) == 1
    scripted.loop("--resume", "--name", "open", "--max-rounds", "2").ends(0, "Ralph completed after 2 rounds.")
    assert resumable.is_dir()
    assert len(list(resumable.iterdir())) == 2
