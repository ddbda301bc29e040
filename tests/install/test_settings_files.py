"""I5 to I7: settings files on disk."""

from __future__ import annotations

import json
import multiprocessing
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ralph_hooks.errors import RalphError
from ralph_hooks.install import entries, settings, writer
from ralph_hooks.install.settings import Layer

PLAIN = entries.claude(660)
FOREIGN = (Path(__file__).parent / "settings" / "twelve-hooks.json").read_bytes()


def layer(root: Path, client: str = "claude") -> Layer:
    return settings.layers(client, str(root))[0]


def put(root: Path, data: bytes, client: str = "claude") -> Path:
    path = Path(layer(root, client).path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def tree(root: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(root)): path.read_bytes() if path.is_file() else None for path in root.rglob("*")}


SAMPLES = {
    "twelve hooks, odd indentation": FOREIGN,
    "byte order mark": b"\xef\xbb\xbf{}\n",
    "carriage returns, no final newline": b'{\r\n\t"model": "x"\r\n}',
    "not quite UTF-8": b'{"z": "\xff\xfe"}',
    "empty": b"",
    "one line": b'{"hooks":{"Stop":[{"hooks":[]}]}}',
}


@pytest.mark.parametrize("data", SAMPLES.values(), ids=SAMPLES)
def test_in_and_out_leaves_every_byte(tmp_path: Path, data: bytes) -> None:
    path = put(tmp_path, data)
    path.chmod(0o640)
    before = tree(tmp_path)
    assert settings.install(layer(tmp_path), PLAIN).any
    assert settings.entries_in(layer(tmp_path)) == PLAIN
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert not settings.install(layer(tmp_path), PLAIN).any
    settings.uninstall(layer(tmp_path))
    assert tree(tmp_path) == before


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_what_was_not_there_is_gone_again(tmp_path: Path, client: str) -> None:
    change = settings.install(layer(tmp_path, client), PLAIN)
    assert change.before is None and Path(change.path).exists()
    settings.uninstall(layer(tmp_path, client))
    assert tree(tmp_path) == {}


def test_the_foreign_part_is_untouched(tmp_path: Path) -> None:
    path = put(tmp_path, FOREIGN)
    settings.install(layer(tmp_path), PLAIN)
    now = path.read_bytes()
    added = len(now) - len(FOREIGN)
    starts = next(i for i in range(len(now)) if now[i] != FOREIGN[i])
    assert now[:starts] + now[starts + added :] == FOREIGN


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_bytes(b"{}\n")
    path = Path(layer(tmp_path).path)
    path.parent.mkdir()
    path.symlink_to(target)
    settings.install(layer(tmp_path), PLAIN)
    assert path.is_symlink() and b"ralph-hooks" in target.read_bytes()
    settings.uninstall(layer(tmp_path))
    assert path.is_symlink() and target.read_bytes() == b"{}\n"


def test_the_backup_is_the_first_original(tmp_path: Path) -> None:
    path = put(tmp_path, b'{"a": 1}')
    backup = Path(str(path) + writer.BACKUP)
    settings.install(layer(tmp_path), PLAIN)
    assert backup.read_bytes() == b'{"a": 1}'
    path.write_bytes(path.read_bytes().replace(b'"a": 1', b'"a": 2'))
    settings.install(layer(tmp_path), entries.claude(900))
    assert backup.read_bytes() == b'{"a": 1}'
    settings.uninstall(layer(tmp_path))
    assert path.read_bytes() == b'{"a": 2}' and backup.exists()


REFUSED = [
    (b'{\n  "a": 1,\n}', "claude", ":2:9`: not JSON: a comma before `}`"),
    (b"{\n  // mine\n}", "claude", ":2:3`: not JSON: a comment, which JSON does not have"),
    (b'{"hooks": {"PreToolUse": [{"matcher": {}, "hooks": []}]}}', "claude", "matcher` must be a string"),
    (b'{"hooks": []}', "claude", "`hooks` must be an object"),
    (b"\xef\xbb\xbf{}", "codex", "byte order mark"),
    (b'{"Stop": []}', "codex", "Codex knows no key `Stop` here"),
]


