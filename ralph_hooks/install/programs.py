"""What is known of single programs: which wait for changes for ever, and which flags make them unable to fail."""

from __future__ import annotations

import re

WATCH_HINT = "the check must end by itself"
MASK_HINT = "leave that out: the exit code is what decides"
Reason = tuple[str, str]


def runs_for_ever(program: str, args: list[str], assigned: dict[str, str]) -> Reason | None:
    """Watch mode, by program and arguments; `assigned` are the variables set on the same line."""
    words = " ".join(args)
    watch = re.search(r"(?:^| )--?(?:watch|watchAll|w)(?:=true)?(?: |$)", words)
    off = re.search(r"--(?:no-watch|run|watchAll=false|watch=false|single-run|ci)\b", words)
    if program == "vitest" and not off and not {"run", "list", "related"} & set(args):
        return "`vitest` waits for changes for ever", "use `vitest run`"
    if program == "ng" and args[:1] == ["test"] and not off:
        return "`ng test` waits for changes for ever", "use `ng test --watch=false`"
    if program == "react-scripts" and args[:1] == ["test"] and not off and assigned.get("CI", "") in ("", "false"):
        return "`react-scripts test` waits for changes for ever", "use `CI=true react-scripts test`"
    if program == "karma" and args[:1] == ["start"] and not off:
        return "`karma start` waits for changes for ever", "use `karma start --single-run`"
    if program in ("nodemon", "ptw", "pytest-watch", "watchexec", "entr", "guard", "watch", "chokidar"):
        return f"`{program}` waits for changes for ever", WATCH_HINT
    if (program, *args[:1]) in (("cargo", "watch"), ("dotnet", "watch"), ("mix", "test.watch")):
        return f"`{program} {args[0]}` waits for changes for ever", WATCH_HINT
    if program in ("gradle", "gradlew") and {"-t", "--continuous"} & set(args):
        return f"`{program} --continuous` waits for changes for ever", WATCH_HINT
    if (
        program in ("jest", "mocha", "ava", "node", "deno", "bun", "tsc", "react-scripts", "npm", "pnpm", "yarn")
        and watch
    ):
        return f"`{program} {watch.group().strip()}` waits for changes for ever", WATCH_HINT
    return None


def cannot_fail(program: str, args: list[str]) -> Reason | None:
    """Flags under which a runner tests nothing, or fails at nothing."""
    for programs, flags, words in (
        (("pytest", "py.test"), ("--collect-only", "--co"), "only lists the tests"),
        (("cargo",), ("--no-run",), "only builds the tests"),
        (("ctest",), ("-N", "--show-only"), "only lists the tests"),
        (
            ("mvn", "mvnw"),
            ("-fn", "--fail-never", "-Dmaven.test.failure.ignore=true", "-Dmaven.test.failure.ignore"),
            "never fails",
        ),
        (
            ("mvn", "mvnw"),
            ("-DskipTests", "-DskipTests=true", "-Dmaven.test.skip=true", "-Dmaven.test.skip"),
            "runs no tests",
        ),
        (("make", "gmake"), ("-i", "--ignore-errors", "-n", "--dry-run"), "ignores failures"),
    ):
        used = [flag for flag in args if flag in flags]
        if program in programs and used:
            return f"`{program} {used[0]}` {words}", MASK_HINT
    return None
