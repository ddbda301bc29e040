"""Jobs run in processes of their own; none may outlive its test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support import postgres
from tests.support.jobs import JobProject, make_job_project

MakeJobs = Callable[..., JobProject]


@pytest.fixture(scope="session")
def pg_server() -> Iterator[str]:
    """One PostgreSQL server for the whole session."""
    with postgres.server() as url:
        yield url


on_both = pytest.mark.parametrize(
    "database_url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The database of the test: "" = the SQLite file of its own home, unless `on_both` says more."""
    if getattr(request, "param", "sqlite") == "sqlite":
        yield ""
        return
    with postgres.database(request.getfixturevalue("pg_server")) as url:
        yield url


@pytest.fixture
def jobs(tmp_path: Path, database_url: str) -> Iterator[MakeJobs]:
    """Makes job projects; afterwards nothing of them is left running."""
    made: list[JobProject] = []

    def make(goal: int, *, agent_seconds: float = 0) -> JobProject:
        one = make_job_project(tmp_path / f"p{len(made)}" / "project", goal, agent_seconds=agent_seconds)
        if database_url:
            one.env["RALPH_HOOKS_DATABASE_URL"] = database_url
        made.append(one)
        return one

    yield make
    for one in made:
        one.stop()