@pytest.mark.parametrize(("data", "client", "words"), REFUSED)
@pytest.mark.parametrize("act", ["install", "uninstall"])
def test_what_the_client_ignores_is_left_alone(tmp_path: Path, data: bytes, client: str, words: str, act: str) -> None:
    path = put(tmp_path, data, client)
    before = (path.stat().st_mtime_ns, tree(tmp_path))
    with pytest.raises(RalphError) as caught:
        if act == "install":
            settings.install(layer(tmp_path, client), PLAIN)
        else:
            settings.uninstall(layer(tmp_path, client))
    assert words in caught.value.message
    assert "itself ignores this file now" in caught.value.message and caught.value.exit_code == 1
    assert (path.stat().st_mtime_ns, tree(tmp_path)) == before


def test_utf_16_is_left_alone(tmp_path: Path) -> None:
    put(tmp_path, "{}".encode("utf-16"))
    with pytest.raises(RalphError, match="UTF-16"):
        settings.install(layer(tmp_path), PLAIN)


def test_a_dry_run_writes_nothing_and_shows_the_diff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, b'{\n  "a": 1\n}')
    before = tree(tmp_path)
    change = settings.install(layer(tmp_path), PLAIN, dry_run=True)
    assert tree(tmp_path) == before
    shown = settings.diff(change)
    assert shown.startswith("--- .claude/settings.json\n+++ .claude/settings.json\n@@")
    assert '+            "_id": "ralph-hooks"\n' in shown and '-  "a": 1\n' in shown
    assert shown.count("\\ No newline at end of file") == 1


def test_someone_elses_change_in_between_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, b'{"a": 1}')
    real = os.fsync
    pending = [b'{"a": 2}', b'{"a": 3, "hooks": {}}']

    def fsync(fd: int) -> None:
        real(fd)
        if pending:
            path.write_bytes(pending.pop(0))

    monkeypatch.setattr(os, "fsync", fsync)
    settings.install(layer(tmp_path), PLAIN)
    assert json.loads(path.read_bytes())["a"] == 3
    assert settings.entries_in(layer(tmp_path)) == PLAIN
    assert not list(path.parent.glob("*.tmp"))


def test_a_file_that_appears_in_between_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(layer(tmp_path).path)
    real = os.link
    raced: list[int] = []

    def link(source: str, target: str) -> None:
        if not raced:
            raced.append(path.write_bytes(b'{"mine": true}'))
        real(source, target)

    monkeypatch.setattr(os, "link", link)
    settings.install(layer(tmp_path), PLAIN)
    assert json.loads(path.read_bytes())["mine"] is True
    assert settings.entries_in(layer(tmp_path)) == PLAIN


def test_a_file_that_never_stands_still_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, b'{"a": 0}')
    real = os.fsync

    def fsync(fd: int) -> None:
        real(fd)
        path.write_bytes(path.read_bytes() + b" ")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(RalphError, match="changes faster than it can be edited"):
        settings.install(layer(tmp_path), PLAIN)
    assert path.read_bytes().rstrip() == b'{"a": 0}'


def _install_many(root: str, seconds: int, rounds: int) -> None:
    for _ in range(rounds):
        settings.install(layer(Path(root)), entries.claude(seconds))
        settings.uninstall(layer(Path(root)))


def test_two_at_once(tmp_path: Path) -> None:
    put(tmp_path, FOREIGN)
    context = multiprocessing.get_context("fork")
    racers = [context.Process(target=_install_many, args=(str(tmp_path), n, 15)) for n in (600, 660)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join(60)
    assert [racer.exitcode for racer in racers] == [0, 0]
    settings.uninstall(layer(tmp_path))
    assert Path(layer(tmp_path).path).read_bytes() == FOREIGN


def test_a_lock_that_is_held_is_waited_for_in_finite_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, b"{}")
    monkeypatch.setattr(writer, "LOCK_SECONDS", 0.2)
    with (
        writer._locked(layer(tmp_path).path),
        pytest.raises(RalphError, match="another `ralph-hooks` has been changing"),
    ):
        context = multiprocessing.get_context("fork")
        with context.Pool(1) as pool:
            pool.apply(settings.install, (layer(tmp_path), PLAIN))


