"""Servers out of other clients' configuration files: JSON with or without comments, TOML, YAML."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import cast

from prime.core.bad_text import BadText
from prime.core.errors import InvalidInput, JsonValue
from prime.core.yaml_text import read_mapping
from prime.gateway.behind.files import LARGEST, document_of, read_text

Entry = dict[str, JsonValue]
Given = Mapping[str, JsonValue]
# What Prime's own entries have; the rest of an entry is the other client's business.
_KEPT = ("type", "transport", "command", "args", "env", "cwd", "url", "headers", "disabled")
# What others call it.
_OTHERWISE: Mapping[str, tuple[str, ...]] = {
    "command": ("cmd",),
    "env": ("environment", "envs"),
    "url": ("serverUrl", "httpUrl", "uri"),
    "headers": ("http_headers",),
}
# Words for the type that say no more than the rest of the entry.
_NO_TYPES = ("local", "remote", "custom")
# Where clients keep their servers: most at the top, editors below a section of their own.
_PLACES = (
    ("mcpServers",),
    ("servers",),
    ("mcp_servers",),
    ("mcp", "servers"),
    ("mcp", "mcpServers"),
    ("context_servers",),
    ("mcp",),
    ("extensions",),
)
# A string that is not closed ends with its line: it is not looked through again from each quote in it.
_STRING = r'("(?:[^"\\\n]|\\.)*+"?)'
_COMMENT = re.compile(_STRING + r"|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_LAST_COMMA = re.compile(_STRING + r"|,(?=\s*[\]}])")
# An editor asks its user for these.
_ASKED_FOR = re.compile(r"\$\{input:([^}]+)\}")


def read_config(file: Path) -> Given:
    """Another client's file as JSON."""
    text = read_text(file)
    if text is None:
        raise InvalidInput(f"{file} is not there.", code="no_such_file", hint="Name the other client's file.")
    try:
        if file.suffix == ".toml":
            return cast("Given", tomllib.loads(text))
        if file.suffix in {".yaml", ".yml"}:
            return read_mapping(text, max_bytes=LARGEST).data
    except (tomllib.TOMLDecodeError, BadText, RecursionError) as error:
        raise InvalidInput(f"{file} cannot be read: {error}", code="invalid_mcp_config", file=str(file)) from None
    return document_of(without_comments(text), file)


def without_comments(text: str) -> str:
    """JSON as editors write it, with comments and a comma after the last item, without both."""
    return _LAST_COMMA.sub(_strings, _COMMENT.sub(_strings, text))


def _strings(match: re.Match[str]) -> str:
    return match[1] or ""


def servers_in(document: Given, file: Path) -> dict[str, Entry]:
    """Name to entry; `InvalidInput` when no known place in the document has any."""
    for place in _PLACES:
        found = {_name(name): _entry(one) for name, one in _named(_at(document, place)) if _is_entry(one)}
        if found:
            return found
    raise InvalidInput(f"{file} names no MCP servers.", code="no_servers", hint="Look for `mcpServers` in it.")


def _at(document: Given, place: tuple[str, ...]) -> JsonValue:
    found = document.get(place[0])
    if len(place) == 1 or not isinstance(found, Mapping):
        return found if len(place) == 1 else None
    return _at(cast("Given", found), place[1:])


def _named(found: JsonValue) -> Iterable[tuple[str, Given]]:
    """Entries by name; some clients have a list of entries that say their names."""
    if isinstance(found, Mapping):
        return [(k, cast("Given", one)) for k, one in cast("Given", found).items() if isinstance(one, Mapping)]
    if isinstance(found, list):
        listed = [cast("Given", one) for one in cast("list[JsonValue]", found) if isinstance(one, Mapping)]
        return [(str(one["name"]), one) for one in listed if isinstance(one.get("name"), str)]
    return []


def _name(name: str) -> str:
    """As it can be written here: others allow blanks and signs."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.")[:64] or name


def _is_entry(value: Given) -> bool:
    return any(key in value for key in ("command", "url", *_OTHERWISE["command"], *_OTHERWISE["url"]))


def _entry(given: Given) -> Entry:
    entry: Entry = {key: given[key] for key in _KEPT if key in given}
    for key, others in _OTHERWISE.items():
        said = [given[other] for other in others if other in given]
        if said:
            entry.setdefault(key, said[0])
    if isinstance(command := entry.get("command"), Mapping):  # an editor's {"path": …, "args": […], "env": {…}}
        inner = cast("Given", command)
        entry |= {"command": inner.get("path"), "args": inner.get("args", []), "env": inner.get("env") or {}}
    elif isinstance(command, list):
        words = cast("list[JsonValue]", command)
        entry |= {"command": words[0] if words else "", "args": words[1:]}
    if entry.get("type") in _NO_TYPES:
        del entry["type"]
    if given.get("enabled") is False:
        entry["disabled"] = True
    entry |= _codex(given, entry)
    return cast("Entry", _asked_for(entry))


def _codex(given: Given, entry: Given) -> Entry:
    """Names of variables that stand for headers, and seconds."""
    more: Entry = {}
    headers = dict(cast("Given", entry["headers"])) if isinstance(entry.get("headers"), Mapping) else {}
    if isinstance(named := given.get("env_http_headers"), Mapping):
        headers |= {key: f"${{{variable}}}" for key, variable in cast("Given", named).items()}
    if isinstance(variable := given.get("bearer_token_env_var"), str):
        headers["Authorization"] = f"Bearer ${{{variable}}}"
    if headers:
        more["headers"] = headers
    if isinstance(seconds := given.get("tool_timeout_sec"), int | float):
        more["timeoutMs"] = seconds * 1000
    return more


def _asked_for(value: JsonValue) -> JsonValue:
    """`${input:api-key}` as `${API_KEY}`, which is a secret here."""
    if isinstance(value, str):
        return _ASKED_FOR.sub(lambda match: f"${{{re.sub(r'[^A-Za-z0-9]+', '_', match[1]).upper()}}}", value)
    if isinstance(value, dict):
        return {key: _asked_for(one) for key, one in cast("Given", value).items()}
    if isinstance(value, list):
        return [_asked_for(one) for one in cast("list[JsonValue]", value)]
    return value
