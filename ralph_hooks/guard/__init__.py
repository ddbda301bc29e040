"""What the agent may not do to the gate: person-only verbs, the seal's verb, the guard's hook events."""
