"""State files that are not files: a directory, a pipe, a link to nowhere or to what is somebody else's."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
from collections.abc import Callable, Iterable, Sequence
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
    assert not (state_of() / "bugs").exists(), [path.read_text() for path in (state_of() / "bugs").iterdir()]
    assert "Traceback" not in done_err + done_out and "bug" not in done_err + done_out, (done_out, done_err)
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


GARBAGE = (
    b"", b"{}", b"[]", b"null", b"7", b'"x"', b'{"v":1}', b"{", b"\xff\xfe", b"\0" * 300, b"[" * 100_000,
    "²-²-²".encode(), b"1-1-1", b"9" * 400, b'{"until":' + b"9" * 400 + b"}",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("data", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_in_every_file_of_state(project: TestProject, data: bytes) -> None:
    person_said(project)
    known = [path for path in state_files() if path.suffix != ".goal"]

    def put() -> None:
        for path in known:
            if path.parent.is_dir():
                path.write_bytes(data)

    go_through(project, put, (("status",), ("log",)))


@pytest.mark.parametrize("data", [b"", b"{}", b'{"run": 5}'])
def test_a_goal_that_cannot_be_read_is_not_forgotten(project: TestProject, data: bytes) -> None:
    person_said(project)
    (goal,) = state_of().glob("sessions/*.goal")
    goal.write_bytes(data)
    project.write("ok", "")
    stop(project).blocks("the check cannot run", f"goal `{goal}` cannot be read")
    said = event(project, hook_event_name="UserPromptSubmit", prompt="/ralph-hooks:goal clear")
    assert "the goal is gone" in project.ralph("hook", "claude", stdin=json.dumps(said)).err
    assert stop(project).code == 0


VALUES: tuple[object, ...] = (None, True, "", "x", "²", -1, 0, 1, 10**30, 10**400, 1e300, [], [1], [[]], {}, {"x": 1})


def mutated(value: object, chance: random.Random) -> object:
    """The same JSON with one place in it, at any depth, become something else or gone."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        rest = {name: kept for name, kept in value.items() if name != key}
        return rest if chance.random() < 0.2 else {**rest, key: mutated(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.7:
        return [mutated(value[0], chance), *value[1:]]
    return chance.choice(VALUES)


def mutate(path: Path, chance: random.Random) -> None:
    data = path.read_bytes()
    parts = data.splitlines() if path.suffix == ".jsonl" else [data]
    try:
        new = [json.dumps(mutated(json.loads(part), chance)).encode() for part in parts]
    except ValueError:
        return
    path.write_bytes(b"\n".join(new) + b"\n" * (path.suffix == ".jsonl"))


def mutate_state(project: TestProject, seeds: Iterable[int]) -> None:
    """A tampered budget may well release; nothing may end as a bug or in silence."""
    person_said(project)
    whole = {path: path.read_bytes() for path in state_files()}
    for seed in seeds:
        chance = random.Random(seed)
        for path, data in whole.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            if chance.random() < 0.5:
                mutate(path, chance)
        done = project.ralph("hook", "claude", stdin=json.dumps(event(project, last_assistant_message=str(seed))))
        assert_well(done.out, done.err)
        assert done.code == 2 or "handing back" in done.out or "NOT VERIFIED" in done.out or "red" in done.out, (
            seed,
            done,
        )
        for verb in ("status", "log", "budget"):
            done = project.ralph(verb)
            assert_well(done.out, done.err)
            assert done.code in (0, 1), (seed, verb, done)


def test_mutated_state_a_little(project: TestProject) -> None:
    mutate_state(project, range(6))


@pytest.mark.slow
def test_mutated_state_a_lot(project: TestProject) -> None:
    mutate_state(project, range(100, 220))


def person_said(project: TestProject) -> None:
    """What only a person's verbs write: a seal, a loop, a goal, a pause that is over."""
    assert project.ralph("seal").code == 0
    for prompt in ('/ralph-hooks:goal "test -e ok"', "/ralph-hooks:loop 'go on' --max 9", "/ralph-hooks:pause 1h"):
        said = event(project, hook_event_name="UserPromptSubmit", prompt=prompt)
        project.ralph("hook", "claude", stdin=json.dumps(said))
    (pause,) = state_of().glob("projects/*/pause.json")
    pause.write_text(json.dumps({"until": 1.0, "reason": "over"}))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["full directory", "pipe", "link to somebody's file"])
def test_each_file_alone(project: TestProject, kind: str) -> None:
    for path in state_files():

        def put(path: Path = path) -> None:
            if path.parent.is_dir():
                replace(path, kind)

        go_through(project, put, (("check",), ("status",), ("log",)))
