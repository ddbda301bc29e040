"""A real PostgreSQL for tests: the one that RALPH_HOOKS_TEST_DATABASE_URL names, or a server of our own on loopback.

Under CI a missing server is a failure, elsewhere a skip that says why.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

URL = "RALPH_HOOKS_TEST_DATABASE_URL"
PLACES = ("/usr/local/bin", "/usr/lib/postgresql/*/bin", "/opt/homebrew/bin")


@contextmanager
def server() -> Iterator[str]:
    """A URL of a server whose user may create databases."""
    given = os.environ.get(URL)
    if given:
        yield given
        return
    initdb, postgres = _program("initdb"), _program("postgres")
    if not initdb or not postgres:
        _absent(f"PostgreSQL is not installed and {URL} is not set")
    folder = Path(tempfile.mkdtemp(prefix="ralph-pg-", dir="/tmp"))
    user = _other_user(folder)
    try:
        done = subprocess.run(
            [*user, initdb, "-D", folder / "data", "-U", "ralph", "-A", "trust", "-E", "UTF8", "--no-sync"],
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
        )
        assert done.returncode == 0, done.stderr
        port = _free_port()
        options = ["-D", str(folder / "data"), "-h", "127.0.0.1", "-p", str(port), "-k", str(folder), "-F"]
        with (
            (folder / "log").open("wb") as log,
            subprocess.Popen([*user, postgres, *options], stderr=log, cwd="/") as pg,
        ):
            try:
                url = f"postgresql://ralph@127.0.0.1:{port}/postgres"
                _wait_for(url)
                yield url
            finally:
                pg.terminate()
                pg.wait(30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def database(server_url: str) -> Iterator[str]:
    """A new empty database; its URL."""
    name = f"ralph_{secrets.token_hex(6)}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    try:
        yield f"{server_url.rpartition('/')[0]}/{name}"
    finally:
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def _absent(why: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


def _program(name: str) -> str:
    found = shutil.which(name)
    if found:
        return found
    return next((str(path) for place in PLACES for path in sorted(Path("/").glob(f"{place[1:]}/{name}"))), "")


def _other_user(folder: Path) -> list[str]:
    """PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return []
    shutil.chown(folder, "nobody", "nogroup")
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            assert time.monotonic() < deadline, "PostgreSQL did not come up"
            time.sleep(0.1)
        else:
            return
