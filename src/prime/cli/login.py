"""`prime login`."""

from pathlib import Path

import click

from prime.cli.client import ask_prime
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
    url = str(ask_prime(data, lambda prime: prime.post("/api/admin/sign-in-link"))["url"])
    if as_json:
        print_json({"url": url})
    else:
        click.echo(url)
