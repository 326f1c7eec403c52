"""From a call's arguments to a list of words (RFC 7.3, D-ATIP-8, D-ATIP-9). Never a shell string.

`build_argv` checks while it builds: a wrong argument is an `InvalidArguments` that names the field.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from prime.core.errors import InvalidInput, JsonValue
from prime.tools.atip.model import Option
from prime.tools.tool import NARGS, Slot, Tool, value_type, word_of

_WHOLE = re.compile(r"[+-]?\d{1,100}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)


class InvalidArguments(InvalidInput):
    """An argument that the tool does not take; `field` names it."""

    code = "invalid_arguments"

    def __init__(self, tool: Tool, field: str, message: str, hint: str) -> None:
        super().__init__(f"{tool.name}: `{field}` {message}", hint=hint, tool=tool.name, field=field)
        self.field = field


def build_argv(tool: Tool, arguments: Mapping[str, JsonValue]) -> list[str]:
    """The words to run: executable's name, global options, command, options, then positionals.

    Null means "leave out". What is left out and has a default is left to the tool, except a required argument.
    """
    given = {key: value for key, value in arguments.items() if value is not None}
    known = {slot.key for slot in tool.slots}
    for key in given:
        if key not in known:
            takes = f"It takes: {', '.join(sorted(known))}." if known else "It takes no arguments."
            raise InvalidArguments(tool, str(key)[:80], "is not an argument of this command.", takes)
    before = [word for slot in tool.slots if slot.before for word in _option(tool, slot, given)]
    options = [slot for slot in tool.slots if not slot.before and slot.role != "argument" and slot.word is None]
    early = [word for slot in options if not slot.last for word in _option(tool, slot, given)]
    late = [word for slot in options if slot.last for word in _option(tool, slot, given)]
    positionals = _guarded(tool, _positionals(tool, given))
    command = _command(tool, given)
    return [tool.command[0], *before, *command, *early, *positionals, *late, *_separated(tool, given)]


def _command(tool: Tool, given: Mapping[str, JsonValue]) -> Iterator[str]:
    """The words after the executable, each group's options behind it; a number that is no word's counts as the last."""
    last = len(tool.command) - 1
    for number, word in enumerate(tool.command[1:], start=1):
        yield word
        for slot in tool.slots:
            if slot.word is not None and max(1, min(slot.word, last)) == number:
                yield from _option(tool, slot, given)


def _option(tool: Tool, slot: Slot, given: Mapping[str, JsonValue]) -> Iterator[str]:
    option = slot.parameter
    assert isinstance(option, Option)
    if slot.key not in given:
        if option.required and option.default is None:
            raise InvalidArguments(tool, slot.key, "is missing.", "Give it a value.")
        return
    value = given[slot.key]
    if option.type == "boolean" and not slot.many:
        yield from _switch(tool, slot, option, on=_boolean(tool, slot, value))
        return
    flag = _flag(option)
    words = _words(tool, slot, value)
    if NARGS in option.extra and words:
        yield from _together(tool, slot, flag, words)
        return
    for word in words:
        yield from _joined(flag, word)


def _together(tool: Tool, slot: Slot, flag: str, words: list[str]) -> list[str]:
    """An option that takes several words at once: `--size 3 4`."""
    wanted = slot.parameter.extra[NARGS]
    if isinstance(wanted, int) and len(words) != wanted:
        raise InvalidArguments(tool, slot.key, f"has {len(words)} values.", f"Give exactly {wanted}.")
    if any(word.startswith("-") for word in words):
        raise InvalidArguments(tool, slot.key, "has a value that would be read as an option.", "Change the value.")
    return [flag, *words]


def _switch(tool: Tool, slot: Slot, option: Option, *, on: bool) -> Iterator[str]:
    negative = next((flag for flag in option.flags if _negates(flag, option)), None) or _opposite(tool, option)
    if on:
        flag = _flag(option)
        yield f"{flag}true" if flag.endswith("=") else flag
    elif negative is not None:
        yield negative
    elif _flag(option).endswith("="):
        yield f"{_flag(option)}false"
    elif option.default is True:
        raise InvalidArguments(tool, slot.key, "cannot be switched off: no flag does that.", "Leave it out.")


def _negates(flag: str, option: Option) -> bool:
    """Documents in the wild have a switch's opposite among its flags; `-w, --no-password` has none."""
    word = flag.removeprefix("--no-")
    return word != flag and len(option.flags) > 1 and (f"--{word}" in option.flags or option.name == word)


def _opposite(tool: Tool, option: Option) -> str | None:
    """The flag of another option that switches this one off, as the emitter writes it."""
    wanted = {f"--no-{flag[2:]}" for flag in option.flags if flag.startswith("--")}
    others = (slot.parameter for slot in tool.slots)
    return next((flag for other in others if isinstance(other, Option) for flag in other.flags if flag in wanted), None)


def _flag(option: Option) -> str:
    """The first long flag, else the first; a `--no-…` form only when it is the only one."""
    usable = [flag for flag in option.flags if not _negates(flag, option)] or list(option.flags)
    return next((flag for flag in usable if flag.startswith("--")), usable[0])


def _joined(flag: str, word: str) -> Iterator[str]:
    """Two words, but one where the value could be taken for a flag of its own."""
    if flag.endswith("="):
        yield flag + word
    elif word.startswith("-") and flag.startswith("--"):
        yield f"{flag}={word}"
    elif word.startswith("-") and len(flag) == 2 and word != "-":
        yield flag + word
    else:
        yield from (flag, word)


