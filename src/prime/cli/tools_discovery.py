"""`prime tools scan | list | show | infer | forget | trust`."""

from collections import Counter
from typing import Any

import click

from prime.cli.declared import reads
from prime.cli.output import json_option, one_line, print_json, print_table, progress_line
from prime.cli.privacy import own_folders_private
from prime.tools.atip import effects

_starts_programs = effects(
    filesystem={"read": True, "write": True, "delete": False, "paths": ["~/.local/share/agent-tools/"]},
    network=False,
    subprocess=True,
    idempotent=True,
    destructive=False,
)
_changes = effects(
    filesystem={
        "read": True,
        "write": True,
        "delete": True,
        "paths": ["~/.local/share/agent-tools/", "~/.config/agent-tools/"],
    },
    network=False,
    subprocess=False,
    idempotent=True,
    destructive=False,
)


@click.command()
@click.option(
    "--path", "paths", multiple=True, metavar="DIR", help="Look here instead of on PATH; may be given more than once."
)
@click.option("--no-probe", is_flag=True, help="Start no program; use what is already known.")
@json_option
@_starts_programs
def scan(paths: tuple[str, ...], no_probe: bool, as_json: bool) -> None:
    """Find the tools of this machine.

    Every program that has not been asked yet is started once with --agent, in a sandbox without network, input or
    anything to write to, for two seconds at most. Its answer is kept until the program changes.
    """
    from prime.tools.discovery import Discovery

    discovery = Discovery()
    if not no_probe and not as_json:
        known = len(discovery.scan(paths=paths or None, probe=False).tools)  # at once, and in any case
        click.echo(
            f"{known} tools are described already. Now the other programs are asked; stopping keeps what they said.",
            err=True,
        )
    with own_folders_private():
        listing = discovery.scan(
            paths=paths or None, probe=False if no_probe else None, progress=progress_line("Asking")
        )
    if as_json:
        print_json(
            {
                "counts": listing.counts(),
                "asked": listing.asked,
                "silent": listing.silent,
                "tools": [_row(tool) for tool in listing.tools],
                "skipped": [{"name": s.name, "path": s.path, "reason": s.reason} for s in listing.skipped],
            }
        )
        return
    counts = listing.counts()
    print_table([[source, str(count)] for source, count in counts.items()], ["source", "tools"])
    click.echo(f"{listing.silent} programs without a description; {len(listing.skipped)} skipped:", err=True)
    for reason, number in Counter(skipped.reason for skipped in listing.skipped).most_common():
        named = ", ".join(sorted(s.name for s in listing.skipped if s.reason == reason)[:5])
        click.echo(one_line(f"  {number:4}  {reason}: {named}{' …' if number > 5 else ''}"), err=True)
    click.echo("`prime tools list` shows them; `prime tools infer NAME` describes one from its help.", err=True)


@click.command("list")
@json_option
@reads
def list_(as_json: bool) -> None:
    """List the tools that were found or added."""
    from prime.cli.tools_folders import folder_rows
    from prime.tools.discovery import Discovery

    discovery = Discovery()
    if discovery.scanned:
        listing = discovery.load()
    else:
        click.echo("No scan yet: showing what has a shim. `prime tools scan` asks the programs themselves.", err=True)
        listing = discovery.scan(probe=False)
    rows = _each_name_once([_row(tool) for tool in listing.tools], folder_rows())
    if as_json:
        print_json({"items": rows, "nextCursor": None})
    else:
        keys = ("name", "source", "version", "description")
        print_table([[one_line(str(row[key])) for key in keys] for row in rows], keys)


def _each_name_once(found: list[dict[str, object]], added: list[dict[str, object]]) -> list[dict[str, object]]:
    """What a call by each name runs: what the owner added before what was found, a workspace's folder last."""
    own = [row for row in added if row["origin"] == "user"]
    rows: dict[str, dict[str, object]] = {}
    for row in (*own, *found, *(row for row in added if row not in own)):
        first = rows.setdefault(str(row["name"]), row)
        if first is not row:
            click.echo(one_line(f"{row['name']}: {row['path']} is hidden by {first['path']}."), err=True)
    return [rows[name] for name in sorted(rows)]


