"""Options and arguments, read from the left columns of a help text."""

import re
from collections.abc import Iterable

from prime.core.errors import JsonValue
from prime.tools.infer.sections import Entry

Json = dict[str, JsonValue]

_PIECES = re.compile(r",\s*(?=-)|\s+\|\s+(?=-)|\s+or\s+(?=-)|/(?=-)|\s+(?=--?\w)")
_FLAG = re.compile(r"^(?P<flag>--?[A-Za-z0-9?#@][\w.+-]{0,100}?|-[?#@:])(?P<rest>(?:\[[=,\w<]|[=\s<{\[(.]).*)?$")
_CHOICES = re.compile(r"^[{\[<(]?([\w.+-]+(?:[|,]\s?[\w.+-]+)+)[}\]>)]?$")
_NOTES = {
    "enum": re.compile(r"\[possible values: ([^\]]+)\]|\(choices: ([^)]+)\)", re.IGNORECASE),
    "default": re.compile(r"[\[(]default:? ?[\"']?([^\])\"']{1,80})[\"']?[\])]", re.IGNORECASE),
    "env": re.compile(r"\[env(?: var)?: ?([A-Z][A-Z0-9_]*)", re.IGNORECASE),
    "required": re.compile(r"[\[(]required[\])]", re.IGNORECASE),
}
_TYPES = {
    "integer": re.compile(r"^(n|num|number|count|int|integer|uint\w*|int\d+|lines|bytes|size|port|secs?|seconds|"
                          r"depth|level|width|cols|pid|jobs|uid|gid)$"),
    "number": re.compile(r"^(float\w*|decimal|ratio|double)$"),
    "directory": re.compile(r"^(dir|directory|folder|.*[_-]dir(ectory)?)$"),
    "file": re.compile(r"^(file|filename|path|files|paths|filepath|(in|out)file|.*[_-](file|path))$"),
    "url": re.compile(r"^(url|uri|urls)$"),
}  # fmt: skip
# What a usage line says of options; a command and its arguments are arguments where no subcommands were found.
_NO_ARGUMENTS = re.compile(r"(options?|flags?|global[_-]?options?|or)")
_USAGE_WORD = re.compile(
    r"(\[)?(<[^<>]{1,60}>|[A-Z][A-Z0-9_-]{0,40}|"
    r"(?<=\[)[a-z][a-z0-9_-]{1,40}(?=\])|[a-z][a-z0-9_-]{1,40}(?=\.\.\.))(\])?\s*(\.\.\.)?"
)
# Never looks twice at what it has passed: a usage line of a million dashes is read as quickly as any other.
_USAGE_OPTION = re.compile(r"\[[^\[\]-]*+(?<=[\s|(\[])-[^\[\]]*+(?:\[[^\[\]]*+\][^\[\]]*+)*+\]")
# Parts of one word: NUMBER[SUFFIX], NAME=VALUE.
_USAGE_SUFFIX = re.compile(r"(?<=\w)\[([A-Z]+)\]")
_USAGE_PAIR = re.compile(r"(?<=[A-Z])=(?=[A-Z])")
_HELP = {"--help", "-help", "-?"}
_ABOUT_HELP = re.compile(r"\b(help|usage|summary|this|manual)\b", re.IGNORECASE)


def options(entries: Iterable[Entry]) -> list[Json]:
    """Each entry whose left column is flags, once; those that only ask for help left out."""
    found: dict[str, Json] = {}
    taken: set[str] = set()
    for entry in entries:
        option = _option(entry) if entry.what.startswith("-") else None
        if option is None:
            continue
        flags = option["flags"]
        assert isinstance(flags, list)
        if taken.isdisjoint(flags) and not _asks_for_help(set(flags), entry.text):  # pyright: ignore[reportUnknownArgumentType]
            taken.update(flags)  # pyright: ignore[reportUnknownArgumentType]
            found.setdefault(str(option["name"]), option)
    return list(found.values())


def _asks_for_help(flags: set[str], text: str) -> bool:
    """`-h` alone is something else where the text speaks of something else (`du -h`, `tar -h`)."""
    return bool(_HELP & flags) or (flags == {"-h"} and (not text or _ABOUT_HELP.search(text) is not None))


