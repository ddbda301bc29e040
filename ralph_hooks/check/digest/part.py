"""The digest of a part of the tree, for checks that name their `paths`."""

from __future__ import annotations

import os

from ralph_hooks.check.digest import memo as memos
from ralph_hooks.check.digest.memo import digest_of
from ralph_hooks.check.digest.repository import NoDigest, environment, output, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.check.digest.tree import TreeDigest

WILD = "*?["


def digest_of_part(tree: TreeDigest, wanted: list[str]) -> str:
    """The digest of what lies below `wanted`; `tree` was measured. Raises `NoDigest` or `OSError`."""
    inside = os.path.relpath(tree.root, tree.top)
    name = "\0".join([inside, *wanted])
    base = tree.memo.by_paths.get(name)
    if base is None:
        base = _list(tree, wanted, name)
    inner = [one for one in tree.nested if any(_meets(one[0], inside, path) for path in wanted)]
    if not base and not inner:
        return ""
    return digest_of(base.encode() + b"".join(b"\0%s\t%s" % (digest.encode(), path) for path, digest in inner))


def _list(tree: TreeDigest, wanted: list[str], name: str) -> str:
    """The digest of the listing, "" for an empty one; kept until the tree changes."""
    shadow = tree.shadow
    assert shadow is not None
    env = environment(shadow.path, tree.top)
    listing = start(["ls-files", "-s", "-z", "--full-name", "--", *_specs(wanted)], tree.root, env).result()
    fd = shadow.lock()
    try:
        if memos.stamp(shadow.index) != tree.memo.index:
            raise NoDigest("the tree was measured again meanwhile")
        text = output(listing)
        tree.memo.by_paths[name] = digest_of(text) if text else ""
        tree.memo.save(shadow.memo)
    finally:
        os.close(fd)
    return tree.memo.by_paths[name]


def _specs(wanted: list[str]) -> list[str]:
    """Git path specs: a glob also stands for what lies below the directories that it matches."""
    specs = []
    for path in wanted:
        plain = path.rstrip("/") or "."
        wild = any(letter in path for letter in WILD)
        specs += [f":(glob){plain}", f":(glob){plain}/**"] if wild else [f":(literal){plain}"]
    return specs


def _meets(repository: bytes, inside: str, path: str) -> bool:
    """Whether a nested repository and a wanted path may share files."""
    fixed = path
    for letter in WILD:
        fixed = fixed.partition(letter)[0]
    head = fixed if fixed == path else fixed.rpartition("/")[0]
    place = os.fsencode(os.path.normpath(os.path.join(inside, head)))
    own = repository.rstrip(b"/")
    return place == b"." or (own + b"/").startswith(place + b"/") or (place + b"/").startswith(own + b"/")
