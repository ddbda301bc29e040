"""Maven and Gradle, by their wrapper where there is one."""

from __future__ import annotations

from collections.abc import Iterator

from ralph_hooks.install.detect.proposal import Proposal
from ralph_hooks.install.place import Place

LOOKED_FOR = "pom.xml, build.gradle(.kts)"


def find(place: Place) -> Iterator[Proposal]:
    """The `test` phase or task of the whole build."""
    if place.has("pom.xml"):
        maven = "./mvnw" if place.has("mvnw") else "mvn"
        run = (maven, "-B", "-ntp", "test")
        yield Proposal(ecosystem="maven", run=run, why=f"`{place.shown('pom.xml')}` is there")
    build = place.has("build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle")
    if build:
        gradle = "./gradlew" if place.has("gradlew") else "gradle"
        junit = "**/build/test-results/test/*.xml"
        yield Proposal(ecosystem="gradle", run=(gradle, "test"), why=f"`{place.shown(build)}` is there", junit=junit)
