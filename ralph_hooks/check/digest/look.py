"""One look at the tree: which files differ from the shadow's index, as git sees it."""

from __future__ import annotations

import os
import time

from ralph_hooks.check.digest.memo import stamp
from ralph_hooks.check.digest.repository import Repository, names, output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.check.digest.shadow import Shadow

# What we and the agent note about the work itself is no content of the project.
LEFT_OUT = b".ralph/"
IGNORE_FILE = b".gitignore"


class Seen:
    """`changed`: known files whose stat or content differs; `others`: new files; `nested`: repositories in the tree.

    All relative to the top, as bytes; nested ones end in a slash. `started` is when the look began, in seconds;
    `person` stamps the files of the person's repository that decide what is listed.
    """

    __slots__ = ("changed", "nested", "others", "person", "started")

    def __init__(self, look: Look, changed: list[bytes], listed: list[bytes]) -> None:
        self.started = look.started
        self.person = look.person
        self.changed = changed
        self.nested = [path for path in listed if path.endswith(b"/")]
        self.others = [path for path in listed if not path.endswith(b"/")]


class Look:
    """Two gits that run side by side, and beside whatever the caller does meanwhile."""

    __slots__ = ("_changed", "_others", "person", "rules", "started")

    def __init__(self, shadow: Shadow) -> None:
        repository = shadow.repository
        self.started = time.time()
        self.rules = ignore_rules(repository)
        self.person = (stamp(repository.index), stamp(repository.exclude), *self.rules)
        self._changed = shadow.git("diff-files", "--name-only", "-z", "--ignore-submodules=dirty")
        listing = ("ls-files", "-o", "-z", "--exclude-standard", "-x", LEFT_OUT.decode())
        shared = (f"--exclude-from={repository.exclude}",) if os.path.isfile(repository.exclude) else ()
        self._others = shadow.git(*self.rules, *listing, *shared)

    def seen(self) -> Seen:
        """What the two found. Raises `NoDigest` when one of them failed."""
        changed, others = self._changed.result(), self._others.result()
        return Seen(self, names(output(changed)), names(output(others)))


def ignore_rules(repository: Repository) -> tuple[str, ...]:
    """Options that hand the repository's own `core.excludesFile` to a git that does not read its config."""
    config = repository.config().lower()
    if b"excludesfile" not in config and b"include" not in config:
        return ()
    found = repository.git("config", "--type=path", "--get", "core.excludesFile").result()
    path = os.fsdecode(found.out.rstrip(b"\n"))
    return ("-c", f"core.excludesFile={os.path.join(repository.top, path)}") if path else ()


def is_ignore_file(path: bytes) -> bool:
    """Whether a path is a `.gitignore` file."""
    return path == IGNORE_FILE or path.endswith(b"/" + IGNORE_FILE)


def left_out(path: bytes) -> bool:
    """Whether a path lies in a `.ralph` directory, at any depth."""
    return path.startswith(LEFT_OUT) or b"/" + LEFT_OUT in path
