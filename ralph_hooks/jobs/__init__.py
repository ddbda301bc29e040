"""Background jobs of generations on DBOS: start, status, wait, cancel, resume, and the worker (E9 to E12)."""