@click.command()
@click.argument("name")
@click.option("--commands", metavar="A,B", help="Only these commands and what is below them.")
@click.option("--depth", type=click.IntRange(min=1), help="Not deeper than this many levels.")
@json_option
@_starts_programs
def show(name: str, commands: str | None, depth: int | None, as_json: bool) -> None:
    """Show one tool: where it is, where its description comes from, what its commands do.

    With --json: the ATIP document; of a tool that is a folder, what a call needs. Commands of a document that was too
    large to be kept whole are asked for now.
    """
    from prime.cli.tools_folders import show_folder
    from prime.core.errors import NotFound
    from prime.tools.atip import filter_document
    from prime.tools.discovery import Discovery

    discovery = Discovery()
    if show_folder(name, level="user", as_json=as_json):
        return
    try:
        tool = discovery.find(name)
    except NotFound:
        if show_folder(name, level="workspace", as_json=as_json):
            return
        raise
    wanted = [word.strip() for word in commands.split(",")] if commands else None
    with own_folders_private():
        document = discovery.subtree(name, wanted) if wanted and tool.document.partial else tool.document
    if wanted or depth:
        document = filter_document(document, wanted, depth)
    if as_json:
        print_json(document.to_json())
        return
    trust = document.trust
    for label, value in (
        ("path", tool.path),
        ("source", f"{tool.source} ({tool.origin})"),
        ("trust", f"{trust.source}{', verified' if trust.verified else ''} {trust.checksum or ''}"),
        ("version", document.version),
    ):
        click.echo(one_line(f"{label:8} {value}".rstrip()))
    click.echo(f"\n{one_line(document.description)}\n")
    print_table(_commands(document), ["command", "effects", "description"])


@click.command()
@click.argument("name")
@json_option
@_changes
def forget(name: str, as_json: bool) -> None:
    """Drop what was learned about a tool; the next scan asks it again. What you wrote yourself stays."""
    from prime.tools.discovery import Discovery

    dropped = Discovery().forget(name)
    if as_json:
        print_json({"name": name, "dropped": dropped})
    else:
        click.echo(f"Forgot {name}: {', '.join(dropped) or 'its entry in the registry'}.")


@click.command()
@click.argument("name")
@json_option
@_changes
def trust(name: str, as_json: bool) -> None:
    """Vouch for a tool as it is now. It counts as verified until the program or its description changes."""
    from prime.tools.discovery import Discovery

    tool = Discovery().trust(name)
    if as_json:
        print_json(_row(tool))
    else:
        click.echo(f"{name} is trusted: {tool.path} {tool.document.trust.checksum}")


@click.command()
@click.argument("name")
@click.option("--depth", type=click.IntRange(0, 5), default=3, show_default=True, help="Levels of subcommands to read.")
@click.option("--print", "only_print", is_flag=True, help="Write no file; print the document.")
@json_option
@_starts_programs
def infer(name: str, depth: int, only_print: bool, as_json: bool) -> None:
    """Describe a tool from its own help, and keep that as a shim.

    Only `NAME … --help`, `-h` and `help` are run, in the sandbox of a scan. What the commands do to the world stays
    unknown, so that policies ask before they run.
    """
    import asyncio

    from prime.tools.infer import infer_tool, write_shim

    with own_folders_private():
        document = asyncio.run(infer_tool(name, depth=depth))
    path = None if only_print else write_shim(document)
    if as_json or only_print:
        print_json(document.to_json())
    if path is not None:
        click.echo(f"Wrote {path}. Effects are unknown; add what you know in an override.", err=True)


def _row(tool: Any) -> dict[str, object]:
    return {
        "name": tool.name,
        "path": tool.path,
        "source": tool.source,
        "origin": tool.origin,
        "version": tool.document.version,
        "description": tool.document.description,
        "trust": tool.document.trust.source,
        "verified": bool(tool.document.trust.verified),
    }


def _commands(document: Any) -> list[list[str]]:
    from prime.tools.atip import callables

    rows: list[list[str]] = []
    for entry in callables(document):
        known = entry.effects
        words = {
            "destructive": known.destructive,
            "network": known.network,
            "writes": known.filesystem.write,
            "deletes": known.filesystem.delete,
            "runs programs": known.subprocess,
        }
        told = [word for word, holds in {**words, "billable": known.cost.billable}.items() if holds]
        # What nobody knows is not called harmless.
        otherwise = "unknown" if None in words.values() else "reads only"
        shown = [" ".join(entry.path), ", ".join(told) or otherwise, entry.command.description]
        rows.append([one_line(cell) for cell in shown])
    return rows
