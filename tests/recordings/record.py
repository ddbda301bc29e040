"""Run the real runners over the small projects and keep what they print.

    python tests/recordings/record.py pytest [case …] [--tools DIR]

`tests/recordings/<runner>/record.json` says what to install and which commands to run in which project of
`tests/projects/<runner>/` (`other/name` is a project of another runner). What they print goes to `<case>.txt` beside it; exit code (or minus the signal number)
and the versions go back into the JSON. Paths of this machine are replaced by neutral ones. Nothing is installed into
the repository: tools live in `--tools` (default: a directory of the temporary one).

record.json: {"versions": {name: text}, "tools": {"npm": [..], "pip": [..], "versions": {name: argv}},
"variants": {name: another "tools"}, "cases": {case: {"project": name, "run": argv, "env": {..}, "variant": name,
"exit": code}}}
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

RECORDINGS = Path(__file__).resolve().parent
PROJECTS = RECORDINGS.parent / "projects"
DROPPED = ("CLAUDE", "CODEX", "ANTHROPIC", "AI_AGENT", "GIT_", "PY", "VITEST", "JEST", "NODE_", "npm_", "COLOR")

RUST = {"RUSTUP_HOME": ".rustup", "CARGO_HOME": ".cargo"}  # rustup finds its toolchains there, whatever HOME is


def environment(tools: Path) -> dict[str, str]:
    """Like the environment of a check: CI, no colours, the tools first on PATH."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(DROPPED)}
    path = os.pathsep.join([str(tools / "venv/bin"), str(tools / "node_modules/.bin"), env["PATH"]])
    rust = {name: os.environ.get(name, str(Path.home() / below)) for name, below in RUST.items()}
    return env | rust | {"PATH": path, "CI": "1", "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}


def install(tools: Path, wanted: dict[str, list[str]]) -> None:
    """Install what the runner needs, once per tools directory."""
    done = tools / "installed.json"
    if done.exists() and json.loads(done.read_text()) == wanted:
        return
    tools.mkdir(parents=True, exist_ok=True)
    if wanted.get("npm"):
        (tools / "package.json").write_text("{}")
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", *wanted["npm"]], cwd=tools, check=True)
    if wanted.get("pip"):
        subprocess.run([sys.executable, "-m", "venv", "venv"], cwd=tools, check=True)
        subprocess.run(["venv/bin/pip", "install", "-q", *wanted["pip"]], cwd=tools, check=True)
    done.write_text(json.dumps(wanted))


def run_case(project: Path, argv: list[str], tools: Path, extra: dict[str, str]) -> tuple[int, str]:
    """Run one command in a fresh copy of the project: exit code and its output with neutral paths."""
    with tempfile.TemporaryDirectory(prefix="record-") as scratch:
        work = Path(scratch).resolve() / "project"
        shutil.copytree(project, work)
        if (tools / "node_modules").exists():
            (work / "node_modules").symlink_to(tools / "node_modules")
        env = environment(tools) | {"HOME": scratch} | extra
        done = subprocess.run(
            argv, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            check=False, timeout=600,
        )  # fmt: skip
        return done.returncode, neutral(done.stdout, work, tools)


def neutral(output: bytes, work: Path, tools: Path) -> str:
    """The output with the paths of this machine replaced."""
    text = output.decode("utf-8", "surrogateescape").replace(os.path.relpath(tools, work), "../tools")
    for path, name in ((work, "/project"), (tools / "venv", "/tools/venv"), (tools, "/tools"), (sys.prefix, "/python")):
        text = text.replace(str(path), name)
    text = text.replace(str(work.parent), "/scratch")
    text = re.sub(rf"\b{re.escape(os.uname().nodename)}\b", "host", text)
    return re.sub(re.escape(str(Path.home())) + r"(?=/)", "/home/dev", text) if Path.home() != Path("/") else text


def prepare(tools: Path, needs: dict[str, Any], versions: dict[str, str]) -> None:
    """Install what is needed and note the versions that run."""
    install(tools, {kind: names for kind, names in needs.items() if kind != "versions"})
    for name, argv in needs.get("versions", {}).items():
        done = subprocess.run(
            argv, cwd=tools, env=environment(tools), capture_output=True, text=True, check=False, timeout=120
        )
        versions[name] = (done.stdout + done.stderr).strip().split("\n")[0]


def record(runner: str, wanted: list[str], tools: Path) -> None:
    """Record the cases of one runner, all of them unless some are named."""
    folder = RECORDINGS / runner
    book = json.loads((folder / "record.json").read_text())
    places = {"": tools} | {name: tools / name for name in book.get("variants", {})}
    for name, place in places.items():
        prepare(place, book["variants"][name] if name else book.get("tools", {}), book.setdefault("versions", {}))
    for case, row in book["cases"].items():
        if wanted and case not in wanted:
            continue
        place = places[row.get("variant", "")]
        project = PROJECTS / (row["project"] if "/" in row["project"] else f"{runner}/{row['project']}")
        code, text = run_case(project, row["run"], place, row.get("env", {}))
        row["exit"] = code
        (folder / f"{case}.txt").write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
        print(f"{runner}/{case}: exit {code}, {len(text)} characters")
    (folder / "record.json").write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Parse the arguments and record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("runner")
    parser.add_argument("case", nargs="*")
    parser.add_argument("--tools", type=Path, default=None, help="where tools are installed, one directory per runner")
    options = parser.parse_args()
    tools = options.tools or Path(tempfile.gettempdir()) / "ralph-hooks-tools"
    record(options.runner, options.case, (tools / options.runner).resolve())


if __name__ == "__main__":
    main()
