"""Environments in which a real client talks to a scripted model and to nothing else."""

from __future__ import annotations

import os

CLOSED = "http://127.0.0.1:9"
CODEX_CONFIG = """\
model = "gpt-5"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
"""


def claude_env(url: str, home: str) -> dict[str, str]:
    """Variables for Claude Code: its own config below `home`, a dummy key, no retries, no updates, no telemetry.

    `IS_SANDBOX` lets root use `--dangerously-skip-permissions`; these runs see only scratch directories.
    """
    return {
        **alone(home),
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CONFIG_DIR": os.path.join(home, "claude"),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
        "IS_SANDBOX": "1",
    }


def codex_env(url: str, home: str, *, trusted: tuple[str, ...] = ()) -> dict[str, str]:
    """Variables for Codex, and its `config.toml` below `home` with trust for these project directories."""
    place = os.path.join(home, "codex")
    os.makedirs(place, exist_ok=True)
    trust = [f'[projects.{_quoted(path)}]\ntrust_level = "trusted"\n' for path in trusted]
    with open(os.path.join(place, "config.toml"), "w", encoding="utf-8") as config:
        config.write(CODEX_CONFIG.format(url=url) + "".join(trust))
    return {**alone(home), "CODEX_HOME": place, "SCRIPTED_KEY": "dummy"}


def alone(home: str) -> dict[str, str]:
    """Its own home and temporary directory; whatever a client tries to reach beside loopback fails at once."""
    temporary = os.path.join(home, "tmp")
    os.makedirs(temporary, exist_ok=True)
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), CLOSED)
    return {"HOME": home, "TMPDIR": temporary, **proxies, "NO_PROXY": "127.0.0.1,localhost"}


def _quoted(path: str) -> str:
    """A TOML basic string."""
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
