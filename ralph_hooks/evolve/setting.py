"""What surrounds a call: project, config, provider. Fixed when the job starts, so that no round can move the goal."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Any

from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.evolve.call import Call
from ralph_hooks.evolve.seed import parse_seed
from ralph_hooks.plan.config import Config
from ralph_hooks.plan.locate import Project, find_project, git_top


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """`root` is where agent and checks run, `inside` the same below its git top level; `plan` is compiled."""

    root: str
    inside: str
    plan: dict[str, str] | None
    config_path: str
    provider: str
    command: list[str]
    arguments: list[str]
    pass_threshold: float
    stop_on_cycle: bool
    lineage_cap: int
    skip_qa: bool
    checks: int
    envelope: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """What the job's first event keeps."""
        kept = asdict(self)
        del kept["envelope"]
        return kept

    def check_work(self, seed_text: str) -> None:
        """The seed must be readable, and something must be able to judge the work. Raises `RalphError`."""
        seed = parse_seed(seed_text)
        if not self.skip_qa and not self.checks and not any(criterion.checkable for criterion in seed.criteria):
            raise RalphError(
                f"nothing could judge the work: `{self.root}` has no check configured and no criterion of the seed "
                "has a `verify_command`",
                hint="`ralph-hooks install` finds the project's check; or give a criterion a `verify_command`",
                exit_code=EXIT_USAGE,
            )

    def check_clean(self, call: Call, digest: str) -> None:
        """A checkpoint commits all that is below the root, so none of it may be a person's. Raises `RalphError`.

        What the lineage itself left there last (`digest`) is no dirt.
        """
        if call.commit_policy == "none" or call.git_remote:
            return
        from ralph_hooks.evolve.commit import Tree
        from ralph_hooks.evolve.content import content_digest, project_at

        dirty = Tree(self.root).dirty()
        if dirty and (not digest or content_digest(project_at(self.root, self.config_path)) != digest):
            raise RalphError(
                f"`commit_policy` is `{call.commit_policy}`, but `{self.root}` has changes of its own: "
                f"{', '.join(dirty[:5])}{', …' if len(dirty) > 5 else ''}",
                hint="commit or stash them first",
                exit_code=EXIT_USAGE,
            )


def settle(call: Call) -> Setting:
    """Everything about the call that lies outside it, checked. Raises `RalphError`."""
    refuse_nested()
    root = project_root(call)
    if call.seed_content is not None:
        parse_seed(call.seed_content)
    project = find_project(root)
    config = _config(project)
    _check_provider(config)
    setting = Setting(
        root=root,
        inside=os.path.relpath(os.path.realpath(root), os.path.realpath(git_top(root) or root)),
        plan=_packed(project),
        config_path=project.config_path if project else "",
        provider=config.loop.provider,
        command=list(config.loop.command),
        arguments=list(config.evolve.arguments),
        pass_threshold=config.evolve.pass_threshold,
        stop_on_cycle=config.evolve.stop_on_cycle,
        lineage_cap=config.evolve.lineage_cap,
        skip_qa=call.skip_qa,
        checks=len(config.check),
    )
    if config.evolve.dispatch == "plugin":
        from dataclasses import replace

        from ralph_hooks.evolve.plugin import envelope

        return replace(setting, envelope=envelope(call, root))
    return setting


def project_root(call: Call) -> str:
    """The absolute `project_dir`. Raises `RalphError` when it is not a directory that can be entered."""
    given = call.project_dir if call.project_dir is not None else os.getcwd()
    root = os.path.abspath(os.path.expanduser(given))
    try:
        os.stat(os.path.join(root, "."))
    except (OSError, ValueError) as error:
        words = error.strerror if isinstance(error, OSError) else "not a path"
        raise RalphError(
            f"`project_dir` is {given!r}, but must be a directory that can be entered: {words}", exit_code=EXIT_USAGE
        ) from None
    if call.commit_policy != "none" and not call.git_remote and git_top(root) is None:
        raise RalphError(
            f"`commit_policy` is `{call.commit_policy}`, but `{root}` is in no git repository",
            hint="git init",
            exit_code=EXIT_USAGE,
        )
    return root


def _check_provider(config: Config) -> None:
    """The agent is deployment config; one that cannot run is refused before anything starts."""
    from ralph_hooks.loop.providers import check_arguments, provider_for

    provider = provider_for(config.loop.provider)
    check_arguments(provider, config.evolve.arguments)
    if provider.name == "command" and not config.loop.command:
        raise RalphError(
            "provider `command` runs nothing yet", 'set `command = ["…"]` under [loop] in the config', EXIT_USAGE
        )


def _config(project: Project | None) -> Config:
    from ralph_hooks.plan.load import load

    return load(project.config_path) if project else Config()


def _packed(project: Project | None) -> dict[str, str] | None:
    if project is None:
        return None
    from ralph_hooks.plan.compile import compile_plan
    from ralph_hooks.plan.compiled import FORMAT

    return compile_plan(project.config_path, FORMAT)


def refuse_nested() -> None:
    """A round or a generation must not start jobs. Raises `RalphError`."""
    from ralph_hooks.check.identity import nested_in
    from ralph_hooks.loop.ground import refuse_inside_a_round
    from ralph_hooks.loop.providers.base import RUN_MARK
    from ralph_hooks.process.tree import RUN_ID

    refuse_inside_a_round()
    for variable in (RUN_ID, RUN_MARK):
        run_id = os.environ.get(variable, "")
        if run_id and nested_in(run_id):
            raise RalphError(
                f"this call comes from inside a round or a generation ({variable}={run_id}); it may not start another",
                hint="end this round; a person starts the next job",
                exit_code=EXIT_USAGE,
            )
