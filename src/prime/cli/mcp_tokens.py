"""`prime mcp token`."""

from pathlib import Path
from typing import cast

import click

from prime.cli.client import ask_prime, segment
from prime.cli.declared import reads, writes
from prime.cli.output import data_option, json_option, print_json, print_table
from prime.tools.atip import effects


@click.group()
def token() -> None:
    """Tokens for MCP clients that come from elsewhere than this machine."""


@token.command("create")
@click.argument("name")
@click.option("--tools", metavar="NAMES", help="Only these tools or commands, by commas; else all.")
@click.option(
    "--effects",
    "left",
    metavar="EFFECTS",
    help="Only these effects, by commas: destructive, network, subprocess, billable, write, delete; `none` for reading.",
)
@click.option("--days", type=click.FloatRange(min=0, min_open=True), help="How long it is good; else until revoked.")
@data_option
@json_option
@effects(idempotent=False, creates=["token"])
@writes
def create(
    *, name: str, tools: str | None, left: str | None, days: float | None, data: Path | None, as_json: bool
) -> None:
    """Make a token for the client NAME and print it, this once."""
    effects_left = None if left is None else [] if left == "none" else _words(left)
    body: dict[str, object] = {"name": name, "tools": _words(tools or ""), "effects": effects_left, "days": days}
    made = ask_prime(data, lambda prime: prime.post("/api/mcp/tokens", body))
    if as_json:
        print_json(made)
        return
    click.echo(made["token"])
    click.echo("It is shown this once. The client sends it as `Authorization: Bearer …`.", err=True)


@token.command("list")
@data_option
@json_option
@reads
def list_(data: Path | None, as_json: bool) -> None:
    """List the tokens; what they are is not kept anywhere."""
    listed = ask_prime(data, lambda prime: prime.get("/api/mcp/tokens"))
    items = cast("list[dict[str, object]]", listed["items"])
    if as_json:
        print_json(items)
        return
    rows = [tuple(str(one[key] or "-") for key in ("name", "created", "expires", "lastUsed")) for one in items]
    if rows:
        print_table(rows, ("name", "created", "expires", "last used"))
    else:
        click.echo("No tokens yet. Make one with: prime mcp token create NAME", err=True)


@token.command("revoke")
@click.argument("name")
@data_option
@json_option
@effects(idempotent=False, deletes=["token"], destructive=False)
@writes
def revoke(name: str, data: Path | None, as_json: bool) -> None:
    """Let a token open nothing any more."""
    ask_prime(data, lambda prime: prime.post(f"/api/mcp/tokens/{segment(name)}/revoke"))
    if as_json:
        print_json({"revoked": name})
    else:
        click.echo(f"{name} is revoked.", err=True)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
