"""What a runner reported: one module per runner with `matches(words)` and `parse(text)`; see `docs/evidence.md`."""
