"""A job away from the person's checkout: our own clone, a branch per lineage, pushed after every generation (E10)."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace

from ralph_hooks import files, paths
from ralph_hooks.errors import RalphError
from ralph_hooks.evolve.checkpoint import trailers
from ralph_hooks.evolve.commit import Tree, commit_all
from ralph_hooks.evolve.content import plan_path
from ralph_hooks.evolve.iteration import Iteration
from ralph_hooks.evolve.order import Order
from ralph_hooks.loop.git import Git, GitError


def branch(lineage: str) -> str:
    """The branch that a lineage is pushed to."""
    return f"ralph/{os.path.basename(os.path.dirname(plan_path(lineage)))}"


def folder(order: Order) -> str:
    """Where this machine keeps the lineage's clone."""
    place = f"{order.call['git_remote']}\0{order.lineage_id}"
    return os.path.join(
        paths.state_dir(), "jobs", "clones", paths.identity(os.path.join("/", place.replace("\0", "/")))
    )


def prepare(order: Order) -> Order:
    """The order, with the clone as its root. Raises `GitError` in git's own words."""
    top = folder(order)
    if not os.path.isdir(os.path.join(top, ".git")):
        _clone(order.call["git_remote"], top)
    # under the lineage's lease nobody else works here: a lock is what a killed git left
    files.remove(os.path.join(top, ".git", "index.lock"))
    git, name = Git(top), branch(order.lineage_id)
    git.run("fetch", "-q", "origin")
    theirs = git.commit(f"refs/remotes/origin/{name}")
    if not git.commit(f"refs/heads/{name}"):
        start = (
            theirs
            or git.commit(f"origin/{order.call['git_ref']}")
            or git.commit(order.call["git_ref"] or "origin/HEAD")
        )
        if not start:
            raise GitError(f"`{order.call['git_remote']}` has no `{order.call['git_ref'] or 'HEAD'}`")
        git.run("checkout", "-q", "--no-track", "-b", name, start)
    elif theirs and theirs != git.commit("HEAD"):
        _catch_up(git, order, theirs)
    root = os.path.normpath(os.path.join(top, order.settings["inside"]))
    if not os.path.isdir(root):
        raise RalphError(f"`{order.settings['inside']}` is not a directory of `{order.call['git_remote']}`")
    config = os.path.join(root, os.path.basename(order.settings["config_path"] or "ralph-hooks.toml"))
    return replace(order, settings={**order.settings, "root": root, "config_path": config})


def _clone(remote: str, top: str) -> None:
    """Beside its place first, so that a clone that was cut in the middle is never taken for one."""
    place = os.path.dirname(top)
    files.make_dirs(place)
    fresh = f"{top}.new"
    shutil.rmtree(fresh, ignore_errors=True)
    Git(place).run("clone", "-q", "--no-checkout", "--", remote, fresh)
    os.rename(fresh, top)


def _catch_up(git: Git, order: Order, theirs: str) -> None:
    """Another machine went on with the branch; what an interrupted generation left here is committed first."""
    tree = Tree(git.top)
    if tree.dirty():
        commit_all(tree, f"Keep what generation {order.generation} left\n")
    if git.ask("merge-base", "HEAD", theirs) != theirs:
        git.run("merge", "-q", "--no-edit", theirs)


def publish(order: Order, found: Iteration) -> Iteration:
    """Commit what the generation left and push the branch; what fails is told and tried again after the next one."""
    name = branch(order.lineage_id)
    try:
        tree = Tree(order.settings["root"], os.path.dirname(plan_path(order.lineage_id)))
        words = [f"Generation {order.generation} of {order.lineage_id}", "", *trailers(order, [])]
        commit_all(tree, "\n".join(words) + "\n")
        tree.git.run("push", "-q", "origin", f"HEAD:refs/heads/{name}")
    except RalphError as error:
        return replace(found, notes=[*found.notes, f"`{name}` could not be pushed: {error.message}"])
    return replace(found, notes=[*found.notes, f"pushed to `{name}`: {tree.head()}"])