def _option(entry: Entry) -> Json | None:
    flags: list[str] = []
    value, optional = "", False
    for piece in _PIECES.split(_one_gap(entry.what)):
        match = _FLAG.match(piece.strip())
        if match is None:
            value = value or piece.strip(" .=")
            continue
        rest = match["rest"] or ""
        optional = optional or rest.startswith("[")
        value = value or rest.strip(" .=")
        flags.append(match["flag"].rstrip(",."))
    # `--color, --no-color`: the second is not another word for the first.
    flags = [flag for flag in dict.fromkeys(flags) if f"--{flag[5:]}" not in flags or not flag.startswith("--no-")]
    if not flags:
        return None
    kind = _kind(value, entry.text)
    if optional and "type" in kind and kind["type"] != "boolean":
        # The value is optional and so must stand in the same word.
        flags = [f"{flag}=" if flag.startswith("--") else flag for flag in flags if flag.startswith("--")] or flags
    name = next((flag for flag in flags if flag.startswith("--")), flags[0]).strip("-=") or flags[0]
    repeated = {"variadic": True} if "..." in entry.what and kind["type"] != "boolean" else {}
    return {
        "name": name,
        "flags": flags,
        **kind,
        "description": _text(entry.text),
        **repeated,
        **_notes(entry.text, kind),
    }


def _one_gap(what: str) -> str:
    return re.sub(r"\s+", " ", what)


def _kind(value: str, text: str) -> Json:
    """The type of a value by how it is called, and by what the text says of it."""
    listed = _NOTES["enum"].search(text)
    if listed is not None and value:
        return _enum((listed[1] or listed[2]).split(","))
    word = value.strip("[]<>{}()=.+ ").lower()
    choices = _CHOICES.match(value.strip("=. "))
    if choices is not None and "..." not in value:
        return _enum(re.split(r"[|,]\s?", choices[1]))
    if not word:
        return {"type": "boolean"}
    if word in ("strings", "stringarray", "stringslice"):
        return {"type": "array"}
    return {"type": next((kind for kind, called in _TYPES.items() if called.match(word)), "string")}


def _enum(words: Iterable[str]) -> Json:
    values = list(dict.fromkeys(word.strip(" `'\"") for word in words))
    values = [value for value in values if value]
    return {"type": "enum", "enum": values} if len(values) > 1 else {"type": "string"}


def _notes(text: str, kind: Json) -> Json:
    notes: Json = {}
    if (default := _NOTES["default"].search(text)) is not None and kind["type"] != "boolean":
        value = default[1].strip().lstrip("[")
        if not value:
            return notes
        if kind["type"] == "integer":
            notes |= {"default": int(value)} if re.fullmatch(r"-?\d{1,15}", value) else {}
        elif kind["type"] in ("string", "file", "directory", "url") or value in _listed(kind):
            notes["default"] = value
    if (env := _NOTES["env"].search(text)) is not None:
        notes["envVar"] = env[1]
    if _NOTES["required"].search(text):
        notes["required"] = True
    return notes


def _listed(kind: Json) -> list[object]:
    values = kind.get("enum")
    return values if isinstance(values, list) else []  # pyright: ignore[reportUnknownVariableType]


def _text(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()[:500]


def described_arguments(entries: Iterable[Entry]) -> list[Json]:
    """Arguments from a section of their own. One that lists choices in braces is a list of subcommands."""
    found: dict[str, Json] = {}
    for entry in entries:
        word = entry.what.split()[0] if entry.what.split() else ""
        name = word.strip("[]<>.:").replace(" ", "-")
        if not re.fullmatch(r"[A-Za-z][\w.-]{0,60}", name) or entry.what.startswith(("-", "{")):
            continue
        many = "..." in entry.what or name.lower().endswith("...")
        argument: Json = {"name": name.lower(), **_value(name, entry.text), "description": _text(entry.text)}
        argument["required"] = not (entry.what.startswith("[") or "optional" in entry.text.lower())
        found.setdefault(name.lower(), argument | ({"variadic": True} if many else {}))
    return list(found.values())


def usage_arguments(usage: str) -> list[Json]:
    """Arguments from a usage line from which program and subcommand are gone."""
    # Options with their values say nothing about arguments: [-o FILE], [--color[=WHEN]], -x <lang>
    rest = _USAGE_OPTION.sub(" ", usage)
    rest = re.sub(r"(?<!\S)--?[A-Za-z][\w-]*(?:[= ](?:<[^>]*>|[A-Z]+))?", " ", rest)
    rest = _USAGE_PAIR.sub("-", _USAGE_SUFFIX.sub(r"-\1", rest))
    found: dict[str, Json] = {}
    for opened, word, closed, dots in _USAGE_WORD.findall(rest):
        name = re.sub(r"[^\w-]+", "-", word.strip("<>").lower()).strip("-")
        if not name or _NO_ARGUMENTS.fullmatch(name):
            continue
        many = bool(dots) or "..." in word
        if name in found:
            found[name] |= {"variadic": True} if many else {}
            continue
        argument: Json = {"name": name, **_value(name, ""), "description": "", "required": not (opened or closed)}
        found[name] = argument | ({"variadic": True} if many else {})
    return list(found.values())


def _value(name: str, text: str) -> Json:
    kind = _kind(name, text)
    return {"type": "string"} if kind["type"] in ("boolean", "array") else kind
