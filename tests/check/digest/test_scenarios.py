"""Every scenario: the digest is stable, changes exactly when it must, and is that of a checkout never seen before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.check.digest.harness import make_tree
from tests.check.digest.scenarios import SCENARIOS, Scenario


@pytest.fixture(autouse=True)
def own_environment() -> Iterator[None]:
    before = dict(os.environ)
    yield
    for name in [name for name in os.environ if name not in before]:
        del os.environ[name]
    os.environ.update(before)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_digest_changes_exactly_when_the_content_does(scenario: Scenario, tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "the tree")
    steps = scenario.steps(tree)
    next(steps)
    before = tree.digest()
    assert len(before) == 40
    assert tree.digest() == before, "not stable"
    assert next(steps, "over") == "over"
    after = tree.digest(ahead=True)
    assert len(after) == 40
    assert (after != before) is scenario.differs
    assert tree.digest() == after, "not stable after the change"
    fresh = tree.digest_from_scratch(tmp_path / "state")
    assert (fresh == after) is not scenario.remembers, "the shadow's history shows"


def test_there_are_enough_scenarios() -> None:
    assert len(SCENARIOS) >= 62