@pytest.mark.parametrize("there", [True, False], ids=["file", "no file"])
def test_killed_at_any_call_leaves_old_bytes_or_new(tmp_path: Path, there: bool) -> None:
    """The process dies by KILL right before its n-th system call that could change anything, for every n."""
    new = None
    for n in range(1, 60):
        root = tmp_path / str(n)
        root.mkdir()
        if there:
            put(root, FOREIGN)
        done = subprocess.run([sys.executable, "-c", KILLED, str(root), str(n)], check=False)
        path = Path(layer(root).path)
        got = path.read_bytes() if path.exists() else None
        if done.returncode == 0:
            new = got
            break
        assert done.returncode == -9
        assert got == (FOREIGN if there else None) or settings.entries_in(layer(root)) == PLAIN
        settings.install(layer(root), PLAIN)
        settings.uninstall(layer(root))
        assert not list(root.rglob("*.tmp"))
        assert (path.read_bytes() if path.exists() else None) == (FOREIGN if there else None)
    assert n > 8 and new is not None


KILLED = """
import os, signal, sys
from ralph_hooks.install import entries, settings
left = int(sys.argv[2])
def deadly(name):
    real = getattr(os, name)
    def call(*args, **kwargs):
        global left
        if isinstance(args[0], int) and args[0] == 2:
            return real(*args, **kwargs)
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    setattr(os, name, call)
place = settings.layers("claude", sys.argv[1])[0]
for name in ("open", "write", "fchmod", "fsync", "close", "link", "replace", "unlink", "mkdir", "makedirs"):
    deadly(name)
settings.install(place, entries.claude(660))
"""


def test_no_write_permission_is_one_sentence(tmp_path: Path) -> None:
    path = put(tmp_path, b"{}")
    before = tree(tmp_path)
    home = tmp_path / "state"
    home.mkdir(mode=0o777)
    home.chmod(0o777)
    path.parent.chmod(0o555)
    for parent in [tmp_path, *tmp_path.parents]:
        if parent == Path(tempfile.gettempdir()):
            break
        parent.chmod(parent.stat().st_mode | 0o055)
    env = os.environ | {"XDG_STATE_HOME": str(home), "HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, str(tmp_path)], capture_output=True, text=True, env=env, check=False
    )
    path.parent.chmod(0o755)
    assert "cannot be changed: Permission denied" in done.stdout, done.stderr
    assert {key: value for key, value in tree(tmp_path).items() if not key.startswith("state")} == before


AS_NOBODY = """
import os, sys
from ralph_hooks.errors import RalphError
from ralph_hooks.install import entries, settings
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    settings.install(settings.layers("claude", sys.argv[1])[0], entries.claude(660))
except RalphError as error:
    print(error.message)
"""


def test_homes_of_the_clients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/c")
    monkeypatch.setenv("CODEX_HOME", "/x")
    assert [place.path for place in settings.layers("claude", "/r")] == [
        "/r/.claude/settings.json",
        "/r/.claude/settings.local.json",
        "/c/settings.json",
    ]
    assert [place.path for place in settings.layers("codex", "/r")] == ["/r/.codex/hooks.json", "/x/hooks.json"]
    with pytest.raises(RalphError, match="Codex has no `local` settings"):
        settings.layer("codex", "local", "/r")


@pytest.mark.parametrize("kind", ["pipe", "null"])
def test_what_is_no_regular_file_is_left_alone(tmp_path: Path, kind: str) -> None:
    """Somebody links `/dev/null` there to keep a client quiet; root could replace it for the whole machine."""
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/null")
    with pytest.raises(RalphError, match="is no regular file"):
        settings.install(settings.layer("claude", "project", str(tmp_path)), entries.claude(660), dry_run=True)
    assert path.is_fifo() or path.is_char_device()
