"""A click program's commands as parts of a document. Typer's programs come here as the click ones they are.

Works by what the objects have, not by their classes, so that it does not matter whose copy of click made them.
"""

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from inspect import cleandoc
from pathlib import Path
from typing import Any, Literal, cast, get_args, get_origin

from prime.core.errors import JsonValue
from prime.tools.atip.scalars import MOST_CHOICES, is_plain, plain_items

Json = dict[str, JsonValue]
_PYTHON_TYPES: Mapping[object, str] = {int: "integer", float: "number", bool: "boolean"}
_COMPLETION = frozenset({"install_completion", "show_completion"})
_NUMBERS = {"integer": "integer", "integer range": "integer", "float": "number", "float range": "number"}


def read_click(program: Any, name: str | None) -> Json:
    """The root fields: a group's own options are the global ones; a single command is the command ""."""
    context = _context(program, name or program.name or "program", None)
    root: Json = {
        "name": program.name,
        "description": _summary(program),
        **_effects(program),
        "x-double-dash": True,
    }
    options, _ = _parameters(program, context)
    if not _is_group(program):
        body = _command(program, context, ())
        body.pop("effects", None)
        return root | {"commands": {"": body}}
    commands: Json = {}
    if program.invoke_without_command:
        commands[""] = {"description": _summary(program)}
    commands |= _children(program, context, ())
    return root | ({"globalOptions": options} if options else {}) | {"commands": commands}


def _context(command: Any, name: str, parent: Any) -> Any:
    return command.context_class(command, info_name=name, parent=parent, **command.context_settings)


def _is_group(command: Any) -> bool:
    return hasattr(command, "list_commands")


def _children(group: Any, context: Any, above: tuple[Json, ...]) -> Json:
    """`above` are options of the groups on the way, which stand right after their group's word."""
    found: Json = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None and not command.hidden:
            found[name] = _command(command, _context(command, name, context), above)
    return found


def _command(command: Any, context: Any, above: tuple[Json, ...]) -> Json:
    options, arguments = _parameters(command, context)
    body: Json = {"description": _summary(command)}
    group = _is_group(command)
    if arguments and not group:
        body["arguments"] = arguments
    if not group or command.invoke_without_command:
        body |= {"options": [*above, *options]} if above or options else {}
    body |= _effects(command)
    if command.deprecated:
        body["x-deprecated"] = command.deprecated
    if group:
        depth = len(context.command_path.split()) - 1
        children = _children(command, context, (*above, *(option | {"x-position": depth} for option in options)))
        body["commands"] = {"": {"description": _summary(command)}, **children} if _alone(command) else children
    return body


def _alone(group: Any) -> bool:
    return bool(group.invoke_without_command)


def _summary(command: Any) -> str:
    """The first paragraph of the help."""
    text = cleandoc(command.help or command.short_help or "").partition("\f")[0]
    return " ".join(text.replace("\b", "").strip().partition("\n\n")[0].split())


def _effects(command: Any) -> Json:
    """As declared; a parameter that is asked for when it is missing makes the command interactive."""
    declared: Json = {}
    for holder in (command.callback, command):
        declared |= cast("Mapping[str, JsonValue]", getattr(holder, "__atip_effects__", {}))
    if "interactive" not in declared:
        asked = [p for p in command.params if getattr(p, "prompt", None)]
        if any(getattr(p, "hide_input", False) for p in asked):
            declared["interactive"] = {"stdin": "password", "prompts": True}
        elif asked:
            declared["interactive"] = {"prompts": True}
    return {"effects": declared} if declared else {}


def _parameters(command: Any, context: Any) -> tuple[list[Json], list[JsonValue]]:
    options: list[Json] = []
    arguments: list[JsonValue] = []
    for parameter in command.params:
        if getattr(parameter, "hidden", False) or _is_framework(parameter):
            continue
        if parameter.param_type_name == "option":
            options += _options(parameter, context)
        else:
            arguments.append(_argument(parameter, command))
    return options, arguments


def _is_framework(parameter: Any) -> bool:
    """`--help`, `--version`, and typer's options that change a person's shell: not what the program is for."""
    return not parameter.expose_value and (parameter.is_eager or parameter.name in _COMPLETION)


def _argument(parameter: Any, command: Any) -> Json:
    told = getattr(parameter, "help", "") or _mention(command.help or "", parameter.name.upper())
    described: Json = {"name": parameter.name, **_type(parameter), "description": told}
    if not parameter.required:
        described["required"] = False
    if parameter.nargs != 1:
        described["variadic"] = True
    return described | _default(parameter)


