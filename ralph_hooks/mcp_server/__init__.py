"""The same functions as MCP tools, over stdio (E16, F23)."""
