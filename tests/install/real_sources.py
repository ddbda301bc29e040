"""Sources of the small projects for the real runners; a function takes what one and one shall be."""

from __future__ import annotations


def java(what: int) -> str:
    return (
        "package shop;\n\nimport org.junit.Test;\nimport static org.junit.Assert.assertEquals;\n\n"
        "public class PriceTest {\n    @Test\n    public void adds() {\n"
        f"        assertEquals({what}, 1 + 1);\n    }}\n}}\n"
    )


POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId>
  <artifactId>shop</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency>
  </dependencies>
</project>
"""
GRADLE = """\
apply plugin: 'java'
sourceCompatibility = 11
repositories { maven { url '/usr/share/maven-repo' } }
dependencies { testCompile 'junit:junit:4.x' }
"""
CARGO = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'
MIX = """\
defmodule Shop.MixProject do
  use Mix.Project
  def project, do: [app: :shop, version: "0.1.0"]
end
"""


def rust(what: int) -> str:
    return (
        f"#[cfg(test)]\nmod tests {{\n    #[test]\n    fn adds() {{\n        assert_eq!(1 + 1, {what});\n    }}\n}}\n"
    )


def phpunit(what: int) -> str:
    return (
        "<?php\nuse PHPUnit\\Framework\\TestCase;\nfinal class ATest extends TestCase\n{\n"
        f"    public function testAdds(): void {{ $this->assertSame({what}, 1 + 1); }}\n}}\n"
    )


def go(what: int) -> str:
    return (
        'package shop\n\nimport "testing"\n\nfunc TestAdds(t *testing.T) {\n'
        f'\tif 1+1 != {what} {{\n\t\tt.Fatal("no")\n\t}}\n}}\n'
    )
