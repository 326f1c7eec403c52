"""Write what is generated: pages of docs/, and the document behind `prime --agent`. `--check` says what is out of date."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import click

from prime import __version__
from prime.cli import program
from prime.core.settings import Settings
from prime.tools.atip import describe
from prime.web.app import create_routes

ROOT = Path(__file__).resolve().parent.parent

Json = dict[str, Any]


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        "All settings are environment variables; one that is set to nothing counts as not set. `prime settings` prints them",
        "with their present values. This page is generated from `src/prime/core/settings.py`.",
        "",
        "| variable | default | meaning |",
        "| --- | --- | --- |",
    ]
    for described in Settings().described({}):
        default = "" if described.value in (None, "") else f"`{described.value}`"
        lines.append(f"| `{described.variable}` | {default} | {described.meaning} |")
    return "\n".join(lines) + "\n"


# --- the command line ---


def cli_page() -> str:
    lines = [
        "# Command line",
        "",
        "Exit codes: 0 done, 1 it failed (the reason is on stderr), 2 the call was wrong. `--json` prints for programs.",
        "Data goes to stdout, everything else to stderr. This page is generated from the commands' own help.",
    ]
    for path, command in _commands("prime", cast("click.Command", program)):
        if not isinstance(command, click.Group):
            lines += ["", *_command(path, command)]
    return "\n".join(lines) + "\n"


def _commands(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                yield from _commands(f"{path} {name}", below)


def _command(path: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=path)
    arguments = [p.make_metavar(context) for p in command.params if isinstance(p, click.Argument)]
    yield f"## `{' '.join([path, *arguments])}`"
    yield ""
    yield " ".join((command.help or "").split("\f")[0].split())
    options = [p for p in command.params if isinstance(p, click.Option) and not p.hidden]
    if options:
        yield ""
        yield "| option | meaning |"
        yield "| --- | --- |"
    for option in options:
        record = option.get_help_record(context)
        if record:
            yield f"| `{_cell(record[0])}` | {_cell(record[1])} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


# --- the HTTP API ---


def api_page() -> str:
    app = create_routes(cast("Any", None), cast("Any", None))
    document = app.openapi()
    lines = [
        "# HTTP API",
        "",
        "JSON in camelCase. An error is `{error: {code, message, …}}`. Lists are `{items, nextCursor}`, with `?cursor=`",
        "and `?limit=`. A name with `?` may be left out. The OpenAPI document of a running Prime is at `/openapi.json`;",
        "this page is generated from it.",
    ]
    by_tag: dict[str, list[str]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            tag = (operation.get("tags") or ["other"])[0]
            by_tag.setdefault(tag, []).append(_endpoint(document, path, method, operation))
    for tag in sorted(by_tag):
        lines += [
            "",
            f"## {tag}",
            "",
            "| endpoint | what | takes | answers |",
            "| --- | --- | --- | --- |",
            *by_tag[tag],
        ]
    return "\n".join(lines) + "\n"


def _endpoint(document: Json, path: str, method: str, operation: Json) -> str:
    named = [p for p in operation.get("parameters", []) if p["in"] == "query"]
    query = ", ".join(f"{p['name']}{'' if p.get('required') else '?'}" for p in named)
    body = _content(document, operation.get("requestBody", {}))
    answers = [r for status, r in operation["responses"].items() if status < "300"]
    takes = " ".join(part for part in (f"`?{query}`" if query else "", f"`{body}`" if body else "") if part)
    answer = _content(document, answers[0]) if answers else ""
    what = (operation.get("description") or operation.get("summary") or "").split("\n\n")[0]
    cells = (f"`{method.upper()} {path}`", _cell(what), _cell(takes), _cell(f"`{answer}`" if answer else ""))
    return f"| {' | '.join(cells)} |"


def _content(document: Json, holder: Json) -> str:
    for media, content in holder.get("content", {}).items():
        schema = content.get("schema", {})
        return _shape(document, schema) if "json" in media or "multipart" in media else media
    return ""


def _shape(document: Json, schema: Json, depth: int = 0) -> str:
    """A schema in one line: the names of its fields, those of lists' items too."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _shape(document, document["components"]["schemas"][name], depth)
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_shape(document, s, depth) for s in schema["anyOf"] if s.get("type") != "null"))
    if "items" in schema:
        return f"[{_shape(document, schema['items'], depth)}]"
    if "properties" not in schema:
        return " | ".join(map(str, schema["enum"])) if "enum" in schema else str(schema.get("type", "any"))
    required = set(schema.get("required", []))
    fields = [
        _field(document, name, of, depth) + ("" if name in required else "?")
        for name, of in schema["properties"].items()
    ]
    return f"{{{', '.join(fields)}}}"


def _field(document: Json, name: str, schema: Json, depth: int) -> str:
    shape = _shape(document, schema, depth + 1)
    return f"{name}: {shape}" if shape.startswith("[{") and depth == 0 else name


def agent_document() -> str:
    document = describe(program, name="prime", version=__version__)
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


GENERATED = {
    "docs/settings.md": settings_page,
    "docs/cli.md": cli_page,
    "docs/api.md": api_page,
    "src/prime/cli/agent.json": agent_document,
}


def main() -> None:
    fresh = {ROOT / name: written() for name, written in GENERATED.items()}
    stale = [path for path, text in fresh.items() if _read(path) != text]
    if "--check" in sys.argv:
        if stale:
            names = ", ".join(str(path.relative_to(ROOT)) for path in stale)
            sys.exit(f"Out of date: {names}. Write it anew with: .venv/bin/python scripts/write_docs.py")
        return
    for path in stale:
        path.write_text(fresh[path], "utf-8")


def _read(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


if __name__ == "__main__":
    main()
