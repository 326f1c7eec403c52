"""`prime login`."""

import asyncio
from pathlib import Path

import click

from prime.cli.client import connect, load_settings
from prime.cli.declared import writes
from prime.cli.output import data_option, json_option, print_json
from prime.tools.atip import effects


@click.command()
@data_option
@json_option
@effects(idempotent=False, creates=["sign-in link"])
@writes
def login(data: Path | None, as_json: bool) -> None:
    """Print a sign-in link for the person at this machine. It works once, for fifteen minutes."""

    async def ask() -> str:
        async with connect(load_settings(data)) as client:
            return str((await client.post("/api/admin/sign-in-link"))["url"])

    url = asyncio.run(ask())
    if as_json:
        print_json({"url": url})
    else:
        click.echo(url)
