"""What a generation changed: the content that git would commit, and the plan."""

from __future__ import annotations

import hashlib
import os

from ralph_hooks import files
from ralph_hooks.plan.locate import Project, git_top

FOLDER = ".ralph"


def project_at(root: str, config_path: str) -> Project:
    """The project of a job: its root is the call's `project_dir`, whatever a round does to the config."""
    return Project(root, git_top(root) or root, config_path)


def content_digest(project: Project) -> str:
    """The digest of everything git would commit, `.ralph/` left out; "" where nothing can tell."""
    from ralph_hooks.check.digest import TreeDigest

    return TreeDigest.start(project).result()


def changed(before: str, after: str) -> bool:
    """Whether the content moved; what cannot be told counts as moved, so that nothing converges unseen."""
    return not before or not after or before != after


def plan_path(lineage: str) -> str:
    """The plan of a lineage, relative to the root: readable, safe as a name, distinct for distinct lineages."""
    label = "".join(char if char.isascii() and (char.isalnum() or char in "-_") else "-" for char in lineage)
    if label != lineage or len(label) > 60:
        label = f"{label[:40]}-{hashlib.sha256(lineage.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    return f"{FOLDER}/{label}/plan.md"


def plan_digest(root: str, lineage: str) -> str:
    """A digest of the plan's text; "none" when there is no plan."""
    text = files.read_bytes_or_none(os.path.join(root, plan_path(lineage)))
    return "none" if text is None else hashlib.sha256(text).hexdigest()[:16]
