"""`prime settings`."""

from pathlib import Path

import click

from prime.cli.client import load_settings
from prime.cli.declared import reads
from prime.cli.output import data_option, json_option, print_json, print_table


@click.command()
@data_option
@json_option
@reads
def settings(data: Path | None, as_json: bool) -> None:
    """Print every variable: its value, where the value comes from, and what it means. Secrets are masked."""
    described = load_settings(data).described()
    if as_json:
        print_json(
            [{"name": d.variable, "value": d.value, "source": d.source, "meaning": d.meaning} for d in described]
        )
        return
    rows = [(d.variable, "-" if d.value is None else str(d.value), d.source, d.meaning) for d in described]
    print_table(rows, ("variable", "value", "source", "meaning"))
