"""From one help text to one command: its description, options, arguments and the names of its subcommands."""

import re
from dataclasses import dataclass, field

from prime.tools.infer.parameters import Json, described_arguments, options, usage_arguments
from prime.tools.infer.sections import Entry, HelpText, Section, cut, opening

_COMMANDS = re.compile(r"\b(sub-?)?commands?\b|\bverbs$")
_PROGRAMS = re.compile(r"\b(functions|applets)$")
_OPTIONS = re.compile(r"^(\w+ )?(options|flags)\b")
_ARGUMENTS = re.compile(r"^(positional )?arg(ument)?s$|^positionals$|^operands$")
_OTHER = re.compile(r"example|environment|alias|see also|learn more|exit (status|code)|author|report|usage")
_GLOBAL = re.compile(r"global (flags|options)|inherited")
_NAME = re.compile(r"^[A-Za-z0-9][\w:.+-]{0,60}$")
_LINE_OF_COMMANDS = re.compile(r"^(?:[a-z][\w.+-]*|\[{1,2})(?:,\s*(?:[a-z][\w.+-]*|\[{1,2})){2,},?$")
_TAKES_COMMAND = re.compile(r"[<\[{(]?\b(sub-?)?command\b|\bCOMMAND\b|<cmd>|\{[\w-]+(,[\w-]+)+\}", re.IGNORECASE)
_VERSION = re.compile(r"\b[vV]?(\d+\.\d+(?:\.\d+)*(?:[-+][\w.]+)?)\b")
_OTHER_NAMES = re.compile(r"^[\w:.+-]+(, ?[\w-]+|\|[\w-]+)+$|^[\w-]+ [<\[]")
# "start UNIT...", "bind UNIT PATH [PATH]": a name, and in capitals or brackets what it takes.
_SHAPED = re.compile(r"(?P<name>[a-z0-9][\w:.+-]{0,60}) (?P<takes>(?:[<\[{]|[A-Z][A-Z0-9_=.|:-]*(?: |$|\.\.\.|\[)).*)")
# One level of brackets within others; never looks twice at what it has passed.
_BRACKETS = re.compile(r"\[[^\[\]]*+(?:\[[^\[\]]*+\][^\[\]]*+)*+\]")
MAX_COMMANDS = 300


@dataclass(slots=True)
class Help:
    """What one help text says.

    `commands` maps the names of subcommands to their one-line descriptions, `shapes` to what the list says they take.
    `programs`: they are programs of their own (`mkfs`, `reboot`), as busybox has them.
    """

    description: str = ""
    version: str = ""
    options: list[Json] = field(default_factory=list[Json])
    arguments: list[Json] = field(default_factory=list[Json])
    commands: dict[str, str] = field(default_factory=dict[str, str])
    shapes: dict[str, str] = field(default_factory=dict[str, str])
    programs: bool = False

    @property
    def says_something(self) -> bool:
        return bool(self.options or self.arguments or self.commands)


def read_help(text: str, path: tuple[str, ...]) -> Help:
    """Read the help of the command at `path` (the program's name first)."""
    help_text = cut(text)
    named = path[-1].rpartition("/")[2]
    commands, shapes = _commands(help_text)
    return Help(
        description=opening(help_text),
        version=_version(text, named),
        options=options(
            entry
            for section in help_text.sections
            # What holds for all commands is said once, at the top.
            if not _is_aside(section) and not (len(path) > 1 and _GLOBAL.search(section.heading))
            for entry in section.entries
        ),
        arguments=[] if commands else _arguments(help_text, named),
        commands=commands,
        shapes=shapes,
        programs=any(_PROGRAMS.search(section.heading) for section in help_text.sections),
    )


def _version(text: str, name: str) -> str:
    """A version that stands beside the program's name or the word "version" in the first lines."""
    for line in text.splitlines()[:5]:
        if line.lower().startswith(name.lower()) or "version" in line.lower():
            found = _VERSION.search(line)
            if found is not None:
                return found[1]
    return ""


def _commands(help_text: HelpText) -> tuple[dict[str, str], dict[str, str]]:
    takes = any(_TAKES_COMMAND.search(line) for line in help_text.usage)
    found: dict[str, str] = {}
    shapes: dict[str, str] = {}
    for section in help_text.sections:
        if _is_about_commands(section, takes=takes):
            for entry in _first_level(section):
                _add(found, entry)
                if shaped := _SHAPED.fullmatch(entry.what):
                    shapes[shaped["name"]] = shaped["takes"]
    found.pop("help", None)
    kept = dict(list(found.items())[:MAX_COMMANDS])
    return kept, {name: shape for name, shape in shapes.items() if name in kept}


def _is_aside(section: Section) -> bool:
    """Examples, variables and the like; "Options (and environment variables)" are options first."""
    return _OTHER.search(section.heading) is not None and _OPTIONS.match(section.heading) is None


def _is_about_commands(section: Section, *, takes: bool) -> bool:
    if _is_aside(section):
        return False
    if _COMMANDS.search(section.heading) or _PROGRAMS.search(section.heading):
        return True
    if _ARGUMENTS.match(section.heading):
        # argparse lists subcommands there, below the line with all their names in braces.
        return any(entry.what.startswith("{") for entry in section.entries)
    return takes and not re.search(r"option|flag|argument", section.heading)


def _first_level(section: Section) -> list[Entry]:
    entries = [entry for entry in section.entries if not entry.what.startswith("-")]
    braces = [entry for entry in entries if entry.what.startswith("{")]
    if braces:
        # Everything after the braces was read as their description or stands deeper.
        return [*_split_braces(braces[0]), *(entry for entry in entries if entry.indent > braces[0].indent)]
    if not entries:
        return []
    first = min(entry.indent for entry in entries)
    return [entry for entry in entries if entry.indent == first]


def _split_braces(entry: Entry) -> list[Entry]:
    return [Entry(entry.indent, name) for name in entry.what.strip("{}").split(",")]


def _add(found: dict[str, str], entry: Entry) -> None:
    if _LINE_OF_COMMANDS.match(entry.what) and not entry.text:
        for name in re.split(r",\s*", entry.what.strip(",")):
            if _NAME.match(name):  # `[` of a multi-call program is none
                found.setdefault(name, "")
        return
    # "build, b" and "build|b": the rest are other names of the same command.
    name = re.split(r"[,|\s(]", entry.what.rstrip(":*"))[0].rstrip(":*")
    alone = entry.what.rstrip(":*") == name or _OTHER_NAMES.match(entry.what) or _SHAPED.fullmatch(entry.what)
    if alone and _NAME.match(name) and (entry.text or entry.what == name):
        found[name] = found.get(name) or entry.text[:500]


def _arguments(help_text: HelpText, name: str) -> list[Json]:
    described = [
        argument
        for section in help_text.sections
        if _ARGUMENTS.match(section.heading)
        for argument in described_arguments(section.entries)
    ]
    if not help_text.usage:
        return described
    line = help_text.usage[0]
    if described:
        return [argument | _needed(str(argument["name"]), line) for argument in described]
    _, found, rest = line.partition(name)
    return usage_arguments(rest if found else line)


def _needed(name: str, usage: str) -> Json:
    """What the usage line says of an argument that is described elsewhere: within brackets it may be left out."""
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE)
    outside = _BRACKETS.sub(" ", usage)
    return {"required": False} if word.search(usage) and not word.search(outside) else {}
