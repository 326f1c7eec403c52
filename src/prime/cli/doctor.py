"""`prime doctor`."""

import asyncio
from pathlib import Path

import click

from prime.cli.client import load_settings
from prime.cli.declared import reads
from prime.cli.output import data_option, hanging, json_option, paint, print_json
from prime.tools.atip import effects

SIGNS = {"ok": ("ok", "green"), "note": ("note", "yellow"), "bad": ("bad", "red")}
# Where what was found begins, behind its sign and name.
INDENT = 20


@click.command()
@click.option("--server", is_flag=True, help="Ask the running server: database, address, mail, backups, push.")
@data_option
@json_option
@effects(subprocess=True, network=True)
@reads
def doctor(server: bool, data: Path | None, as_json: bool) -> None:
    """Look at what is here (Python, page, data folder, database, port, sandbox, OCR, model) and say what to do."""
    settings = load_settings(data)
    if server:
        from prime.cli.server_checkup import check_server

        findings = asyncio.run(check_server(settings))
    else:
        from prime.cli.checkup import check_up

        findings = check_up(settings)
    if as_json:
        print_json([{"name": f.name, "state": f.state, "found": f.found, "next": f.next_step} for f in findings])
    else:
        for finding in findings:
            sign, colour = SIGNS[finding.state]
            told = "\n".join(text for text in (finding.found, finding.next_step) if text)
            click.echo(f"{paint(sign.ljust(4), colour=colour)}  {finding.name.ljust(12)}  {hanging(INDENT, told)}")
    if any(f.state == "bad" for f in findings):
        raise SystemExit(1)
