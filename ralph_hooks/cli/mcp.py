"""`ralph-hooks mcp`: serve the tools to an MCP client over stdio."""

from __future__ import annotations

import click


@click.command()
def command() -> int:
    """Serve the tools on standard input and output.

    For Claude Code: `claude mcp add ralph-hooks -- ralph-hooks mcp`, or `ralph-hooks install --mcp`.
    """
    from ralph_hooks.mcp_server.server import main

    return main()
