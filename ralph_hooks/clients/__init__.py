"""One module for each coding agent: how its events look and what it wants to hear."""
