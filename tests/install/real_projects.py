"""One small project for each real runner: what is in it, what `install` shall choose, and what breaks its suite."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.install.real_sources import CARGO, GRADLE, MIX, POM, go, java, phpunit, rust
from tests.support import runners

Files = dict[str, str]
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
CTEST = "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"


@dataclass
class Real:
    """`check` is the command as `install` shows it ("" = it is given with `--command`); `red` breaks the suite."""

    program: str
    files: Files
    check: str
    red: Files
    command: str = ""
    prepare: Callable[[Path], None] = field(default=lambda root: None)


def npm(script: str, files: Files, red: Files, program: str) -> Real:
    """A package whose `test` script is this, with the pinned runners in its `node_modules`."""
    package = json.dumps({"name": "shop", "scripts": {"test": script}}, indent=2) + "\n"
    more = {"package.json": package, ".gitignore": "node_modules\n"}
    return Real(program, files | more, "npm test", red, prepare=link_modules)


def link_modules(root: Path) -> None:
    (root / "node_modules").symlink_to(runners.modules())


def offline_maven(root: Path) -> None:
    """Debian's own Maven repository, where Maven may write beside it, and no network."""
    repository = root.parent / "maven-repository"
    for found in (path for path in Path("/usr/share/maven-repo").rglob("*") if not path.is_dir()):
        target = repository / found.relative_to("/usr/share/maven-repo")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(found)
    (root / ".mvn").mkdir()
    (root / ".mvn/maven.config").write_text(f"--offline\n-Dmaven.repo.local={repository}\n")


def offline_gradle(root: Path) -> None:
    """An init script below HOME, which is the test's own."""
    (Path.home() / ".gradle").mkdir()
    (Path.home() / ".gradle/init.gradle").write_text("startParameter.offline = true\n")


