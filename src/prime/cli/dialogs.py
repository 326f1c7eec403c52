"""`prime dialogs`: channels as dialogs with an agent, what a model is shown of them, and training sets."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import click

from prime.cli.client import Client, ask_prime, segment
from prime.cli.declared import reads
from prime.cli.output import data_option, json_option, one_line, print_json, print_table


@click.group()
def dialogs() -> None:
    """Dialogs: what a model is shown of a channel, and training sets."""


@dialogs.command("list")
@data_option
@json_option
@reads
def list_dialogs(data: Path | None, *, as_json: bool) -> None:
    """List open channels with their course and the scripts that they began with."""

    async def every_page(prime: Client) -> list[dict[str, object]]:
        found: list[dict[str, object]] = []
        cursor = ""
        while True:
            page = await prime.get("/api/channels", **({"cursor": cursor} if cursor else {}))
            found += cast("list[dict[str, object]]", page["items"])
            cursor = str(page["nextCursor"] or "")
            if not cursor:
                return found

    channels = ask_prime(data, every_page)
    if as_json:
        print_json({"items": channels})
        return
    rows = [(str(c["id"]), str(c["tier"]), str(c["course"]), _scripts(c), one_line(str(c["name"]))) for c in channels]
    print_table(rows, ("channel", "tier", "course", "scripts", "name"))


@dialogs.command()
@click.argument("channel")
@click.option("--model", help="`provider:model` or `offline`; else the one that Prime uses.")
@click.option("--agent", help="Who would speak; else the channel's agent.")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["openai", "anthropic", "gemini"]),
    default="openai",
    show_default=True,
    help="In whose message format.",
)
@data_option
@json_option
@reads
def context(
    channel: str, model: str | None, agent: str | None, shape: str, data: Path | None, *, as_json: bool
) -> None:
    """Show what a model would be shown of CHANNEL now, and what each part costs."""
    given = {"model": model, "agentId": agent, "format": shape}
    query = {key: value for key, value in given.items() if value}
    shown = ask_prime(data, lambda prime: prime.get(f"/api/channels/{segment(channel)}/context", **query))
    if as_json:
        print_json(shown)
        return
    click.echo(shown["document"])
    click.echo()
    rows = [(f"{part['tokens']:,}", str(part["name"])) for part in cast("list[dict[str, object]]", shown["parts"])]
    print_table([*rows, (f"{shown['tokens']:,}", f"of {shown['budget']:,} for {shown['model']}")], ("tokens", "part"))
    left = "; older ones are archived" if shown["leftOut"] else ""
    click.echo(f"prime: {shown['messages']} messages of course {shown['course']}{left}", err=True)


@dialogs.command()
@click.argument("channels", nargs=-1)
@click.option(
    "--format",
    "shape",
    type=click.Choice(["openai-jsonl"]),
    default="openai-jsonl",
    show_default=True,
    help="What a line is: a conversation in OpenAI's message format.",
)
@click.option("--redact/--no-redact", default=True, show_default=True, help="Take secrets out.")
@click.option("--archived", is_flag=True, help="Instead: what has left the context of one channel, a message a line.")
@data_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with the lines as its items.")
@reads
def export(
    channels: tuple[str, ...],
    shape: str,
    data: Path | None,
    *,
    redact: bool,
    archived: bool,
    as_json: bool,
) -> None:
    """Write CHANNELS (all when none is named) as a training set: one dialog a line."""
    if archived and len(channels) != 1:
        raise click.UsageError("Name one channel whose archive is wanted.")
    path = f"/api/channels/{segment(channels[0])}/archive" if archived else "/api/dialogs/export"
    query = (
        [] if archived else [("format", shape), ("redact", str(redact).lower()), *(("channelId", c) for c in channels)]
    )
    ask_prime(data, lambda prime: _print_lines(prime.lines(path, query), as_json=as_json))


async def _print_lines(lines: AsyncIterator[str], *, as_json: bool) -> None:
    """JSON Lines as they come, or as the items of one object; neither waits for the last of them."""
    first, following = ('{"items": [\n', ",\n") if as_json else ("", "")
    before = first
    async for line in lines:
        click.echo(before + line, nl=not as_json)
        before = following
    if as_json:
        click.echo("\n]}" if before == following else f"{first}]}}")


def _scripts(channel: dict[str, object]) -> str:
    priming = cast("dict[str, list[str]] | None", channel["priming"])
    return ", ".join(priming["scriptRefs"]) if priming else "-"
