"""The docs show the very entries that are written, and every option of the verbs."""

from __future__ import annotations

import re

import click
import pytest

from ralph_hooks.cli import install, uninstall
from ralph_hooks.install import entries, surgery
from tests.support.project import REPOSITORY


@pytest.mark.parametrize(
    ("page", "wanted"), [("claude-code", entries.claude(660)), ("codex", entries.codex(660))], ids=["claude", "codex"]
)
def test_the_entry_is_the_one_that_is_written(page: str, wanted: list[surgery.Entry]) -> None:
    text = (REPOSITORY / "docs" / f"{page}.md").read_text()
    shown = re.search(r"<!-- entry -->\n```json\n(.*?)```\n<!-- end -->", text, re.S)
    assert shown and shown.group(1) == surgery.insert(None, wanted)


@pytest.mark.parametrize("command", [install.command, uninstall.command], ids=["install", "uninstall"])
def test_every_option_is_in_the_docs(command: click.Command) -> None:
    text = (REPOSITORY / "docs" / "install.md").read_text()
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    named = [(*option.opts, *option.secondary_opts) for option in options]
    assert [names for names in named if not any(f"`{name}" in text or f" {name}" in text for name in names)] == []


def test_links_lead_somewhere() -> None:
    pages = ("install", "claude-code", "codex", "plugin", "monorepos", "troubleshooting", "comparison", "ecosystems")
    for page in pages:
        for target in re.findall(r"\]\(([\w./-]+\.md)\)", (REPOSITORY / "docs" / f"{page}.md").read_text()):
            assert (REPOSITORY / "docs" / target).exists() or target in ("loop.md", "mcp.md"), f"{page}: {target}"