REAL = {
    "jest": npm(
        "jest",
        {"src/a.test.js": "test('adds', () => { expect(1 + 1).toBe(2); });\n"},
        {"src/a.test.js": "test('adds', () => { expect(1 + 1).toBe(3); });\n"},
        "jest",
    ),
    "jest, __tests__ and describe": npm(
        "jest --ci",
        {"lib/__tests__/a.js": "describe('sum', () => { it('adds', () => { expect(1 + 1).toBe(2); }); });\n"},
        {"lib/__tests__/a.js": "describe('sum', () => { it('adds', () => { expect(1 + 1).toBe(3); }); });\n"},
        "jest",
    ),
    "vitest": npm(
        "vitest run",
        {"src/a.test.ts": "import { expect, it } from 'vitest';\nit('adds', () => { expect(1 + 1).toBe(2); });\n"},
        {"src/a.test.ts": "import { expect, it } from 'vitest';\nit('adds', () => { expect(1 + 1).toBe(3); });\n"},
        "vitest",
    ),
    "vitest with globals": npm(
        "vitest run --globals",
        {"a.spec.js": "describe('sum', () => { it('adds', () => { expect(1 + 1).toBe(2); }); });\n"},
        {"a.spec.js": "describe('sum', () => { it('adds', () => { expect(1 + 1).toBe(3); }); });\n"},
        "vitest",
    ),
    "mocha": npm(
        "mocha",
        {"test/a.js": "describe('sum', () => { it('adds', () => {}); });\n"},
        {"test/a.js": "describe('sum', () => { it('adds', () => { throw new Error('no'); }); });\n"},
        "mocha",
    ),
    "node:test": Real(
        "npm",
        {
            "package.json": '{"scripts": {"test": "node --test"}}',
            "a.test.js": "require('node:test')('adds', () => {});\n",
        },
        "npm test",
        {"a.test.js": "require('node:test')('adds', () => { throw new Error('no'); });\n"},
    ),
    "node:test modules": Real(
        "npm",
        {
            "package.json": '{"type": "module", "scripts": {"test": "node --test test/"}}',
            "test/a.js": "import test from 'node:test';\ntest('adds', () => {});\n",
        },
        "npm test",
        {"test/a.js": "import test from 'node:test';\ntest('adds', () => { throw new Error('no'); });\n"},
    ),
    "cargo": Real(
        "cargo", {"Cargo.toml": CARGO, "src/lib.rs": rust(2), ".gitignore": "target\n"}, "cargo test",
        {"src/lib.rs": rust(3)},
    ),
    "nextest": Real(
        "cargo-nextest", {"Cargo.toml": CARGO, "src/lib.rs": rust(2), ".gitignore": "target\n"}, "",
        {"src/lib.rs": rust(3)}, command="cargo nextest run",
    ),
    "go": Real(
        "go", {"go.mod": "module example.com/shop\n\ngo 1.19\n", "a_test.go": go(2)}, "go test ./...",
        {"a_test.go": go(3)},
    ),
    "rspec": Real(
        "rspec",
        {".rspec": "", "spec/a_spec.rb": "RSpec.describe('sum') { it('adds') { expect(1 + 1).to eq(2) } }\n"},
        "rspec",
        {"spec/a_spec.rb": "RSpec.describe('sum') { it('adds') { expect(1 + 1).to eq(3) } }\n"},
    ),
    "bundler, rspec": Real(
        "bundle",
        {
            "Gemfile": 'gem "rspec"\n',
            "spec/a_spec.rb": "RSpec.describe('sum') { it('adds') { expect(1 + 1).to eq(2) } }\n",
        },
        "bundle exec rspec",
        {"spec/a_spec.rb": "RSpec.describe('sum') { it('adds') { expect(1 + 1).to eq(3) } }\n"},
    ),
    "minitest": Real(
        "rake",
        {
            "Rakefile": 'require "rake/testtask"\nRake::TestTask.new { |t| t.pattern = "test/**/*_test.rb" }\n',
            "test/a_test.rb": 'require "minitest/autorun"\n'
            "class ATest < Minitest::Test\n  def test_adds = assert_equal(2, 1 + 1)\nend\n",
        },
        "rake test",
        {
            "test/a_test.rb": 'require "minitest/autorun"\n'
            "class ATest < Minitest::Test\n  def test_adds = assert_equal(3, 1 + 1)\nend\n"
        },
    ),
    "phpunit": Real(
        "phpunit", {"tests/ATest.php": phpunit(2)}, "", {"tests/ATest.php": phpunit(3)}, command="phpunit tests"
    ),
    "composer, phpunit": Real(
        "composer",
        {
            "composer.json": '{"name": "acme/shop", "scripts": {"test": "phpunit tests"}}',
            "tests/ATest.php": phpunit(2),
        },
        "composer test",
        {"tests/ATest.php": phpunit(3)},
    ),
    "ctest": Real(
        "ctest",
        {
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(a NONE)\n"
            'enable_testing()\nadd_test(NAME adds COMMAND sh "${CMAKE_SOURCE_DIR}/adds.sh")\n',
            "adds.sh": "exit 0\n",
            ".gitignore": "build\n",
        },
        CTEST,
        {"adds.sh": "exit 1\n"},
    ),
    "maven": Real(
        "mvn",
        {"pom.xml": POM, "src/test/java/shop/PriceTest.java": java(2), ".gitignore": "target\n"},
        "mvn -B -ntp test",
        {"src/test/java/shop/PriceTest.java": java(3)},
        prepare=offline_maven,
    ),
    "gradle": Real(
        "gradle",
        {"build.gradle": GRADLE, "src/test/java/shop/PriceTest.java": java(2), ".gitignore": "build\n.gradle\n"},
        "gradle test",
        {"src/test/java/shop/PriceTest.java": java(3)},
        prepare=offline_gradle,
    ),
    "mix": Real(
        "mix",
        {
            "mix.exs": MIX,
            "test/test_helper.exs": "ExUnit.start()\n",
            "test/shop_test.exs": "defmodule ShopTest do\n  use ExUnit.Case\n"
            '  test "adds" do\n    assert 1 + 1 == 2\n  end\nend\n',
            ".gitignore": "_build\n",
        },
        "mix test",
        {
            "test/shop_test.exs": "defmodule ShopTest do\n  use ExUnit.Case\n"
            '  test "adds" do\n    assert 1 + 1 == 3\n  end\nend\n'
        },
    ),
    "unittest": Real(
        "python3",
        {"test_a.py": "import unittest\nclass A(unittest.TestCase):\n    def test_adds(self):\n        pass\n"},
        "python -m unittest",
        {"test_a.py": "import unittest\nclass A(unittest.TestCase):\n    def test_adds(self):\n        self.fail()\n"},
    ),
    "make": Real(
        "make",
        {
            "Makefile": f"test:\n\t{' '.join(PYTEST)}\n",
            "checks/test_a.py": "def test_adds():\n    assert True\n",
        },
        "",
        {"checks/test_a.py": "def test_adds():\n    assert False\n"},
        command="make test",
    ),
}  # fmt: skip
