"""ConfigChange (T2): the client takes edited settings in the very turn; exit 2 keeps the old ones in force."""

from __future__ import annotations

from typing import Any

from ralph_hooks import fastjson
from ralph_hooks.clients.reply import Reply
from ralph_hooks.gate.event import Event
from ralph_hooks.gate.root import session_name
from ralph_hooks.guard import baseline
from ralph_hooks.install import settings
from ralph_hooks.install.approve import facts_of, has_token
from ralph_hooks.plan.locate import Project

MARKER = "ralph-hooks: settings change refused, see standard error\n"
SOURCES = {"project_settings": "project", "local_settings": "local", "user_settings": "user"}
WAY_OUT = "A person can make this change and run `ralph-hooks seal`."


def judge(event: Event, project: Project) -> Reply | None:
    """Refuse what would switch us off or replace us; let everything else pass."""
    scope = SOURCES.get(str(event.data.get("source")))
    if scope is None:
        return None
    layer = settings.layer("claude", scope, project.root)
    if has_token(project, layer.path):
        return None
    before = baseline.settings_before(project, session_name(event.session)).get(layer.path)
    now = facts_of(layer)
    reasons = refusals(before or {}, now)
    if reasons:
        text = f"ralph-hooks: the change of `{layer.path}` was refused: {'; '.join(reasons)}. {WAY_OUT}\n"
        return Reply(2, MARKER, text)
    foreign = [hook for hook in now["stop_hooks"] if before is not None and hook not in before["stop_hooks"]]
    if foreign:
        words = f"ralph-hooks: a new Stop hook in `{layer.path}`: {foreign[0][:300]}"
        words += "; its `continue: false` would beat a block"
        return Reply(0, fastjson.dumps({"systemMessage": words}) + "\n")
    return None


def refusals(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Why this file may not become what it is now, in sentences. An unknown past is taken for empty."""
    found = []
    gone = [event for event, hook in before.get("entries", []) if [event, hook] not in now["entries"]]
    if gone:
        found.append(f"it removes or changes our entry for {', '.join(dict.fromkeys(gone))}")
    off = sorted(set(before.get("plugins", [])) - set(now["plugins"]))
    if off:
        found.append(f"it switches off the plugin {', '.join(off)}")
    if now["disabled"] and not before.get("disabled"):
        found.append("`disableAllHooks` would switch the gate off")
    old_env = before.get("env", {})
    changed = sorted(name for name in old_env.keys() | now["env"].keys() if old_env.get(name) != now["env"].get(name))
    if changed:
        found.append(f"`env` changes {', '.join(changed)}, which can replace the gate's program")
    return found