def _positionals(tool: Tool, given: Mapping[str, JsonValue]) -> list[tuple[str, str]]:
    """Each word with the key of the argument that it belongs to."""
    slots = [slot for slot in tool.slots if slot.role == "argument" and slot.separator is None]
    last = max((index for index, slot in enumerate(slots) if slot.key in given), default=-1)
    return [
        (slot.key, word)
        for index, slot in enumerate(slots)
        for word in _positional(tool, slot, given, filled=index < last)
    ]


def _positional(tool: Tool, slot: Slot, given: Mapping[str, JsonValue], *, filled: bool) -> list[str]:
    """`filled`: a later argument is given, so this place cannot stay empty."""
    parameter = slot.parameter
    if slot.key in given:
        words = _words(tool, slot, given[slot.key])
        if parameter.required and not words:
            raise InvalidArguments(tool, slot.key, "is empty.", "Give at least one value.")
        return words
    if not (parameter.required or filled) or (slot.many and not parameter.required):
        return []
    if parameter.default is None:
        why = "is missing." if parameter.required else "is needed, because an argument after it is given."
        raise InvalidArguments(tool, slot.key, why, "Give it a value.")
    return _words(tool, slot, parameter.default)


def _separated(tool: Tool, given: Mapping[str, JsonValue]) -> list[str]:
    """Arguments that stand at the end after a word of their own (`kubectl exec pod -- …`), as they are."""
    found: list[str] = []
    for slot in (slot for slot in tool.slots if slot.role == "argument" and slot.separator is not None):
        words = _positional(tool, slot, given, filled=False)
        found += [slot.separator or "", *words] if words else []
    return found


def _guarded(tool: Tool, positionals: list[tuple[str, str]]) -> list[str]:
    """Positionals that look like options stand after `--`, or are refused where the tool is not known to take it."""
    words = [word for _, word in positionals]
    risky = next(((key, word) for key, word in positionals if word.startswith("-") and word != "-"), None)
    if risky is None:
        return words
    if not tool.double_dash:
        raise InvalidArguments(
            tool,
            risky[0],
            f"has the value {risky[1][:40]!r}, which {tool.command[0]} would read as an option.",
            "Write a path as ./-name. A tool that takes `--` says so with x-double-dash in its document.",
        )
    return ["--", *words]


def _words(tool: Tool, slot: Slot, value: JsonValue) -> list[str]:
    if not slot.many:
        return [_word(tool, slot, value)]
    several = cast("Sequence[JsonValue]", value) if isinstance(value, list | tuple) else [value]
    return [_word(tool, slot, item) for item in several]


def _word(tool: Tool, slot: Slot, value: JsonValue) -> str:
    word = _typed(tool, slot, value)
    if "\x00" in word or any("\ud800" <= c <= "\udfff" for c in word):
        raise InvalidArguments(tool, slot.key, "holds a character that no program can be given.", "Remove it.")
    allowed = [word_of(item) for item in slot.parameter.enum]
    if allowed and word not in allowed:
        raise InvalidArguments(
            tool, slot.key, f"is {word[:40]!r}, which is not allowed.", f"Use one of: {', '.join(allowed)[:500]}."
        )
    return word


def _typed(tool: Tool, slot: Slot, value: JsonValue) -> str:
    """Models write 5 as "5" and the other way round; what is meant is clear, so it is taken."""
    kind = value_type(slot.parameter)
    if isinstance(value, list | tuple | dict):
        raise InvalidArguments(tool, slot.key, "is a list or an object.", f"Give a single {kind}.")
    if value is None:
        raise InvalidArguments(tool, slot.key, "holds null.", f"Give a {kind}.")
    if kind == "boolean":
        return word_of(_boolean(tool, slot, value))
    if kind == "integer":
        return _integer(tool, slot, value)
    if kind == "number":
        return _number(tool, slot, value)
    return value if isinstance(value, str) else _number_as_text(tool, slot, value)


def _boolean(tool: Tool, slot: Slot, value: JsonValue) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in {"true", "false"}:
        return value.lower() == "true"
    raise InvalidArguments(tool, slot.key, f"is {str(value)[:40]!r}, not true or false.", "Give true or false.")


def _integer(tool: Tool, slot: Slot, value: JsonValue) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 300:
        return str(value)
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return value
    raise InvalidArguments(tool, slot.key, f"is {_shown(value)}, not a whole number.", "Give a whole number.")


def _number(tool: Tool, slot: Slot, value: JsonValue) -> str:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return value
    if isinstance(value, str | bool):
        raise InvalidArguments(tool, slot.key, f"is {_shown(value)}, not a number.", "Give a number.")
    return _number_as_text(tool, slot, value)


def _number_as_text(tool: Tool, slot: Slot, value: JsonValue) -> str:
    if isinstance(value, bool):
        return word_of(value)
    if isinstance(value, int) and value.bit_length() < 300:
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    raise InvalidArguments(tool, slot.key, f"is {_shown(value)}, which cannot be written.", "Give a text or a number.")


def _shown(value: JsonValue) -> str:
    return "a huge number" if isinstance(value, int) and value.bit_length() > 300 else repr(value)[:40]
