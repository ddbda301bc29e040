"""The text of a failing test in each test framework. Names in CAPITALS are filled in."""

from __future__ import annotations

WORDS = "planted by ralph-hooks"

PYTEST = """\
def test_ralph_hooks_canary():
    raise AssertionError("WORDS")
"""
UNITTEST = """\
import unittest


class RalphHooksCanary(unittest.TestCase):
    def test_ralph_hooks_canary(self):
        self.fail("WORDS")
"""
SCRIPT = """\
HEAD
CALL('ralph hooks canary', () => { throw new Error('WORDS'); });
"""
RUST = """\
#[test]
fn ralph_hooks_canary() {
    panic!("WORDS");
}
"""
GO = """\
package PACKAGE

import "testing"

func TestRalphHooksCanary(t *testing.T) {
\tt.Fatal("WORDS")
}
"""
RSPEC = """\
RSpec.describe "ralph hooks canary" do
  it "fails" do
    raise "WORDS"
  end
end
"""
MINITEST = """\
HEAD
class RalphHooksCanaryTest < BASE
  def test_ralph_hooks_canary
    flunk "WORDS"
  end
end
"""
PHPUNIT = """\
<?php
HEAD
final class RalphHooksCanaryTest extends \\PHPUnit\\Framework\\TestCase
{
    public function testRalphHooksCanary(): void
    {
        $this->fail('WORDS');
    }
}
"""
JAVA = """\
PACKAGE
import IMPORT;

public class RalphHooksCanaryTest {
    @Test
    public void ralphHooksCanary() {
        throw new AssertionError("WORDS");
    }
}
"""
KOTLIN = """\
PACKAGE
import IMPORT

class RalphHooksCanaryTest {
    @Test
    fun ralphHooksCanary() {
        throw AssertionError("WORDS")
    }
}
"""
CSHARP = """\
using IMPORT;
KIND
public class RalphHooksCanary
{
    FACT
    public void RalphHooksCanaryFails()
    {
        throw new System.Exception("WORDS");
    }
}
"""
EXUNIT = """\
defmodule RalphHooksCanaryTest do
  use ExUnit.Case

  test "ralph hooks canary" do
    flunk("WORDS")
  end
end
"""
CTEST = """
add_test(NAME ralph_hooks_canary COMMAND "${CMAKE_COMMAND}" -E false)
"""


def fill(template: str, **names: str) -> str:
    """The template with its names filled in."""
    for name, value in {**names, "WORDS": WORDS}.items():
        template = template.replace(name, value)
    return template.lstrip("\n") if template is not CTEST else template
