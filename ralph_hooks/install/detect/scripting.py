"""PHP and Ruby."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ralph_hooks.install import refuse
from ralph_hooks.install.detect.proposal import LINT, TYPES, Proposal
from ralph_hooks.install.place import Place, table

LOOKED_FOR = "composer.json, phpunit.xml, spec/ with rspec, a Rakefile with a test task"


def find(place: Place) -> Iterator[Proposal]:
    """What Composer, PHPUnit, RSpec or Rake would run."""
    yield from _php(place)
    yield from _ruby(place)


def _php(place: Place) -> Iterator[Proposal]:
    composer = place.json("composer.json")
    body = table(composer, "scripts").get("test")
    lines = body if isinstance(body, list) else [body] if isinstance(body, str) else []
    if lines and not any(refuse.reason(str(line), place) for line in lines):
        why = f"`{place.shown('composer.json')}` has a `test` script"
        yield Proposal(ecosystem="composer", run=("composer", "test"), why=why)
    elif config := place.has("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"):
        runner = "pest" if "pestphp/pest" in place.text("composer.json") else "phpunit"
        why = f"`{place.shown(config)}` is there"
        yield Proposal(ecosystem=runner, run=(f"vendor/bin/{runner}",), why=why)
    if config := place.has("phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"):
        run = ("vendor/bin/phpstan", "analyse", "--no-progress")
        yield Proposal(ecosystem="phpstan", kind=TYPES, run=run, why=f"`{place.shown(config)}` is there")


def _ruby(place: Place) -> Iterator[Proposal]:
    bundle = ("bundle", "exec") if place.has("Gemfile", "gems.rb") else ()
    if place.find("spec/**/*_spec.rb") or place.has(".rspec"):
        run = ("bin/rspec",) if place.has("bin/rspec") else (*bundle, "rspec")
        why = f"`{place.shown(place.has('.rspec') or 'spec')}` is there"
        yield Proposal(ecosystem="rspec", run=run, why=why)
    elif place.has("bin/rails") and place.has("test"):
        why = f"`{place.shown('bin/rails')}` and `{place.shown('test')}` are there"
        yield Proposal(ecosystem="rails", run=("bin/rails", "test"), why=why)
    elif re.search(r"TestTask|Minitest::TestTask|task :?test", place.text("Rakefile")):
        why = f"`{place.shown('Rakefile')}` has a test task"
        yield Proposal(ecosystem="rake", run=(*bundle, "rake", "test"), why=why)
    if config := place.has(".rubocop.yml"):
        why = f"`{place.shown(config)}` is there"
        yield Proposal(ecosystem="rubocop", kind=LINT, run=(*bundle, "rubocop"), why=why)
