"""Settings files in any layout that JSON allows."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

BLANKS = st.sampled_from(["", " ", "  ", "   ", "\n", "\n  ", "\n    ", "\t", "\r\n", "\r\n\t", "\r", " \n\n "])
EVENTS = ("Stop", "PreToolUse", "ConfigChange", "SessionStart")


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """One value, with any blanks at every place where they may stand."""
    if isinstance(value, dict):
        members = [(json.dumps(key), draw(written(item))) for key, item in value.items()]
        parts = [f"{key}{draw(BLANKS)}:{draw(BLANKS)}{text}" for key, text in members]
        return draw(_bracketed("{", parts, "}"))
    if isinstance(value, list):
        return draw(_bracketed("[", [draw(written(item)) for item in value], "]"))
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@st.composite
def _bracketed(draw: st.DrawFn, opening: str, parts: list[str], closing: str) -> str:
    if not parts:
        return opening + draw(BLANKS) + closing
    around = [f"{draw(BLANKS)}{part}{draw(BLANKS)}" for part in parts]
    return opening + ",".join(around) + closing


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=8
)
HOOK = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.sampled_from(["true", "ralph-hooks", "echo ralph-hooks hook claude"])},
    optional={"timeout": st.integers(1, 600), "_id": st.sampled_from(["other", "ralph-hooks-2"])},
)
GROUP = st.fixed_dictionaries({"hooks": st.lists(HOOK, max_size=3)}, optional={"matcher": st.just("*")})
HOOKS = st.dictionaries(st.sampled_from(EVENTS), st.lists(GROUP, max_size=3), max_size=3)
SETTINGS = st.dictionaries(st.text().filter(lambda key: key != "hooks"), ANYTHING, max_size=3).flatmap(
    lambda rest: st.permutations(list(rest.items())).flatmap(
        lambda items: st.one_of(
            st.just(dict(items)), HOOKS.map(lambda hooks: {**dict(items[:1]), "hooks": hooks, **dict(items[1:])})
        )
    )
)


@st.composite
def settings_files(draw: st.DrawFn) -> str:
    """The text of a valid settings file, with or without hooks."""
    return draw(BLANKS) + draw(written(draw(SETTINGS))) + draw(BLANKS)
