"""Programs that start another program: their options that take a value, so that the command behind them is found."""

from __future__ import annotations

import re

SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash"})
KEYWORDS = frozenset(
    {
        "if", "then", "elif", "else", "do", "while", "until", "!", "time", "exec", "command", "builtin", "{",
        "nohup", "setsid", "caffeinate",
    }
)  # fmt: skip
OPTIONS: dict[str, set[str]] = {
    "env": {"-u", "-C", "-S"}, "nice": {"-n"}, "ionice": {"-c", "-n"}, "stdbuf": {"-i", "-o", "-e"},
    "timeout": {"-k", "-s"}, "sudo": {"-u", "-g"}, "xvfb-run": {"-s", "-n", "-e", "-f"}, "unbuffer": set(),
    "cross-env": set(), "cross-env-shell": set(), "dotenv": {"-e", "-f", "-v", "-p"}, "bunx": set(), "pnpx": set(),
    "npx": {"-p", "--package", "-w", "--workspace"}, "nyc": {"-r", "--reporter", "--require"},
    "c8": {"-r", "--reporter"}, "corepack": set(), "pnpm": {"-C", "--dir", "-F", "--filter"}, "yarn": {"--cwd"},
}  # fmt: skip
_UV = {
    "--with", "--with-editable", "--with-requirements", "--extra", "--group", "--only-group", "--no-group", "--package",
    "-p", "--python", "--project", "--directory", "--env-file", "--index", "--index-url", "--config-file", "--no-extra",
}  # fmt: skip
_COVERAGE = {"--source", "--rcfile", "--data-file", "--include", "--omit", "--context", "--concurrency", "--debug"}
_CONDA = {"-n", "-p", "--name", "--prefix"}
# Looked up before OPTIONS: program and subcommand together.
SUBCOMMANDS: dict[tuple[str, str], set[str]] = {
    ("uv", "run"): _UV, ("poetry", "run"): set(), ("pdm", "run"): {"-p"}, ("pipenv", "run"): set(),
    ("rye", "run"): set(), ("hatch", "run"): set(), ("pixi", "run"): {"-e", "--environment", "--manifest-path"},
    ("conda", "run"): _CONDA, ("mamba", "run"): _CONDA, ("micromamba", "run"): _CONDA, ("coverage", "run"): _COVERAGE,
    ("npm", "exec"): {"-p", "--package", "-w"}, ("npm", "x"): {"-p", "--package"}, ("pnpm", "exec"): set(),
    ("pnpm", "dlx"): set(), ("yarn", "exec"): set(), ("yarn", "run"): set(), ("yarn", "dlx"): {"-p"},
    ("bun", "x"): set(), ("bundle", "exec"): set(), ("mise", "exec"): set(), ("mise", "x"): set(),
    ("dotenv", "run"): set(), ("doppler", "run"): {"-p", "-c"}, ("op", "run"): {"--env-file"},
}  # fmt: skip
PYTHON = re.compile(r"(?:(?:python|pypy)[\d.]*|\$[{(]?PY(?:THON)?\d?(?::-[^}]*)?[})]?)$")
PYTHON_OPTIONS = {"-W", "-X", "--check-hash-based-pycs"}
NODE_OPTIONS = {
    "-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file",
}  # fmt: skip
