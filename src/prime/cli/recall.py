"""`prime recall`."""

import shutil
import sys
from pathlib import Path
from typing import TypedDict, cast

import click

from prime.cli.client import Client, ask_prime
from prime.cli.declared import reads
from prime.cli.names import Names, names_of
from prime.cli.output import broken, data_option, json_option, one_line, paint, print_json


class _Piece(TypedDict):
    text: str
    match: bool


class _Hit(TypedDict):
    ts: str
    channelId: str
    actorId: str
    kind: str
    pieces: list[_Piece]


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True, help="How many to show.")
@click.option("--cursor", help="Where the last page ended.")
@data_option
@json_option
@reads
def recall(query: tuple[str, ...], limit: int, cursor: str | None, data: Path | None, as_json: bool) -> None:
    """Search everything that was said.

    Any of the words may occur, the more the better. "a phrase" in quotes, -without, from:NAME, in:CHANNEL, kind:note,
    before:2026-03-01 and after:2026-03 narrow it. Put `--` before a query that begins with a minus.
    """

    async def search(prime: Client) -> tuple[dict[str, object], Names]:
        place = {"cursor": cursor} if cursor else {}
        found = await prime.get("/api/brain/recall", q=" ".join(query), limit=limit, **place)
        channels = [hit["channelId"] for hit in cast("list[_Hit]", found["items"])]
        return found, Names({}) if as_json else await names_of(prime, channels)

    found, names = ask_prime(data, search)
    if as_json:
        print_json(found)
        return
    hits = cast("list[_Hit]", found["items"])
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    for hit in hits:
        kind = "" if hit["kind"] == "text" else f"  {hit['kind']}"
        when = hit["ts"][:16].replace("T", " ")
        click.echo(paint(f"{when}  {names[hit['channelId']]}  {names[hit['actorId']]}{kind}", colour="cyan"))
        said = " ".join("".join(_shown(piece) for piece in hit["pieces"]).split())
        click.echo("  " + "\n  ".join(broken(said, room - 2)))
    if not hits:
        click.echo("Nothing was found.", err=True)
    elif found["nextCursor"] and sys.stderr.isatty():
        click.echo(f"There is more: --cursor {found['nextCursor']}", err=True)


def _shown(piece: _Piece) -> str:
    text = one_line(piece["text"])
    return paint(text, bold=True) if piece["match"] else text
