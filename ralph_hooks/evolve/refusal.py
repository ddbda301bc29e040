"""A call in, a `Call` out, or one sentence that names field, value and range (E1). Nothing is written here."""

from __future__ import annotations

import difflib
import types
import typing
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.evolve.call import Call

SHOWN = 80
Model = TypeVar("Model", bound=BaseModel)
_WORDS = {str: "text", bool: "true or false", int: "a whole number", float: "a number", dict: "an object"}


class CallError(RalphError):
    """The call is wrong; `field` names the first wrong field ("" when several are wrong together)."""

    def __init__(self, message: str, field: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint, exit_code=EXIT_USAGE)
        self.field = field


class InputRequiredError(CallError):
    """A required field is missing or blank: the caller is asked for it and nothing is started."""

    def __init__(self, field: str) -> None:
        self.next_step = f"call again with a `{field}`: any name for a new line of work, or the one to continue"
        super().__init__(f"`{field}` is missing or blank", field, hint=self.next_step)

    @property
    def meta(self) -> dict[str, Any]:
        """What a tool result carries."""
        return {"status": "input_required", "missing": [self.field], "next_step": self.next_step}


def parse_call(data: object) -> Call:
    """Validate everything. Raises `InputRequiredError` or `CallError`."""
    if not isinstance(data, dict):
        raise CallError(f"the call is {_show(data)}, but must be an object with fields")
    lineage = data.get("lineage_id")
    if lineage is None or (isinstance(lineage, str) and not lineage.strip()):
        _refuse_other_fields(data)
        raise InputRequiredError("lineage_id")
    return _validate(data)


def _refuse_other_fields(data: dict[str, Any]) -> None:
    """A wrong field is named before a missing one is asked for."""
    _validate({**data, "lineage_id": "placeholder"})


def _validate(data: dict[str, Any]) -> Call:
    hint = "see `ralph-hooks evolve --help` for every field and its range"
    return validate(Call, data, hint)


def validate(model: type[Model], data: object, hint: str = "") -> Model:
    """The model, or a `CallError` that names field, value and range."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=True)
    sentences = list(dict.fromkeys(_sentence(model, error) for error in errors))
    raise CallError("; ".join(sentences), str(errors[0]["loc"][0]) if errors[0]["loc"] else "", hint)


def _sentence(model: type[BaseModel], error: Any) -> str:
    location = error["loc"]
    if not location:
        return str(error["ctx"]["error"]) if "ctx" in error else f"{_show(error['input'])} is not an object"
    field = str(location[0])
    if error["type"] == "extra_forbidden":
        near = difflib.get_close_matches(field, model.model_fields, 1)
        return f"`{field}` is not a field" + (f"; did you mean `{near[0]}`?" if near else "")
    if error["type"] == "missing":
        return f"`{field}` is missing"
    words = must_be(model, field)
    if error["type"] == "value_error":
        words = str(error["ctx"]["error"]).removeprefix("must be ")
        if words.startswith("must not"):
            return f"`{_path(location)}` is {_show(error['input'])}, but {words}"
    return f"`{_path(location)}` is {_show(error['input'])}, but must be {words}"


def _path(location: tuple[Any, ...]) -> str:
    parts = [str(location[0])]
    parts += [f"[{part}]" for part in location[1:] if isinstance(part, int)]
    return "".join(parts)


def must_be(model: type[BaseModel], name: str) -> str:
    """What a field takes, in words: `a whole number from 1 to 10`."""
    info = model.model_fields[name]
    schema = model.model_json_schema()["properties"][name]
    options = [option for option in schema.get("anyOf", [schema]) if option.get("type") != "null"]
    option = options[0]
    if "enum" in option:
        return "one of " + ", ".join(f"`{value}`" for value in option["enum"])
    words = _kind(info.annotation, option)
    if "minimum" in option:
        return f"{words} from {option['minimum']:g} to {option['maximum']:g}"
    if option.get("maxLength"):
        return f"{words} of 1 to {option['maxLength']} characters"
    return words


def _kind(annotation: Any, option: dict[str, Any]) -> str:
    if option.get("type") == "array":
        return f"a list whose entries are each {'an object' if option['items'].get('type') == 'object' else 'text'}"
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _kind(typing.get_args(annotation)[0], option)
    if origin in (types.UnionType, typing.Union):
        return _kind(typing.get_args(annotation)[0], option)
    return _WORDS.get(origin or annotation, "a value")


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"
