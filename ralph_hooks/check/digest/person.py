"""What the person's repository says of its files: index, settings, ignore rules. Read once for a receipt."""

from __future__ import annotations

import os

from ralph_hooks.check.digest.memo import digest_of, stamp
from ralph_hooks.check.digest.repository import Repository, joined, names, output
from ralph_hooks.check.digest.rows import REPOSITORY, Rows

SKIPPED = b"S"
CACHED = b"H "


class Person:
    """`text` is the person's index as `git ls-files -s -z` prints it; `skipped` are the paths that sparse checkout
    leaves out of the work tree.
    """

    def __init__(self, repository: Repository) -> None:
        index = repository.git("ls-files", "-s", "-t", "-z")
        settings = repository.git("config", "-z", "--list")
        self.repository = repository
        self.text, self.skipped = _untagged(output(index.result()))
        self._settings = dict(_pair(one) for one in names(output(settings.result())))

    def flag(self, name: bytes) -> bool:
        """A boolean setting that git takes for true where it is not set."""
        return self._settings.get(name, b"true").lower() not in (b"false", b"no", b"off", b"0", b"")

    def ignored(self, paths: list[bytes], rows: Rows) -> set[bytes]:
        """Those that any ignore rule hides; `rows` are those of the index that may be repositories."""
        inner = tuple(path + b"/" for path, (mode, _) in rows.items() if mode == REPOSITORY)
        asked = [path for path in paths if not path.startswith(inner)]
        if not asked:
            return set()
        return set(names(output(self.repository.git(*CHECK_IGNORE, stdin=joined(asked)).result(), also=1)))

    def conversion(self, rules: Rows) -> str:
        """ "" where committed bytes are those on disk; else a name for the rules that make them differ.

        `rules` are the `.gitattributes` files on disk.
        """
        config = os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "git", "attributes")
        places = [os.path.join(self.repository.common_dir, "info", "attributes"), config, "/etc/gitattributes"]
        if own := self._settings.get(b"core.attributesfile"):
            places.append(os.path.join(self.repository.top, os.path.expanduser(os.fsdecode(own))))
        stamps = [(place, found) for place in places if (found := stamp(place))]
        converts = self._settings.get(b"core.autocrlf", b"false").lower() not in (b"false", b"no", b"off", b"0")
        if not (stamps or rules or converts):
            return ""
        settings = sorted(one for one in self._settings.items() if one[0].startswith((b"core.", b"filter.")))
        return digest_of(repr((stamps, sorted(rules.items()), settings)).encode())


CHECK_IGNORE = ("check-ignore", "-z", "--no-index", "--stdin")


def _untagged(tagged: bytes) -> tuple[bytes, list[bytes]]:
    """The listing without the letter before each row, and the paths of those that are skipped."""
    usual = tagged[len(CACHED) :].replace(b"\0" + CACHED, b"\0")
    if tagged.startswith(CACHED) and len(tagged) - len(usual) == len(CACHED) * tagged.count(b"\0"):
        return usual, []
    rows = names(tagged)
    skipped = [row.partition(b"\t")[2] for row in rows if row[:1] == SKIPPED]
    return joined([row[len(CACHED) :] for row in rows]), skipped


def _pair(setting: bytes) -> tuple[bytes, bytes]:
    name, found, value = setting.partition(b"\n")
    return name, value if found else b"true"
