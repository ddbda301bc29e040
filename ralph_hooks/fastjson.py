"""The standard library's JSON without the 6 ms that `import json` spends on `re`.

The C scanner and encoder behind `json` are used directly where they exist; anything unusual falls back to `json`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WHITESPACE = " \t\n\r"


class JsonError(ValueError):
    """The text is not one JSON value."""


class _Context:
    """What the C scanner reads its options from."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner clears it itself

    @staticmethod
    def parse_constant(name: str) -> float:
        raise JsonError(f"{name} is not JSON")


def loads(text: str) -> Any:
    """One JSON value from `text`. Raises `JsonError`; NaN and Infinity are refused."""
    try:
        from _json import make_scanner
    except ImportError:
        return _loads_slowly(text)
    body = text.strip(WHITESPACE)
    try:
        value, end = make_scanner(_Context)(body, 0)  # type: ignore[arg-type]
    except StopIteration as stop:
        raise JsonError(f"no JSON value at character {stop.value}") from None
    except RecursionError:
        raise JsonError("nested too deeply") from None
    except (SystemError, ValueError):
        return _loads_slowly(text)  # the C scanner words its errors with the help of `json`, which is not loaded
    if end != len(body):
        raise JsonError(f"more text after the JSON value at character {end}")
    return value


def _loads_slowly(text: str) -> Any:
    import json

    try:
        return json.loads(text, parse_constant=_Context.parse_constant)
    except (ValueError, RecursionError) as error:
        raise JsonError(str(error)) from None


def dumps(value: Any) -> str:
    """Compact JSON on one line, ASCII only, so that no line separator can hide in it."""
    try:
        from _json import encode_basestring_ascii, make_encoder
    except ImportError:
        import json

        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    encoder = make_encoder(None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, False)
    return "".join(encoder(value, 0))


def canonical(value: Any) -> str:
    """`json.dumps(value, sort_keys=True)`: the same text for equal values, for what is hashed."""
    try:
        from _json import encode_basestring_ascii, make_encoder
    except ImportError:
        import json

        return json.dumps(value, sort_keys=True, allow_nan=False)
    encoder = make_encoder(None, _refuse, encode_basestring_ascii, None, ": ", ", ", True, False, False)
    return "".join(encoder(value, 0))


def _refuse(value: object) -> None:
    raise TypeError(f"a {type(value).__name__} cannot be written as JSON")
