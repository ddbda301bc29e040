"""How a running loop is shown: a live table, a line per event, or JSON lines. Each is an `Events`."""
