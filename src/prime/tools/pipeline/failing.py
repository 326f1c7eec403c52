"""A tool that failed, as a result like another: why, what to do, and the end of what the tool said."""

from collections.abc import Callable

from prime.core.errors import JsonValue, PrimeError
from prime.tools.runtime import RawResult


def failed(error: PrimeError) -> RawResult:
    """What is told and recorded of a failure; not filtered yet."""
    content: list[dict[str, JsonValue]] = [{"type": "text", "text": str(error)}]
    said = _text(error, "stderr").strip()
    if said and said.rstrip(".") not in error.message:
        content.append({"type": "text", "text": f"The end of its stderr:\n{said}"})
    return RawResult(
        content=tuple(content),
        is_error=True,
        structured=None,
        exit_code=_number(error, "exitCode"),
        bytes_out=_number(error, "bytesOut") or 0,
        log=_text(error, "log"),
    )


def reason(error: PrimeError, clean: Callable[[str], str]) -> dict[str, JsonValue]:
    """The same for programs: code, message, next step, stderr."""
    shown: dict[str, JsonValue] = {"code": error.error_code, "message": clean(error.message)}
    more = {"hint": error.hint or "", "stderr": _text(error, "stderr")}
    return shown | {key: clean(text) for key, text in more.items() if text}


def _text(error: PrimeError, key: str) -> str:
    value = error.data.get(key)
    return value if isinstance(value, str) else ""


def _number(error: PrimeError, key: str) -> int | None:
    value = error.data.get(key)
    return value if type(value) is int else None
