"""State files that are not files: a directory, a pipe, a link to nowhere or to what is somebody else's."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.support.gate import event, lines, stop
from tests.support.project import TestProject, make_project

PRECIOUS = b"not ours\n"
TASK = {"id": "b", "type": "shell", "status": "running", "description": "build", "command": "make"}
RED = {"last_assistant_message": "red"}
VERBS = (("check",), ("status",), ("status", "--json"), ("log",), ("log", "--json"), ("budget",), ("doctor",))


def _directory(path: Path) -> None:
    path.mkdir()


def _full_directory(path: Path) -> None:
    path.mkdir()
    (path / "kept").write_bytes(PRECIOUS)


def _to_nowhere(path: Path) -> None:
    path.symlink_to(path.parent / "nowhere" / "at" / "all")


def _to_somebody(path: Path) -> None:
    path.symlink_to(Path(os.environ["HOME"]) / "precious")


def _to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's path has little room
    try:
        with socket.socket(socket.AF_UNIX) as end:
            end.bind(path.name)
    finally:
        os.chdir(here)


KINDS: dict[str, Callable[[Path], None]] = {
    "directory": _directory,
    "full directory": _full_directory,
    "pipe": os.mkfifo,
    "link to nowhere": _to_nowhere,
    "link to somebody's file": _to_somebody,
    "link to a device": _to_device,
    "socket": _socket,
}


@pytest.fixture
def project(tmp_path: Path, own_home: Path) -> TestProject:
    """A project whose gate has written all that it ever writes. Red while `ok` is not there."""
    made = make_project(tmp_path / "shop").write("check.sh", "[ -e ok ]")
    made.config(
        "[[check]]\nname = 't'\nrun = 'sh check.sh'\nflaky_retry = 1\n[gate]\nwhen = 'changed'\n[budget]\nstall = 0\n"
    ).commit()
    (own_home / "precious").write_bytes(PRECIOUS)
    prompt = event(made, hook_event_name="UserPromptSubmit", prompt="please")
    assert made.ralph("hook", "claude", stdin=json.dumps(prompt)).code == 0
    made.write("work", "1")
    stop(made, background_tasks=[TASK]).lets_go("SKIP", "background")
    stop(made, client="codex").blocks("attempt 1/20")
    made.write("ok", "")
    assert made.ralph("check").code == 0
    (made.root / "ok").unlink()
    return made


def state_of() -> Path:
    return Path(os.environ["XDG_STATE_HOME"]) / "ralph-hooks"


def state_files() -> list[Path]:
    """Ours alone: the shadow git directory of a checkout is git's, and git waits for a pipe as for any file."""
    found = [path for path in state_of().rglob("*") if path.is_file()]
    return sorted(path for path in found if "/logs/" not in path.as_posix() and "/tree/" not in path.as_posix())


def replace(path: Path, kind: str) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    KINDS[kind](path)


def assert_well(done_out: str, done_err: str) -> None:
    assert "Traceback" not in done_err + done_out and "bug" not in done_err + done_out, (done_out, done_err)
    assert not (state_of() / "bugs").exists(), [path.read_text() for path in (state_of() / "bugs").iterdir()]
    assert (Path(os.environ["HOME"]) / "precious").read_bytes() == PRECIOUS


def go_through(project: TestProject, put: Callable[[], None], verbs: Sequence[tuple[str, ...]] = VERBS) -> None:
    """Red is blocked and counted, green is let go, and every verb answers; `put` makes the state odd before each."""
    for n in range(2):
        put()
        done = project.ralph(
            "hook", "claude", stdin=json.dumps(event(project, last_assistant_message=str(n))), timeout=20
        )
        assert_well(done.out, done.err)
        assert done.code == 2, done
    assert lines(project)[-1]["decision"] == "BLOCK"
    for verb in verbs:
        put()
        done = project.ralph(*verb, timeout=20)
        assert_well(done.out, done.err)
        assert done.code in (0, 1), (verb, done)
        assert done.code == 1 or verb[0] != "check"
    project.write("ok", "")
    put()
    done = project.ralph("hook", "claude", stdin=json.dumps(event(project)), timeout=20)
    assert_well(done.out, done.err)
    assert done.code == 0 and lines(project)[-1]["decision"] in ("ALLOW", "SKIP"), (done, lines(project)[-1])
    (project.root / "ok").unlink()


@pytest.mark.parametrize("kind", KINDS)
def test_all_state_at_once(project: TestProject, kind: str) -> None:
    known = state_files()
    assert {"ledger.jsonl", "plan.json", "receipts.jsonl", "run.lock", "memory.json"} <= {path.name for path in known}

    def put() -> None:
        for path in known:
            if path.parent.is_dir():
                replace(path, kind)

    go_through(project, put)


def _file(path: Path) -> None:
    path.write_bytes(PRECIOUS)


@pytest.mark.parametrize(
    "kind", [_file, KINDS["pipe"], _to_nowhere, _to_somebody], ids=["file", "pipe", "lost", "link"]
)
@pytest.mark.parametrize("name", ["projects", "projects/*", "projects/*/logs", "sessions", "checkouts/*", "fires", ""])
def test_a_directory_of_state_that_is_none(project: TestProject, name: str, kind: Callable[[Path], None]) -> None:
    (place,) = state_of().glob(name) if name else [state_of()]

    def put() -> None:
        shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink(missing_ok=True)
        kind(place)

    go_through(project, put)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["full directory", "pipe", "link to somebody's file"])
def test_each_file_alone(project: TestProject, kind: str) -> None:
    for path in state_files():

        def put(path: Path = path) -> None:
            if path.parent.is_dir():
                replace(path, kind)

        go_through(project, put, (("check",), ("status",), ("log",)))
