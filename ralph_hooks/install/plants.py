"""A failing test for each kind of test file that a project has, planted beside one that is there (I10).

A kind is a row of `KINDS`: the files to look for, and what makes a failing sibling out of one of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ralph_hooks.install import templates
from ralph_hooks.install.place import Place
from ralph_hooks.install.templates import fill

NAME = re.compile(r"ralph.?hooks.?canary", re.I)
LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Plant:
    """A file to write; `append` adds the text to one that is there."""

    path: str
    text: str
    append: bool = False


Maker = Callable[[str, str], "Plant | None"]


def plants(place: Place) -> list[Plant]:
    """The failing tests for this directory; none where no kind of test is known."""
    return [plant for plant in _made(place) if plant.append or not place.has(plant.path)]


def _made(place: Place) -> Iterator[Plant]:
    for patterns, make in KINDS:
        siblings = (sibling for pattern in patterns for sibling in place.find(pattern)[:LOOKED_AT])
        plant = next((made for sibling in siblings if (made := make(sibling, place.text(sibling)))), None)
        if plant:
            yield plant


def _beside(sibling: str, name: str) -> str:
    return os.path.join(os.path.dirname(sibling), name)


def _python(sibling: str, text: str) -> Plant | None:
    own = re.search(r"^(?:import|from) (?:unittest|django\.test)\b", text, re.M) and "pytest" not in text
    template = templates.UNITTEST if own else templates.PYTEST
    return Plant(_beside(sibling, "test_ralph_hooks_canary.py"), fill(template))


MODULES = {
    "vitest": "{ test }", "node:test": "test", "bun:test": "{ test }", "@jest/globals": "{ test }", "ava": "test",
}  # fmt: skip


def _script(sibling: str, text: str) -> Plant | None:
    """JavaScript and TypeScript: the framework and the module system are the sibling's own."""
    head = ""
    for module, imported in MODULES.items():
        if re.search(rf"""['"]{re.escape(module)}['"]""", text):
            required = f"const {imported} = require('{module}');"
            head = required if "require(" in text else f"import {imported} from '{module}';"
            break
    if "Deno.test" in text:
        call = "Deno.test"
    elif head or re.search(r"\btest\s*\(", text):
        call = "test"
    elif re.search(r"\b(?:it|describe)\s*\(", text):
        call = "it"
    else:
        return None
    ending = re.search(r"(?:[._-](?:test|spec))?\.[cm]?[jt]sx?$", os.path.basename(sibling))
    name = f"ralph-hooks-canary{ending.group() if ending else '.js'}"
    return Plant(_beside(sibling, name), fill(templates.SCRIPT, HEAD=head, CALL=call))


def _rust(sibling: str, text: str) -> Plant | None:
    crate = os.path.dirname(os.path.dirname(sibling))
    return Plant(os.path.join(crate, "tests", "ralph_hooks_canary.rs"), fill(templates.RUST))


def _go(sibling: str, text: str) -> Plant | None:
    package = re.search(r"^package (\w+)", text, re.M)
    if not package:
        return None
    return Plant(_beside(sibling, "ralph_hooks_canary_test.go"), fill(templates.GO, PACKAGE=package.group(1)))


def _rspec(sibling: str, text: str) -> Plant | None:
    return Plant(_beside(sibling, "ralph_hooks_canary_spec.rb"), fill(templates.RSPEC))


def _minitest(sibling: str, text: str) -> Plant | None:
    base = re.search(r"class \w+ < ([\w:]+)", text)
    if not base:
        return None
    head = "".join(line for line in text.splitlines(keepends=True) if line.startswith("require"))
    name = (
        "test_ralph_hooks_canary.rb" if os.path.basename(sibling).startswith("test_") else "ralph_hooks_canary_test.rb"
    )
    return Plant(_beside(sibling, name), fill(templates.MINITEST, HEAD=head, BASE=base.group(1)))


def _phpunit(sibling: str, text: str) -> Plant | None:
    space = re.search(r"^namespace [^;]+;", text, re.M)
    head = space.group() if space else ""
    return Plant(_beside(sibling, "RalphHooksCanaryTest.php"), fill(templates.PHPUNIT, HEAD=head))


def _junit(sibling: str, text: str) -> Plant | None:
    kotlin = sibling.endswith(".kt")
    package = re.search(r"^package [\w.]+;?", text, re.M)
    imported = "org.junit.jupiter.api.Test" if "org.junit.jupiter" in text else "org.junit.Test"
    imported = "kotlin.test.Test" if kotlin and "kotlin.test" in text else imported
    template, name = (templates.KOTLIN, "kt") if kotlin else (templates.JAVA, "java")
    body = fill(template, PACKAGE=package.group() if package else "", IMPORT=imported)
    return Plant(_beside(sibling, f"RalphHooksCanaryTest.{name}"), body)


def _dotnet(sibling: str, text: str) -> Plant | None:
    for mark, imported, kind, fact in (
        ("[Fact]", "Xunit", "", "[Fact]"),
        ("[Test]", "NUnit.Framework", "", "[Test]"),
        ("[TestMethod]", "Microsoft.VisualStudio.TestTools.UnitTesting", "[TestClass]", "[TestMethod]"),
    ):
        if mark in text:
            body = fill(templates.CSHARP, IMPORT=imported, KIND=kind, FACT=fact)
            return Plant(_beside(sibling, "RalphHooksCanary.cs"), body)
    return None


def _mix(sibling: str, text: str) -> Plant | None:
    return Plant(_beside(sibling, "ralph_hooks_canary_test.exs"), fill(templates.EXUNIT))


def _ctest(sibling: str, text: str) -> Plant | None:
    if not re.search(r"^\s*(?:enable_testing\s*\(|include\s*\(\s*CTest\b)", text, re.M | re.I):
        return None
    return Plant(sibling, templates.CTEST, append=True)


SCRIPTS = [
    f"**/*{mark}.{ending}"
    for mark in (".test", ".spec", "_test", "-test")
    for ending in ("js", "ts", "mjs", "cjs", "jsx", "tsx", "mts")
]
KINDS: tuple[tuple[list[str], Maker], ...] = (
    (["test_*.py", "*_test.py", "test*/**/test_*.py", "test*/**/*_test.py", "**/test_*.py", "**/tests.py"], _python),
    ([*SCRIPTS, "test/**/*.js", "test/**/*.mjs", "test/**/*.ts", "**/__tests__/*.[jt]s"], _script),
    (["src/lib.rs", "src/main.rs", "*/src/lib.rs", "*/*/src/lib.rs", "*/src/main.rs"], _rust),
    (["*_test.go", "**/*_test.go", "*.go", "**/*.go"], _go),
    (["spec/**/*_spec.rb", "spec/spec_helper.rb"], _rspec),
    (["test/**/*_test.rb", "test/**/test_*.rb"], _minitest),
    (["tests/**/*Test.php", "test/**/*Test.php", "**/*Test.php"], _phpunit),
    (["src/test/**/*Test.java", "**/src/test/**/*Test.java", "**/src/test/**/*Test.kt"], _junit),
    (["**/*Test*.cs"], _dotnet),
    (["test/**/*_test.exs"], _mix),
    (["CMakeLists.txt"], _ctest),
)
