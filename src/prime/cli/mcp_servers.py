"""`prime mcp list|add|import|remove|test|accept`."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import click

from prime.cli.client import ask_prime, load_settings, segment
from prime.cli.declared import reads, writes
from prime.cli.output import data_option, json_option, one_line, print_json, print_table
from prime.core.errors import PrimeError
from prime.core.settings import Settings
from prime.gateway.behind.files import ConfigFiles
from prime.store.folder import DataFolder
from prime.tools.atip import effects

Shown = dict[str, object]


@click.command("list")
@data_option
@json_option
@reads
def list_(data: Path | None, as_json: bool) -> None:
    """List the servers behind the gateway; with their state and tools when Prime is running."""
    settings = load_settings(data)
    runs = settings.database_url is None and DataFolder(settings.data_folder).socket.exists()
    shown = ask_prime(data, lambda prime: prime.get("/api/mcp/servers")) if runs else _written(settings)
    if as_json:
        print_json(shown)
        return
    rows = [
        (str(one["name"]), str(one["state"]), str(len(cast("list[str]", one["tools"]))), str(one["line"]))
        for one in cast("list[Shown]", shown["items"])
    ]
    if rows:
        print_table(rows, ("name", "state", "tools", "server"))
    else:
        click.echo(
            "No server is behind the gateway yet. For example: prime mcp add git -- uvx mcp-server-git", err=True
        )
    for one in cast("list[Shown]", shown["items"]):
        if one.get("problem"):
            click.echo(one_line(f"{one['name']}: {one['problem']}"), err=True)
    for problem in cast("list[str]", shown["problems"]):
        click.echo(f"prime: {problem}", err=True)


@click.command()
@click.argument("name")
@click.argument("command", nargs=-1, metavar="[COMMAND [ARGUMENT]…]")
@click.option("--url", help="Address of a server that is reached over HTTP.")
@click.option("--type", "kind", type=click.Choice(["http", "sse"]), help="Transport of --url; else it is found out.")
@click.option("--env", multiple=True, metavar="NAME=VALUE", help="Environment of the server; ${NAME} names a secret.")
@click.option("--header", multiple=True, metavar="NAME=VALUE", help="Header for --url; ${NAME} names a secret.")
@click.option("--cwd", help="Folder that the server runs in; else the workspace.")
@click.option("--workspace", is_flag=True, help="Write it into the workspace's .prime/mcp.json.")
@click.option("--replace", is_flag=True, help="Replace a server of this name.")
@data_option
@json_option
@effects(idempotent=False, creates=["mcp server"])
@writes
def add(
    *,
    name: str,
    command: tuple[str, ...],
    url: str | None,
    kind: str | None,
    env: tuple[str, ...],
    header: tuple[str, ...],
    cwd: str | None,
    workspace: bool,
    replace: bool,
    data: Path | None,
    as_json: bool,
) -> None:
    """Put a server behind the gateway: `prime mcp add git -- uvx mcp-server-git`, or with --url.

    A running Prime notices it by itself.
    """
    if bool(command) == bool(url):
        raise click.UsageError("Give either a command or --url.")
    entry: Shown = {"command": command[0], "args": list(command[1:])} if command else {"url": url}
    more: Shown = {"type": kind, "env": _pairs(env), "headers": _pairs(header), "cwd": cwd}
    entry |= {key: value for key, value in more.items() if value}
    files = _files(load_settings(data))
    config = files.add(name, entry, "workspace" if workspace else "user", replace=replace)
    if as_json:
        print_json({"name": name, "file": str(config.file), "line": config.line})
        return
    click.echo(f"{name} is in {config.file}. `prime mcp test {name}` opens it.", err=True)


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--replace", is_flag=True, help="Replace servers of the same names.")
@data_option
@json_option
@effects(idempotent=False, creates=["mcp server"])
@writes
def import_(file: Path, replace: bool, data: Path | None, as_json: bool) -> None:
    """Take over the servers in FILE, another client's configuration: JSON, TOML or YAML.

    Claude Desktop, Claude Code, Cursor, VS Code, Zed, Windsurf, Codex, Gemini, Goose and their like.
    """
    from prime.gateway.behind.importing import read_config, servers_in

    files = _files(load_settings(data))
    taken: list[str] = []
    left: dict[str, str] = {}
    for name, entry in servers_in(read_config(file), file).items():
        try:
            files.add(name, entry, "user", replace=replace)
            taken.append(name)
        except PrimeError as error:
            left[name] = str(error)
    if as_json:
        print_json({"imported": taken, "left": left})
    else:
        click.echo(f"Imported {', '.join(taken) or 'nothing'}.", err=True)
        for name, why in left.items():
            click.echo(f"prime: {name} was left: {why}", err=True)
    if left:
        raise SystemExit(1)


@click.command()
@click.argument("name")
@data_option
@json_option
@effects(idempotent=False, deletes=["mcp server"], destructive=False)
@writes
def remove(name: str, data: Path | None, as_json: bool) -> None:
    """Take a server out of the configuration. What it stored itself is not touched."""
    path = _files(load_settings(data)).remove(name)
    if as_json:
        print_json({"removed": name, "file": str(path)})
    else:
        click.echo(f"{name} is gone from {path}.", err=True)


@click.command()
@click.argument("name")
@data_option
@json_option
@effects(subprocess=True, network=True)
def test(name: str, data: Path | None, as_json: bool) -> None:
    """Open the server NAME and show its tools. Exits with 1 when it cannot be opened."""
    _about(name, "test", data, as_json)


@click.command()
@click.argument("name")
@data_option
@json_option
@effects(subprocess=True, idempotent=True)
def accept(name: str, data: Path | None, as_json: bool) -> None:
    """Say that you have looked: a workspace's server may start, and tools that changed their words are back."""
    _about(name, "accept", data, as_json)


def _about(name: str, what: str, data: Path | None, as_json: bool) -> None:
    shown = ask_prime(data, lambda prime: prime.post(f"/api/mcp/servers/{segment(name)}/{what}"))
    if as_json:
        print_json(shown)
    else:
        click.echo(one_line(f"{shown['name']}: {shown['state']} {shown['info']}").rstrip(), err=True)
        for tool in cast("list[str]", shown["tools"]):
            click.echo(tool)
        for tool in cast("list[str]", shown["held"]):
            click.echo(f"{tool} is held: its description has changed. `prime mcp accept {name}`", err=True)
    if shown["problem"]:
        click.echo(one_line(f"prime: {shown['problem']}"), err=True)
    if what == "test" and shown["state"] != "ready":
        if shown["state"] == "held":
            click.echo(f"prime: the workspace's server waits for you: `prime mcp accept {name}`", err=True)
        raise SystemExit(1)


def _written(settings: Settings) -> Shown:
    found = _files(settings).read()
    items: list[Shown] = [
        {
            "name": one.name,
            "transport": one.transport,
            "line": one.line,
            "place": one.place,
            "file": str(one.file),
            "state": "disabled" if one.disabled else "not running",
            "problem": None,
            "tools": [],
            "held": [],
        }
        for one in found.configs.values()
    ]
    return {"items": items, "problems": [str(problem) for problem in found.problems]}


def _files(settings: Settings) -> ConfigFiles:
    return ConfigFiles(settings.config_folder, settings.workspace_folder)


def _pairs(pairs: Sequence[str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals):
            raise click.UsageError(f"{json.dumps(key)} is not NAME=VALUE.")
        found[key] = value
    return found
