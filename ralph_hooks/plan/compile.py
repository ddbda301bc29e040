"""From the config's text to the plan that the hook reads. Imported only when the text is new."""

from __future__ import annotations

import dataclasses
import json

from ralph_hooks import fastjson, files
from ralph_hooks.plan import load
from ralph_hooks.plan.compiled import digest_of
from ralph_hooks.plan.config import Config


def compile_plan(config_path: str, form: str) -> dict[str, str]:
    """What `plan.json` holds. Raises `ConfigError`."""
    return compile_text(load.read_text(config_path), config_path, form)


def compile_text(text: str, config_path: str, form: str) -> dict[str, str]:
    """The same for a text that need not be on disk any more."""
    plan = canonical(load.parse(text, config_path))
    return {"format": form, "path": config_path, "text": text, "digest": digest_of(plan), "plan": plan}


def canonical(config: Config) -> str:
    """The config as JSON that is the same for equal configs, whichever keys were written out."""
    return json.dumps(dataclasses.asdict(config), sort_keys=True, separators=(",", ":"))


def store(path: str, packed: dict[str, str]) -> None:
    """Keep the plan; where the state cannot be written, the next reader compiles again."""
    try:
        files.write_state(path, fastjson.dumps(packed).encode())
    except OSError:
        pass
