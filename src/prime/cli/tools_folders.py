"""`prime tools add | remove | check`: tools that are folders with a `tool.json`."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from prime.cli.output import json_option, one_line, print_json, print_table
from prime.cli.privacy import own_folders_private
from prime.tools.atip import effects

if TYPE_CHECKING:  # what serves is loaded by the command that needs it
    from collections.abc import Sequence

    from prime.tools.runtimes import FolderRuntime
    from prime.tools.runtimes.checking import Checked
    from prime.tools.runtimes.registry import Folder
    from prime.tools.tool import Schema

_PATHS = ["~/.local/share/prime/tools/", ".prime/tools/"]
_adds = effects(
    filesystem={"read": True, "write": True, "delete": True, "paths": _PATHS},
    network=True,
    subprocess=True,
    idempotent=False,
    destructive=False,
)
_removes = effects(
    filesystem={"read": True, "write": True, "delete": True, "paths": _PATHS},
    network=False,
    subprocess=False,
    idempotent=False,
    reversible=False,
    destructive=True,
)
_runs = effects(
    filesystem={"read": True, "write": True, "delete": False}, network=True, subprocess=True, destructive=False
)
_workspace_option = click.option(
    "--workspace", "in_workspace", is_flag=True, help="In the workspace's .prime/tools instead of the user's tools."
)


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@_workspace_option
@click.option("--replace", is_flag=True, help="Take the place of a tool of the same name.")
@json_option
@_adds
def add(folder: Path, in_workspace: bool, replace: bool, as_json: bool) -> None:
    """Add the tool in DIR, a folder with a tool.json.

    The manifest is checked, the folder is copied, and the environment of a Python script is made ready.
    """
    import asyncio

    from prime.tools.runtimes.installing import add_folder

    added = add_folder(folder, _root(in_workspace), "workspace" if in_workspace else "user", replace=replace)
    asyncio.run(_prepare(added))
    if as_json:
        print_json(_row(added))
    else:
        click.echo(f"Added {added.manifest.name} in {added.manifest.folder}.")
        if added.manifest.examples:
            click.echo(f"Try its examples: prime tools check {added.manifest.name}", err=True)


@click.command()
@click.argument("name")
@_workspace_option
@json_option
@_removes
def remove(name: str, in_workspace: bool, as_json: bool) -> None:
    """Delete the folder of a tool that was added."""
    from prime.tools.runtimes.installing import remove_folder

    folder = remove_folder(name, _root(in_workspace))
    if as_json:
        print_json({"name": name, "folder": str(folder)})
    else:
        click.echo(f"Removed {name}: {folder}")


@click.command()
@click.argument("name")
@json_option
@_runs
def check(name: str, as_json: bool) -> None:
    """Run the examples that a tool declares, and compare its answers with them.

    Exit code 1 when one of them is not as declared.
    """
    import asyncio

    folder, results = asyncio.run(_check(name))
    failed = sum(bool(result.problem) for result in results)
    if as_json:
        print_json({**_row(folder), "ok": not failed, "examples": [result.as_json() for result in results]})
    for number, result in enumerate(results if not as_json else (), 1):
        shown = result.example.description or f"example {number}"
        click.echo(f"{'FAILED' if result.problem else 'ok':6}  {result.duration_ms:7.1f} ms  {shown}")
        if result.problem:
            click.echo(f"        {result.problem}", err=True)
    if not results:
        click.echo(f"{name} is a valid tool. It declares no examples, so that nothing was run.", err=True)
    if failed:
        raise SystemExit(1)


def folder_rows() -> list[dict[str, object]]:
    """The tools that were added, as `prime tools list` shows them; folders that are no tools are told on stderr."""
    registry = _runtime().registry
    for problem in registry.problems().values():
        click.echo(one_line(f"prime: {problem}"), err=True)
    return [
        {
            "name": folder.manifest.name,
            "path": str(folder.manifest.folder),
            "source": "folder",
            "origin": folder.level,
            "version": folder.manifest.version,
            "description": folder.manifest.description,
            "trust": folder.level,
            "verified": False,
        }
        for folder in registry.folders()
    ]


def show_folder(name: str, *, level: str, as_json: bool) -> bool:
    """One of them for `prime tools show`; False when there is none of that name at this level."""
    from prime.tools.pipeline.builtins import tool_json

    folders = _runtime().registry.folders()
    folder = next((one for one in folders if (one.manifest.name, one.level) == (name, level)), None)
    if folder is None:
        return False
    if as_json:
        print_json(tool_json(folder.tool))
        return True
    manifest = folder.manifest
    for label, value in (
        ("path", manifest.folder),
        ("source", f"folder ({folder.level})"),
        ("version", manifest.version),
    ):
        click.echo(one_line(f"{label:8} {value}"))
    click.echo(f"\n{one_line(manifest.description)}\n")
    print_table(_parameter_rows(manifest.parameters), ["parameter", "type", "needed", "description"])
    return True


def _parameter_rows(parameters: "Schema") -> list[list[str]]:
    required = cast("Sequence[str]", parameters.get("required", ()))
    rows: list[list[str]] = []
    for name, schema in cast("dict[str, Schema | bool]", parameters.get("properties", {})).items():
        known: Schema = {} if isinstance(schema, bool) else schema
        cells = (name, known.get("type", "any"), "yes" if name in required else "", known.get("description", ""))
        rows.append([one_line(str(cell)) for cell in cells])
    return rows


async def _check(name: str) -> "tuple[Folder, list[Checked]]":
    from prime.tools.runtime import RunContext
    from prime.tools.runtimes.checking import check_examples

    runtime = _runtime()
    folder = runtime.registry.find(name)
    context = RunContext(session_id="check", agent_id="owner", cwd=Path.cwd(), approved=True, env={})
    with own_folders_private():
        async with runtime:
            return folder, [checked async for checked in check_examples(runtime, folder, context)]


async def _prepare(folder: "Folder") -> None:
    async with _runtime() as runtime:
        await runtime.prepare(folder)


def _runtime() -> "FolderRuntime":
    from prime.core.settings import Settings
    from prime.tools.runtimes import FolderRuntime, Registry
    from prime.tools.runtimes.places import runtime_cache, user_tools

    settings = Settings.load()
    registry = Registry(user_tools(), settings.workspace_folder)
    return FolderRuntime(registry, cache=runtime_cache())


def _root(in_workspace: bool) -> Path:
    from prime.core.settings import Settings
    from prime.tools.runtimes.places import user_tools, workspace_tools

    return workspace_tools(Settings.load().workspace_folder) if in_workspace else user_tools()


def _row(folder: "Folder") -> dict[str, object]:
    manifest = folder.manifest
    return {
        "name": manifest.name,
        "id": manifest.id,
        "version": manifest.version,
        "runtime": manifest.runtime,
        "folder": str(manifest.folder),
        "level": folder.level,
        "digest": folder.digest,
    }