def _mention(text: str, name: str) -> str:
    """click has no help for arguments: by custom the command's help speaks of them in capitals."""
    sentences = re.split(r"(?<=[.!?])\s+", " ".join(text.split()))
    return next((sentence for sentence in sentences if re.search(rf"\b{re.escape(name)}\b", sentence)), "")


def _options(parameter: Any, context: Any) -> Iterator[Json]:
    """The option, and its opposite as one of its own: all flags of an option mean the same (RFC 3.5)."""
    told = " ".join((parameter.help or "").split())
    described: Json = {**_named(parameter, parameter.opts), **_option_type(parameter), "description": told}
    if parameter.required:
        described["required"] = True
    if variable := _variable(parameter, context):
        described["envVar"] = variable
    yield described | _default(parameter)
    if parameter.secondary_opts:
        opposite = f"The opposite of {parameter.opts[0]}" + (f" ({told})" if told else "")
        yield {**_named(parameter, parameter.secondary_opts), "type": "boolean", "description": opposite}


def _named(parameter: Any, flags: list[str]) -> Json:
    return {"name": max(flags, key=len).lstrip("-/") or parameter.name, "flags": list(flags)}


def _option_type(parameter: Any) -> Json:
    if parameter.is_flag or parameter.count:
        return {"type": "boolean"}
    single: Json = _type(parameter)
    if single["type"] == "boolean":  # not a switch: it takes the word
        single = {"type": "enum", "enum": ["true", "false"]}
    if not parameter.multiple and parameter.nargs == 1:
        return single
    several: Json = {"type": "array"}
    if "enum" in single:
        several["enum"] = single["enum"]
    elif single["type"] != "string":
        several["items"] = {"type": single["type"]}
    return several if parameter.nargs == 1 else several | {"x-nargs": parameter.nargs}


def _type(parameter: Any) -> Json:
    descriptor = getattr(parameter, "type_descriptor", None)
    if descriptor is not None:  # typer since 0.2x keeps Python's own types
        return _annotated(descriptor.annotation, descriptor.parameter_info)
    kind = parameter.type
    choices = getattr(kind, "choices", None)
    if choices is not None and len(choices) <= MOST_CHOICES:
        return {"type": "enum", "enum": [c.name if isinstance(c, Enum) else str(c) for c in choices]}
    if kind.name in _NUMBERS:
        return {"type": _NUMBERS[kind.name]}
    if kind.name == "boolean":
        return {"type": "boolean"}
    if hasattr(kind, "file_okay"):
        return {"type": "directory" if kind.dir_okay and not kind.file_okay else "file"}
    return {"type": "file" if kind.name == "filename" else "string"}


def _annotated(annotation: Any, info: Any) -> Json:
    if get_origin(annotation) is Literal:
        return {"type": "enum", "enum": [str(value) for value in get_args(annotation)]}
    if inside := [
        one for one in get_args(annotation) if one not in {type(None), ...}
    ]:  # of a list, a tuple, an optional
        first, *others = [_annotated(one, info) for one in inside]
        return first if all(other == first for other in others) else {"type": "string"}
    if _is_a(annotation, Enum):
        return {"type": "enum", "enum": [str(member.value) for member in annotation]}
    if _is_a(annotation, Path):
        return {"type": "directory" if info.dir_okay and not info.file_okay else "file"}
    if "File" in getattr(annotation, "__name__", ""):
        return {"type": "file"}
    return {"type": _PYTHON_TYPES.get(annotation, "string")}


def _is_a(annotation: Any, kind: type) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, kind)


def _default(parameter: Any) -> Json:
    """Only plain values: a callable default is not called, because `--agent` has no side effects."""
    default = parameter.default
    if isinstance(default, Enum):
        default = _choice(default, _type(parameter))
    switch = getattr(parameter, "is_flag", False) or getattr(parameter, "count", False)
    if default is None or callable(default) or (switch and default is not True):
        return {}
    if is_plain(default):
        return {"default": default}
    items = plain_items(default)
    return {"default": items} if items else {}


def _choice(default: Enum, described: Json) -> str | None:
    """By value as typer has it, or by name as click has it; None for click's own mark of "no default"."""
    allowed = cast("list[str]", described.get("enum", []))
    return next((word for word in (str(default.value), default.name) if word in allowed), None)


def _variable(parameter: Any, context: Any) -> str | None:
    named = parameter.envvar
    if isinstance(named, str):
        return named
    if named:
        return str(named[0])
    prefix = context.auto_envvar_prefix
    return f"{prefix}_{parameter.name.upper()}" if prefix and parameter.allow_from_autoenv else None
