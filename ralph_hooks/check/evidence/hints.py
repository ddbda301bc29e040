"""What spares an import: compiling the patterns of all runners takes longer than a small suite.

For each runner the programs that may start it, and texts of which one stands in any output that names a failure of
it. A runner that is missing here is always asked; a test holds both against all recordings.
"""

from __future__ import annotations

PROGRAMS: dict[str, tuple[str, ...]] = {
    "pytest": ("pytest", "py.test", "hatch", "rye"),
    "unittest": ("unittest", "nose2", "python", "python3", "pypy", "manage.py", "django-admin", "django"),
    "node": ("node", "tsx", "c8"),
    "jest": ("jest", "react-scripts", "craco", "react-app-rewired"),
    "vitest": ("vitest",),
    "mocha": ("mocha", "_mocha", "electron-mocha", "ts-mocha", "mochapack", "mocha-parallel-tests"),
    "tap": ("tap", "tape", "bats", "tap-spec", "faucet", "ava"),
    "go": ("go",),
    "nextest": ("cargo", "cargo-nextest", "cross"),
    "cargo": ("cargo", "cross"),
    "rspec": ("rspec", "parallel_rspec", "turbo_tests"),
    "phpunit": ("php", "phpunit", "phpunit.phar", "paratest", "simple-phpunit", "pest"),
    "ctest": ("ctest",),
    "prove": ("prove",),
    "surefire": ("mvn", "mvnw", "mvnd"),
    "gradle": ("gradle", "gradlew"),
    "dotnet": ("dotnet",),
}
MARKS: dict[str, tuple[str, ...]] = {
    "pytest": (" failed", " error", "short test summary info", "test session starts", "while loading conftest"),
    "unittest": ("\nRan ",),
    "node": (" tests ", "TAP version 13"),
    "jest": ("Test Suites:", "process.exit called with"),
    "vitest": (" Test Files  ", " RUN  v"),
    "mocha": (" passing (", "Exception during run:", "Cannot find module"),
    "tap": ("not ok", "TAP version", "1..", "Bail out!"),
    "go": ("--- FAIL", '"Action":"', "FAIL\t"),
    "nextest": (" Summary [", "could not compile"),
    "cargo": ("test result: ", "could not compile", "\nrunning "),
    "rspec": (" example", " occurred "),
    "phpunit": ("PHPUnit", "Tests: ", "FAILURES", "ERRORS"),
    "ctest": ("% tests passed",),
    "prove": ("Result: ",),
    "surefire": ("Tests run: ", "COMPILATION ERROR", "Failed to execute goal"),
    "gradle": ("BUILD FAILED", " FAILED\n", "tests completed"),
    "dotnet": ("Failed!", "Test Run", "summary", "error ", "Build FAILED", "Build failed", "Restore failed"),
}


def may_start(runner: str, program: str) -> bool:
    """Whether this program may start this runner; versions such as `python3.12` count as their program."""
    programs = PROGRAMS.get(runner)
    return programs is None or program in programs or program.rstrip("0123456789.") in programs


def may_have_spoken(runner: str, output: str) -> bool:
    """Whether this output may name a failure of this runner."""
    marks = MARKS.get(runner)
    return marks is None or any(mark in output for mark in marks)
