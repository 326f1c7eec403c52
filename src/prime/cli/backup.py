"""`prime backup`."""

import asyncio
from pathlib import Path
from typing import cast

import click

from prime.cli.client import ask_prime, load_settings
from prime.cli.declared import reads, writes
from prime.cli.output import data_option, json_option, print_json, print_table
from prime.cli.server_parts import server_parts
from prime.tools.atip import effects


@click.group()
def backup() -> None:
    """Make, list, check and restore backups."""


passphrase_option = click.option(
    "--passphrase", default=None, envvar="PRIME_BACKUP_PASSPHRASE", help="Seals the file; else PRIME_BACKUP_PASSPHRASE."
)


@backup.command()
@click.option("--full", is_flag=True, help="With the key that seals secrets: all that is needed to go on elsewhere.")
@passphrase_option
@data_option
@json_option
@effects(idempotent=False, creates=["backup"])
@writes
def create(full: bool, passphrase: str | None, data: Path | None, as_json: bool) -> None:
    """Take a backup now, also while Prime runs."""
    wanted: dict[str, object] = {"full": full}
    if passphrase:
        wanted["passphrase"] = passphrase
    made = ask_prime(data, lambda prime: prime.post("/api/admin/backup", wanted))
    if full and not str(made["name"]).endswith(".sealed"):
        click.echo("It holds the key that opens your secrets: keep it as safe as them, or use --passphrase.", err=True)
    if as_json:
        print_json(made)
    else:
        click.echo(f"{load_settings(data).data_folder / 'backups' / str(made['name'])} ({made['size']} bytes)")


@backup.command(name="list")
@data_option
@json_option
@reads
def list_backups(data: Path | None, as_json: bool) -> None:
    """Show what backups there are, newest first."""
    listed = ask_prime(data, lambda prime: prime.get("/api/admin/backups"))
    found = cast("list[dict[str, object]]", listed["items"])
    if as_json:
        print_json(found)
    elif found:
        print_table([(str(b["createdAt"]), str(b["size"]), str(b["name"])) for b in found], ("taken", "bytes", "name"))
    else:
        click.echo("No backups yet. Take one with: prime backup create", err=True)


@backup.command()
@click.argument("file", type=click.Path(path_type=Path))
@passphrase_option
@data_option
@json_option
@reads
def verify(file: Path, passphrase: str | None, data: Path | None, as_json: bool) -> None:
    """Check a backup FILE (or a name of `backup list`) from end to end."""
    with server_parts():
        from prime.store.backup import verify as verify_file
    file = _meant(file, data)
    messages = verify_file(file, passphrase)
    if as_json:
        print_json({"file": str(file), "messages": messages, "ok": True})
    elif messages is None:
        click.echo(f"{file} is whole.")
    else:
        click.echo(f"{file} is whole: {messages} messages.")


@backup.command()
@click.argument("file", type=click.Path(path_type=Path))
@passphrase_option
@data_option
@json_option
@effects(idempotent=False, creates=["data folder"], network=True)
@writes
def restore(file: Path, passphrase: str | None, data: Path | None, as_json: bool) -> None:
    """Put a backup FILE (or a name of `backup list`) where no database is: a data folder, or an empty PRIME_DATABASE_URL."""
    settings = load_settings(data)
    with server_parts():
        from prime.cli.moving import restore_backup
    messages, place = asyncio.run(restore_backup(settings, _meant(file, data), passphrase))
    if as_json:
        print_json({"folder": place, "messages": messages})
    else:
        click.echo(f"Restored {messages} messages into {place}.")


def _meant(file: Path, data: Path | None) -> Path:
    """The file itself, or the backup of this name in the data folder, or in the one that is there without `--data`."""
    named = [load_settings(each).data_folder / "backups" / file for each in (data, None)]
    is_name = file.name == str(file) and not file.exists()
    return next((each for each in named if is_name and each.is_file()), file)
