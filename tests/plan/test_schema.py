"""The schema, the dataclasses and docs/config.md name the same keys, defaults and ranges."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from ralph_hooks.plan import schema
from ralph_hooks.plan.config import Check, Config
from ralph_hooks.plan.load import parse
from tests.plan.test_compiled import SET
from tests.support.project import REPOSITORY, make_project

DOCS = REPOSITORY / "docs" / "config.md"
IGNORE_NOTE = "dev servers, watchers, tails: the list below"


def table(section: str) -> str:
    """The table of docs/config.md for one section."""
    lines = ["| key | default | value | meaning |", "| --- | --- | --- | --- |"]
    for row in schema.rows():
        if row.section == section:
            lines.append(f"| `{row.key}` | {shown(row)} | {row.words.replace('|', '/')} | {row.meaning} |")
    return "\n".join(lines) + "\n" + (ignored() if section == "background" else "")


def shown(row: schema.Row) -> str:
    if row.default is schema.UNSET:
        return "required"
    if row.key == "ignore":
        return IGNORE_NOTE
    text = json.dumps(int(row.default) if isinstance(row.default, float) and row.default > 1 else row.default)
    return f"`{text}`"


def ignored() -> str:
    patterns = "\n".join(Config().background.ignore)
    return f"\nThe default of `ignore`, one pattern a line:\n\n```text\n{patterns}\n```\n"


@pytest.mark.parametrize("section", schema.sections())
def test_the_docs_hold_the_table_of_every_section(section: str) -> None:
    assert table(section) in DOCS.read_text(), f"docs/config.md should hold:\n\n{table(section)}"


def test_the_example_in_the_docs_is_valid() -> None:
    example = DOCS.read_text().split("```toml\n")[1].split("```")[0]
    assert [check.name for check in parse(example, "ralph-hooks.toml").check] == ["pytest -q", "types"]


def test_every_key_has_a_meaning_and_a_default() -> None:
    made = schema.schema()
    Draft202012Validator.check_schema(made)
    assert made["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    for name, section in schema.sections().items():
        properties = made["$defs"][section.__name__]["properties"]
        assert set(properties) == {field.name for field in dataclasses.fields(section)}, name
        for key, default in schema.defaults(section).items():
            assert properties[key]["description"], key
            assert properties[key].get("default", schema.UNSET) == default, key


def test_defaults_are_what_the_loader_gives() -> None:
    assert {(row.section, row.key): row.default for row in schema.rows() if row.section != "check"} == {
        (name, key): value
        for name, section in dataclasses.asdict(parse("", "ralph-hooks.toml")).items()
        if name != "check"
        for key, value in section.items()
    }
    assert dataclasses.asdict(Check(run="x")) == schema.defaults(Check) | {"run": "x"}


AGREE = {
    "everything set": (SET, True),
    "nothing set": ("", True),
    "unknown key": ("[gate]\nx = 1\n", False),
    "number as text": ("[budget]\nstall = '3'\n", False),
    "out of range": ("[budget]\nmax_blocks = 0\n", False),
    "no run": ("[[check]]\nname = 'x'\n", False),
    "empty run": ("[[check]]\nrun = []\n", False),
}


@pytest.mark.parametrize(("text", "valid"), AGREE.values(), ids=AGREE.keys())
def test_schema_and_loader_agree(text: str, valid: bool) -> None:
    assert Draft202012Validator(schema.schema()).is_valid(tomllib.loads(text)) is valid
    if valid:
        parse(text, "ralph-hooks.toml")


def test_the_verb_prints_it(tmp_path: Path) -> None:
    done = make_project(tmp_path, repository=False).ralph("schema")
    assert (done.code, done.err, json.loads(done.out)) == (0, "", schema.schema())
