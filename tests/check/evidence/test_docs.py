"""`docs/evidence.md` names every runner and every version that was recorded."""

from __future__ import annotations

import json
import re

from ralph_hooks.check.evidence.registry import RUNNERS
from tests.check.evidence.recorded import RECORDINGS
from tests.support.project import REPOSITORY

TEXT = (REPOSITORY / "docs/evidence.md").read_text(encoding="utf-8")
BESIDE = {"php", "python", "mvn"}  # what a recorded runner ran on


def test_every_runner_has_its_row() -> None:
    rows = [line for line in TEXT.split("\n") if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == [name for name, _ in RUNNERS]


def test_every_recorded_version_is_named() -> None:
    for path in sorted(RECORDINGS.glob("*/record.json")):
        versions = json.loads(path.read_text(encoding="utf-8")).get("versions", {})
        for name, text in versions.items():
            number = re.search(r"\d+\.\d+(?:\.\d+)?", text)
            assert name in BESIDE or (number is not None and number[0] in TEXT), f"{path.parent.name}: {name} {text}"
