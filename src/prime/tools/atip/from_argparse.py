"""An argparse program's parsers as parts of a document.

argparse has no public way to ask a parser what it takes, so this reads the attributes its help formatter reads.
"""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from prime.core.errors import JsonValue
from prime.tools.atip.scalars import MOST_CHOICES, is_plain, plain_items

Json = dict[str, JsonValue]
# Not bool: to argparse every word but the empty one is true.
_NUMBERS: Mapping[object, str] = {int: "integer", float: "number"}


def read_argparse(parser: argparse.ArgumentParser) -> Json:
    """The root fields: options of a parser with subcommands are global ones; without, it is the command ""."""
    root: Json = {
        "name": parser.prog.split(" ")[0],
        "version": _version(parser),
        "description": _paragraph(parser.description),
        **_effects(parser),
        "x-double-dash": True,
    }
    body = _command(parser, _paragraph(parser.description), ())
    body.pop("effects", None)
    if "commands" not in body:
        return root | {"commands": {"": body} | _read_before(parser)}
    options = body.get("options")
    return root | ({"globalOptions": options} if options else {}) | {"commands": body["commands"]}


def _read_before(parser: argparse.ArgumentParser) -> Json:
    """Commands of a parser that has no subcommands: those that are looked for before it reads a line (`prime`)."""
    before = cast("Mapping[str, argparse.ArgumentParser]", getattr(parser, "__atip_commands__", {}))
    return {name: _command(each, _paragraph(each.description), ()) for name, each in before.items()}


def _actions(parser: argparse.ArgumentParser) -> list[Any]:
    return list(cast("Any", parser)._actions)  # noqa: SLF001


def _is(action: Any, *kinds: str) -> bool:
    """By name: the classes are private to argparse."""
    return type(action).__name__.strip("_") in kinds


def _command(parser: argparse.ArgumentParser, description: str, above: tuple[Json, ...], depth: int = 0) -> Json:
    """`above` are options of the parsers on the way, which stand right after their parser's word, number `depth`."""
    body: Json = {"description": description}
    arguments: list[JsonValue] = []
    options: list[Json] = []
    children = None
    for action in _actions(parser):
        if action.help == argparse.SUPPRESS or _is(action, "HelpAction", "VersionAction"):
            continue
        if _is(action, "SubParsersAction"):
            children = action
        elif action.option_strings:
            options += _options(parser, action)
        else:
            arguments.append(_argument(parser, action))
    if arguments:
        body["arguments"] = arguments
    if (above or options) and (children is None or depth == 0 or not children.required):
        body["options"] = [*above, *options]
    if children is not None:
        passed = (*above, *(option | {"x-position": depth} for option in options)) if depth else ()
        body["commands"] = _children(children, passed, depth + 1)
    return body | _effects(parser)


def _children(action: Any, above: tuple[Json, ...], depth: int) -> Json:
    """Each subparser once: aliases are other names for the same one."""
    told = {choice.dest: choice.help or "" for choice in action._choices_actions}  # noqa: SLF001
    seen: set[int] = set()
    found: Json = {}
    for name, parser in action.choices.items():
        if id(parser) not in seen and told.get(name) != argparse.SUPPRESS:
            found[name] = _command(parser, _paragraph(parser.description) or told.get(name, ""), above, depth)
        seen.add(id(parser))
    return found


def _effects(parser: argparse.ArgumentParser) -> Json:
    """Declared on the parser, or on a function that it hands over by `set_defaults`."""
    declared: Json = {}
    defaults = cast("dict[str, object]", cast("Any", parser)._defaults)  # noqa: SLF001
    for holder in (*(value for value in defaults.values() if callable(value)), parser):
        declared |= cast("Mapping[str, JsonValue]", getattr(holder, "__atip_effects__", {}))
    return {"effects": declared} if declared else {}


