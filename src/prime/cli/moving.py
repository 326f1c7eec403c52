"""`prime export` and `prime import`: everything as JSON Lines, out of one database and into another."""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prime.cli.client import load_settings
from prime.cli.declared import reads, writes
from prime.cli.output import data_option, json_option, print_json, progress_line
from prime.cli.server_parts import server_parts
from prime.core.settings import Settings
from prime.tools.atip import effects

if TYPE_CHECKING:
    from prime.store.store import Store

_STREAM = Path("-")


@click.command(name="export")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@data_option
@json_option
@effects(network=True, filesystem={"read": True, "write": True, "delete": False}, creates=["file"])
@reads
def export_command(file: Path, data: Path | None, as_json: bool) -> None:
    """Write everything to FILE (- is stdout) as JSON Lines, also while Prime runs. Secrets in it stay sealed."""
    settings = load_settings(data)
    with server_parts():
        from prime.app import database_url
        from prime.store.folder import DataFolder
        from prime.store.moving import export_into, export_to
    folder = DataFolder(settings.data_folder)
    source = (folder, database_url(settings, folder), progress_line("Exporting"))
    if file == _STREAM:
        rows = asyncio.run(export_into(sys.stdout.buffer, *source))
        click.echo(f"Wrote {rows} rows.", err=True)
        return
    rows = asyncio.run(export_to(file, *source))
    if as_json:
        print_json({"file": str(file), "rows": rows})
    else:
        click.echo(f"Wrote {rows} rows to {file}.")


@click.command(name="import")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--key-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    default=None,
    help="The secrets.key of where FILE comes from, or a file with its PRIME_SECRET_KEY: its secrets are sealed anew.",
)
@data_option
@json_option
@effects(idempotent=False, network=True, creates=["messages"])
@writes
def import_command(file: Path, key_file: Path | None, data: Path | None, as_json: bool) -> None:
    """Put an exported FILE (- is stdin) into an empty data folder or (PRIME_DATABASE_URL) an empty database; all or nothing."""
    with _as_file(file) as whole:
        rows, unreadable = asyncio.run(_import(load_settings(data), whole, key_file))
    for name in unreadable:
        click.echo(f"The secret {name} was sealed with another key: give --key-file, or set it again.", err=True)
    if as_json:
        print_json({"rows": rows, "unreadableSecrets": unreadable})
    else:
        click.echo(f"Imported {rows} rows.")


@contextmanager
def _as_file(given: Path) -> Generator[Path]:
    """What is to be imported, as a file: it is read twice, and a stream is there once."""
    if given != _STREAM:
        yield given
        return
    with tempfile.NamedTemporaryFile(prefix="prime-import-") as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
        kept.flush()
        yield Path(kept.name)


async def restore_backup(settings: Settings, file: Path, passphrase: str | None) -> tuple[int, str]:
    """Put a backup where the settings point; how many messages, and where they are."""
    from prime.app import database_url
    from prime.store.backup import restore, unpacked_for_postgresql
    from prime.store.folder import DataFolder

    folder = DataFolder(settings.data_folder)
    url = database_url(settings, folder)
    if url is None:
        return await asyncio.to_thread(restore, file, folder, passphrase), str(folder.path)
    from prime.store.postgresql_backup import is_dump, load

    with unpacked_for_postgresql(file, passphrase) as files:
        if not is_dump(files):
            await (await _open_store(settings)).close()  # makes the tables
        return await load(url, files), "the database"


async def _import(settings: Settings, file: Path, key_file: Path | None) -> tuple[int, list[str]]:
    with server_parts():
        from prime.app import secret_box
        from prime.core.secret_box import SecretBox
        from prime.store.folder import DataFolder
        from prime.store.moving import import_from
        from prime.store.transfer import check_file
    check_file(file)  # before anything is made
    folder = DataFolder(settings.data_folder)
    before = SecretBox.from_any_file(key_file) if key_file else None
    if settings.database_url is None:
        folder.own()
    try:
        store = await _open_store(settings)
        try:
            boxes = (before, secret_box(settings, folder))
            return await import_from(file, store.database, folder, boxes, progress_line("Importing"))
        finally:
            await store.close()
    finally:
        folder.release()


async def _open_store(settings: Settings) -> "Store":
    from prime.app import MIGRATIONS, database_url
    from prime.core.clock import SystemClock
    from prime.store.folder import DataFolder
    from prime.store.store import Store

    folder = DataFolder(settings.data_folder)
    return await Store.open(folder, database_url(settings, folder), SystemClock(), migrations=MIGRATIONS)
