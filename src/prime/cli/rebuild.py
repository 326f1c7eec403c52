"""`prime rebuild`."""

import asyncio
from pathlib import Path
from typing import cast

import click

from prime.cli.client import Client, ask_prime
from prime.cli.declared import writes
from prime.cli.output import data_option, json_option, print_json, progress_line
from prime.tools.atip import effects

POLL_SECONDS = 0.2


@click.command()
@click.argument("name", required=False)
@data_option
@json_option
@effects(idempotent=True, reversible=True, modifies=["derived tables"])
@writes
def rebuild(name: str | None, data: Path | None, as_json: bool) -> None:
    """Throw the derived tables of NAME (or all) away and fold the log into them again."""

    async def work_through(prime: Client) -> dict[str, object]:
        work = asyncio.create_task(prime.post("/api/admin/rebuild", {"name": name} if name else {}))
        await _show_progress(prime, work)
        return await work

    done = ask_prime(data, work_through)
    if as_json:
        print_json(done)
    else:
        click.echo(f"Rebuilt {', '.join(cast('list[str]', done['names']))} from {done['messages']} messages.")
        if repaired := cast("list[str]", done["repaired"]):
            click.echo(f"Not what the log says, and mended: {', '.join(repaired)}.")


async def _show_progress(client: Client, work: "asyncio.Task[dict[str, object]]") -> None:
    show, of = progress_line("Rebuilding"), 0
    while not work.done():
        await asyncio.wait({work}, timeout=POLL_SECONDS)
        progress = await client.get("/api/admin/rebuild")
        if progress["running"]:
            of = int(str(progress["of"]))
            show(int(str(progress["done"])), of)
    if of and work.exception() is None:
        show(of, of)