def _argument(parser: argparse.ArgumentParser, action: Any) -> Json:
    name = action.metavar if isinstance(action.metavar, str) and action.metavar.strip() else action.dest
    described: Json = {"name": "-".join(name.split()), **_type(action), "description": _help(parser, action)}
    if action.nargs in {"?", "*", argparse.REMAINDER}:
        described["required"] = False
    if action.nargs not in {None, "?"}:
        described["variadic"] = True
    return described | _default(action)


def _options(parser: argparse.ArgumentParser, action: Any) -> Iterator[Json]:
    """The option, and its opposite as one of its own: all flags of an option mean the same (RFC 3.5)."""
    told = f"{_help(parser, action)} {_exclusive(parser, action)}".strip()
    every = cast("list[str]", action.option_strings)
    opposite = [flag for flag in every if flag.startswith("--no-") and f"--{flag[5:]}" in every]
    flags = [flag for flag in every if flag not in opposite]
    described: Json = {**_named(flags), **_option_type(action), "description": told}
    if action.required:
        described["required"] = True
    yield described | _default(action)
    if opposite:
        meaning = f"The opposite of {flags[0]}" + (f" ({told})" if told else "")
        yield {**_named(opposite), "type": "boolean", "description": meaning}


def _named(flags: list[str]) -> Json:
    return {"name": max(flags, key=len).lstrip("-+/"), "flags": list(flags)}


def _exclusive(parser: argparse.ArgumentParser, action: Any) -> str:
    """A document has no word for "one of these", so the description says it."""
    for group in cast("Any", parser)._mutually_exclusive_groups:  # noqa: SLF001
        names = [one.option_strings[0] for one in group._group_actions if one.option_strings]  # noqa: SLF001
        others = [name for name in names if name not in action.option_strings]
        if len(others) < len(names) and others:
            needed = " One of them is needed." if group.required else ""
            return f"Not together with {', '.join(others)}.{needed}"
    return ""


def _option_type(action: Any) -> Json:
    if action.nargs == 0 or _is(action, "BooleanOptionalAction"):
        return {"type": "boolean"}
    single = _type(action)
    together = action.nargs not in {None, "?"}
    if not together and not _is(action, "AppendAction", "ExtendAction"):
        return single
    several: Json = {"type": "array"}
    if "enum" in single:
        several["enum"] = single["enum"]
    elif single["type"] != "string":
        several["items"] = {"type": single["type"]}
    return several | {"x-nargs": action.nargs} if together else several


def _type(action: Any) -> Json:
    if action.choices is not None and len(action.choices) <= MOST_CHOICES:
        return {"type": "enum", "enum": [str(choice) for choice in action.choices]}
    kind = action.type
    if _is(kind, "FileType") or (isinstance(kind, type) and issubclass(kind, Path)):
        return {"type": "file"}
    known = _NUMBERS.get(kind) if isinstance(kind, type) else None
    return {"type": known or "string"}


def _default(action: Any) -> Json:
    default = action.default
    if default in {None, argparse.SUPPRESS} if isinstance(default, str) or default is None else False:
        return {}
    if action.nargs == 0 and (default is False or not _is(action, "BooleanOptionalAction")):
        return {}  # a switch that is not there is off, whatever value the program keeps for that
    if is_plain(default):
        return {"default": default}
    items = plain_items(default)
    return {"default": items} if items else {}


def _help(parser: argparse.ArgumentParser, action: Any) -> str:
    """With `%(default)s` and its like filled in; as it stands where that fails."""
    formatter = cast("Any", parser)._get_formatter()  # noqa: SLF001
    try:
        text = formatter._expand_help(action) if action.help else ""  # noqa: SLF001
    except (ValueError, KeyError, TypeError):
        text = action.help
    return " ".join(str(text).split())


def _version(parser: argparse.ArgumentParser) -> str | None:
    for action in _actions(parser):
        if _is(action, "VersionAction") and action.version:
            return str(action.version).replace("%(prog)s", "").replace(parser.prog, "").strip() or None
    return None


def _paragraph(text: str | None) -> str:
    return " ".join((text or "").strip().partition("\n\n")[0].split())
