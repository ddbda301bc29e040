"""I5: what is put into a settings file comes out again, and nothing else moves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ralph_hooks.install import entries, jsontext, shape, surgery
from tests.install.layouts import ANYTHING, settings_files, written

PLAIN = entries.claude(660)
FULL = entries.claude(660, subagents=True, guard=True)
CODEX = entries.codex(660)
SETS = st.sampled_from([PLAIN, FULL, CODEX])
thorough = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


def without_ours(value: Any) -> Any:
    """Parsed settings with our hooks, and the containers that hold nothing else, left out."""
    hooks = {}
    for event, groups in value.get("hooks", {}).items():
        kept = [group for group in groups if not any(hook.get("_id") == surgery.ID for hook in group["hooks"])]
        if kept:
            hooks[event] = kept
    rest = {key: item for key, item in value.items() if key != "hooks"}
    return {**rest, "hooks": hooks} if hooks else rest


def without_empty(value: Any) -> Any:
    hooks = {event: groups for event, groups in value.get("hooks", {}).items() if groups}
    rest = {key: item for key, item in value.items() if key != "hooks"}
    return {**rest, "hooks": hooks} if hooks else rest


@thorough
@given(settings_files(), SETS)
def test_uninstall_gives_back_the_same_text(text: str, wanted: list[surgery.Entry]) -> None:
    assert surgery.remove(surgery.insert(text, wanted)) == text


@thorough
@given(settings_files(), SETS)
def test_a_second_install_changes_nothing(text: str, wanted: list[surgery.Entry]) -> None:
    once = surgery.insert(text, wanted)
    assert surgery.insert(once, wanted) == once
    assert surgery.own(once) == wanted or {e.event: e for e in surgery.own(once)} == {e.event: e for e in wanted}


@thorough
@given(settings_files(), SETS)
def test_foreign_content_reads_the_same(text: str, wanted: list[surgery.Entry]) -> None:
    installed = surgery.insert(text, wanted)
    assert without_ours(json.loads(installed)) == without_empty(json.loads(text))
    before, after = (shape.problems(each, jsontext.parse(each), "claude") for each in (text, installed))
    assert [problem.words for problem in after] == [problem.words for problem in before]


@thorough
@given(settings_files(), SETS, SETS)
def test_an_update_still_comes_out_whole(text: str, old: list[surgery.Entry], new: list[surgery.Entry]) -> None:
    updated = surgery.insert(surgery.insert(text, old), new)
    assert {e.event: e.hook for e in surgery.own(updated)} == {e.event: e.hook for e in new}
    restored = surgery.remove(updated)
    assert without_empty(json.loads(restored or "{}")) == without_empty(json.loads(text))


@thorough
@given(ANYTHING.flatmap(written))
def test_the_scanner_reads_what_json_reads(text: str) -> None:
    node = jsontext.parse(text)
    assert node.value == json.loads(text)
    assert json.loads(text[node.start : node.end]) == node.value


@pytest.mark.parametrize("text", [None, "", "\n", " \n", "{}", "{}\n", "{ }", "{\n}", "\n{}", '{"hooks": {}}'])
@pytest.mark.parametrize("wanted", [PLAIN, FULL, CODEX])
def test_the_smallest_files(text: str | None, wanted: list[surgery.Entry]) -> None:
    installed = surgery.insert(text, wanted)
    assert [entry.event for entry in surgery.own(installed)] == [entry.event for entry in wanted]
    assert surgery.insert(installed, wanted) == installed
    assert surgery.remove(installed) == text


def test_a_new_file_is_what_the_docs_show() -> None:
    assert surgery.insert(None, PLAIN) == (
        "{\n"
        '  "hooks": {\n'
        '    "Stop": [\n'
        "      {\n"
        '        "hooks": [\n'
        "          {\n"
        '            "type": "command",\n'
        '            "command": "ralph-hooks",\n'
        '            "args": ["hook", "claude", "--within", "660"],\n'
        '            "timeout": 660,\n'
        '            "_id": "ralph-hooks"\n'
        "          }\n"
        "        ]\n"
        "      }\n"
        "    ]\n"
        "  }\n"
        "}\n"
    )


HOOK = (
    '{"type":"command","command":"ralph-hooks","args":["hook","claude","--within","660"],'
    '"timeout":660,"_id":"ralph-hooks"}'
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a":1}', '{"a":1,"hooks":{"Stop":[{"hooks":[HOOK]}]}}'.replace("HOOK", HOOK)),
        (
            '{\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{"hooks": []}\r\n\t\t]\r\n\t}\r\n}',
            '{\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{"hooks": []},\r\n\t\t\t{\r\n'
            '\t\t\t\t"hooks": [\r\n\t\t\t\t\t{\r\n'
            '\t\t\t\t\t\t"type": "command",\r\n\t\t\t\t\t\t"command": "ralph-hooks",\r\n'
            '\t\t\t\t\t\t"args": ["hook", "claude", "--within", "660"],\r\n\t\t\t\t\t\t"timeout": 660,\r\n'
            '\t\t\t\t\t\t"_id": "ralph-hooks"\r\n\t\t\t\t\t}\r\n\t\t\t\t]\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}',
        ),
    ],
)
def test_the_layout_is_the_files_own(before: str, after: str) -> None:
    assert surgery.insert(before, PLAIN) == after


def test_an_older_entry_is_updated_where_it_stands() -> None:
    old = surgery.insert('{\n  "a": 1\n}\n', entries.claude(300)).replace('"a": 1', '"a": [ ]')
    assert surgery.insert(old, PLAIN) == old.replace("300", "660")
    assert surgery.remove(surgery.insert(old, PLAIN)) == '{\n  "a": [ ]\n}\n'


@pytest.mark.parametrize(
    ("edit", "left"),
    [
        (('"a": 1', '"a": 1,\n  "z": 9'), '{\n  "a": 1,\n  "z": 9\n}\n'),
        (("\n  }\n}", '\n  },\n  "after": true\n}'), '{\n  "a": 1,\n  "after": true\n}\n'),
        (('{\n  "a": 1,', "{"), None),
        (
            ('    "Stop": [', '    "PreToolUse": [],\n    "Stop": ['),
            '{\n  "a": 1,\n  "hooks": {\n    "PreToolUse": []\n  }\n}\n',
        ),
    ],
)
def test_edits_in_between_stay(edit: tuple[str, str], left: str | None) -> None:
    installed = surgery.insert('{\n  "a": 1\n}\n', PLAIN)
    edited = installed.replace(*edit)
    assert edited != installed
    assert surgery.remove(edited) == left


def test_a_hook_that_somebody_put_into_our_group_stays() -> None:
    installed = surgery.insert(None, PLAIN)
    edited = installed.replace("          {\n", '          {"type": "command", "command": "true"},\n          {\n', 1)
    left = surgery.remove(edited)
    assert left and json.loads(left) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}


def test_ours_are_known_by_their_id_alone() -> None:
    """A foreign hook may call our program, or mention it; one of ours may have been edited."""
    foreign = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "ralph-hooks hook claude"}]}]}}'
    assert surgery.own(foreign) == [] and surgery.remove(foreign) == foreign
    edited = surgery.insert(None, PLAIN).replace('"command": "ralph-hooks"', '"command": "/opt/x/ralph-hooks"')
    assert surgery.insert(edited, PLAIN) == surgery.insert(None, PLAIN)
    assert surgery.remove(edited) is None


def test_twice_the_same_entry_becomes_one() -> None:
    group = '{"hooks": [HOOK]}'.replace("HOOK", HOOK)
    doubled = '{"hooks": {"Stop": [GROUP, GROUP], "SessionStart": [GROUP]}}'.replace("GROUP", group)
    assert surgery.own(surgery.insert(doubled, PLAIN)) == PLAIN


def test_an_entry_under_a_key_that_nobody_reads_is_moved() -> None:
    shadowed = '{"hooks": {"Stop": [{"hooks": [HOOK]}]}, "hooks": {}}'.replace("HOOK", HOOK)
    installed = surgery.insert(shadowed, PLAIN)
    assert json.loads(installed)["hooks"]["Stop"][0]["hooks"][0]["_id"] == "ralph-hooks"
    assert len(surgery.own(installed)) == 1


BAD = [
    ('{\n  "a": 1,\n}', (2, 9), "a comma before `}`"),
    ('{\n  // note\n  "a": 1\n}', (2, 3), "a comment, which JSON does not have"),
    ("[1, 2,]", (1, 6), "a comma before `]`"),
    ('{"a" 1}', (1, 6), "expected `:` after the key"),
    ('{"a": 01}', (1, 8), "expected `,` or `}`"),
    ('{"a": NaN}', (1, 7), "expected a value"),
    ("{'a': 1}", (1, 2), "expected a key in double quotes"),
    ('{"a": "tab\tin"}', (1, 7), "expected a value"),
    ('{"a": 1', (1, 8), "the text ends too early"),
    ("{}{}", (1, 3), "more text after the value"),
    ('{"a": 1}\0', (1, 9), "more text after the value"),
    ("\r\n\r\n{]", (3, 2), "expected a key in double quotes"),
]


@pytest.mark.parametrize(("text", "where", "words"), BAD)
def test_what_is_not_json_is_named_with_its_place(text: str, where: tuple[int, int], words: str) -> None:
    with pytest.raises(jsontext.JsonTextError) as caught:
        surgery.insert(text, PLAIN)
    assert ((caught.value.line, caught.value.column), caught.value.words) == (where, words)


def test_depth_costs_no_recursion() -> None:
    text = '{"z": ' + "[" * 20000 + "]" * 20000 + "}"
    assert surgery.remove(surgery.insert(text, PLAIN)) == text


SHAPES = [
    ("[]", "claude", "1:1 the file must hold an object"),
    ('{"hooks": []}', "claude", "1:11 `hooks` must be an object"),
    ('{"hooks": {"Stop": {}}}', "claude", "1:20 `hooks.Stop` must be a list"),
    ('{"hooks": {"Stop": [3]}}', "claude", "1:21 `hooks.Stop[0]` must be an object"),
    ('{"hooks": {"Stop": [{}]}}', "claude", "1:21 `hooks.Stop[0].hooks` must be a list"),
    ('{"hooks": {"A": [{"matcher": {}, "hooks": []}]}}', "claude", "1:30 `hooks.A[0].matcher` must be a string"),
    (
        '{"hooks": {"A": [{"hooks": [{"type": "command", "command": "x", "timeout": "300"}]}]}}',
        "claude",
        "1:76 `hooks.A[0].hooks[0].timeout` must be a number above 0",
    ),
    (
        '{"hooks": {"A": [{"hooks": [{"type": "command", "command": "x", "timeout": 0}]}]}}',
        "claude",
        "1:76 `hooks.A[0].hooks[0].timeout` must be a number above 0",
    ),
    ('{"hooks": {"A": [{"hooks": ["x"]}]}}', "claude", "1:29 `hooks.A[0].hooks[0]` must be an object with a `type`"),
    ('{"env": [], "permissions": 3}', "claude", "1:9 `env` must be an object"),
    ('{"disableAllHooks": 1}', "claude", "1:21 `disableAllHooks` must be true or false"),
    ('{"cleanupPeriodDays": true}', "claude", "1:23 `cleanupPeriodDays` must be a number"),
    ('{"zzz": 1}', "codex", "1:9 Codex knows no key `zzz` here"),
    (
        '{"hooks": {"A": [{"hooks": [{"type": "command", "command": "x", "timeout": 0.5}]}]}}',
        "codex",
        "1:76 `hooks.A[0].hooks[0].timeout` must be a whole number",
    ),
]


@pytest.mark.parametrize(("text", "client", "words"), SHAPES)
def test_shapes_that_void_a_file(text: str, client: str, words: str) -> None:
    problem = shape.problems(text, jsontext.parse(text), client)[0]
    assert f"{problem.line}:{problem.column} {problem.words}" == words


def test_a_plain_file_has_no_problem() -> None:
    text = '{"env": {"A": "1"}, "model": "x", "unknown": [], "hooks": {"Nope": [{"hooks": [{"type": "prompt"}]}]}}'
    assert shape.problems(text, jsontext.parse(text), "claude") == []
