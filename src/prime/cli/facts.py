"""`prime facts`."""

from pathlib import Path
from typing import TypedDict, cast

import click

from prime.cli.client import Client, ask_prime
from prime.cli.declared import reads
from prime.cli.names import Names, names_of
from prime.cli.output import data_option, json_option, one_line, paint, print_json


class _Fact(TypedDict):
    subject: str
    predicate: str
    object: str
    channelId: str
    validFrom: str
    validTo: str | None
    sources: list[str]
    contradicts: list[str]


@click.command()
@click.argument("subject", nargs=-1)
@click.option("--at", help="When it held: 2026-03-15, 2026-03 or 2026; now unless given.")
@click.option("--as-of", help="Leave out what was said after this day.")
@click.option("--timeline", is_flag=True, help="Everything that was ever so, oldest first.")
@data_option
@json_option
@reads
def facts(
    subject: tuple[str, ...], at: str | None, as_of: str | None, timeline: bool, data: Path | None, as_json: bool
) -> None:
    """What is known of SUBJECT, since when, and where it was said."""
    if timeline and at:
        raise click.UsageError("A timeline shows all times: leave out --at.")

    async def look_up(prime: Client) -> tuple[dict[str, object], Names]:
        asked = {"subject": " ".join(subject), "at": at or "", "asOf": as_of or ""}
        path = "/api/brain/timeline" if timeline else "/api/brain/facts"
        found = await prime.get(path, **{name: value for name, value in asked.items() if value})
        channels = [fact["channelId"] for fact in cast("list[_Fact]", found["items"])]
        return found, Names({}) if as_json else await names_of(prime, channels)

    found, names = ask_prime(data, look_up)
    if as_json:
        print_json(found)
        return
    items = cast("list[_Fact]", found["items"])
    for fact in items:
        until = f" until {fact['validTo'][:10]}" if fact["validTo"] else ""
        click.echo(one_line(f"{fact['subject']} {fact['predicate']} {fact['object']}"))
        where = (
            f"since {fact['validFrom'][:10]}{until}, said in {names[fact['channelId']]}: {', '.join(fact['sources'])}"
        )
        click.echo(paint(f"  {where}{'; others say otherwise' if fact['contradicts'] else ''}", colour="cyan"))
    if not items:
        known = (
            f"Nothing is known of it. `prime recall {' '.join(subject)}` searches what was said."
            if subject
            else "Nothing is known yet."
        )
        click.echo(one_line(known), err=True)
