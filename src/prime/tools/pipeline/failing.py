"""A tool that failed, as a result like another: why, what to do, and the end of what the tool said."""

from collections.abc import Callable, Mapping

from prime.core.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    JsonValue,
    NotFound,
    PrimeError,
    RateLimited,
    TimedOut,
    TooLarge,
    Unauthorized,
    Unavailable,
)
from prime.tools.runtime import RawResult

# What to do about an error whose author knew of nothing better. Many come from far below, or from somebody's server.
_NEXT_STEPS: Mapping[type[PrimeError], str] = {
    InvalidInput: "Correct the call; the tool's parameters are shown where it is listed.",
    NotFound: "Look at what there is, then make the call again.",
    Conflict: "See how things stand now, then make the call again.",
    Unauthorized: "Sign in to what the tool uses, then make the call again.",
    Forbidden: "Do it in another way, or talk to the owner about it.",
    TooLarge: "Ask for less at once.",
    RateLimited: "Wait a while, then make the call again.",
    Unavailable: "Make the call again in a while; if it stays like this, the owner has to look at it.",
    TimedOut: "Ask for less at once, or make the call again in a while.",
    PrimeError: "Tell the owner; Prime's log says more.",
}


def with_next_step(error: PrimeError) -> PrimeError:
    """The same error, and in any case with what to do next: every refusal has that."""
    if not error.hint:
        error.hint = next(_NEXT_STEPS[kind] for kind in type(error).__mro__ if kind in _NEXT_STEPS)
    return error


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
