"""`prime scripts`: startup scripts on the disk."""

import os
from collections.abc import Iterator
from pathlib import Path

import click

from prime.cli.declared import reads, writes
from prime.cli.output import data_option, json_already, json_option, one_line, print_json
from prime.core.bad_text import BadText
from prime.core.errors import InvalidInput, PrimeError, Unavailable
from prime.core.excerpts import beginning
from prime.core.json_text import Json, JsonObject
from prime.dialogs.scripts.building import header_values, text_of, values_of
from prime.dialogs.scripts.folder import LIMIT, ScriptFolder
from prime.dialogs.scripts.links import open_calls
from prime.dialogs.scripts.parser import MAX_BYTES, parse_script, too_large
from prime.dialogs.scripts.records import AgentWords, HumanText, Record
from prime.dialogs.scripts.refs import FOLDER, parse_ref
from prime.dialogs.scripts.schema import all_schemas, record_schema
from prime.dialogs.scripts.script import Header, Script
from prime.tools.atip import effects

_WIDTH = 100
PRIME = "act_prime"  # a member of every channel; its module would bring the database with it

workspace_option = click.option(
    "--workspace",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    envvar="PRIME_WORKSPACE",
    default=".",
    help="The folder that holds .minds; PRIME_WORKSPACE, else the current folder.",
)


@click.group()
def scripts() -> None:
    """Startup scripts: histories that a dialog begins with."""


@scripts.command("list")
@click.argument("query", default="")
@click.option("--agent", help="Only what this team member may begin a dialog with.")
@click.option("--limit", type=click.IntRange(1, 1000), default=LIMIT, show_default=True, help="How many at most.")
@workspace_option
@json_option
@reads
def list_scripts(query: str, agent: str | None, limit: int, workspace: Path, *, as_json: bool) -> None:
    """List scripts whose name or title has every word of QUERY."""
    found = ScriptFolder(workspace).search(agent, query, limit=limit)
    if as_json:
        items: list[Json] = [
            {"scriptRef": str(i.ref), "title": i.title, "path": i.path, "records": i.records, "warnings": [*i.warnings]}
            for i in found.items
        ]
        samples: list[Json] = [{"path": each.path, "error": each.error} for each in found.samples]
        summary: JsonObject = {"skippedCount": found.skipped, "samples": samples}
        print_json({"items": items, "more": found.more, "warningSummary": summary})
        return
    for item in found.items:
        click.echo(f"{item.ref}  {_beginning(item.title or '')}".rstrip())
    for each in found.samples:
        click.echo(f"prime: left out: {one_line(each.error)}", err=True)
    if not found.items:
        hint = "Try other words." if query else "Begin one with: prime scripts new team_shared/NAME"
        click.echo(f"No script was found. {hint}", err=True)
    if found.more:
        click.echo(f"prime: there are more than {limit}; narrow the search or raise --limit.", err=True)


@scripts.command()
@click.argument("script_ref")
@workspace_option
@json_option
@click.pass_context
@reads
def show(context: click.Context, script_ref: str, workspace: Path, *, as_json: bool) -> None:
    """Show what is in a script (individual/<member>/<slug> or team_shared/<slug>)."""
    ref = parse_ref(script_ref)
    try:
        script = ScriptFolder(workspace).load(ref)
    except BadText as error:
        # The file is wrong, not the call.
        click.echo(f"prime: {error}", err=True)
        context.exit(1)
    if as_json:
        records: list[Json] = [_record_json(record) for record in script.records]
        print_json({"scriptRef": str(ref), "path": ref.path, **header_values(script.header), "records": records})
        return
    click.echo(f"{ref}  {_beginning(script.header.title or '')}".rstrip())
    for number, record in enumerate(script.records, 1):
        shown = text_of(record) or ", ".join(f"{key}={value}" for key, value in values_of(record).items())
        click.echo(f"{number:>5}  {record.TYPE.removesuffix('_record'):<20}  {_beginning(shown)}")


@scripts.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@workspace_option
@json_option
@click.pass_context
@reads
def check(context: click.Context, paths: tuple[Path, ...], workspace: Path, *, as_json: bool) -> None:
    """Check script files, and all .md files of folders; without PATHS, those of the workspace.

    Each problem is a line `file:line:column: what is wrong`. The exit code is 1 when there is one.
    """
    files = list(_script_files(paths or (workspace.joinpath(*FOLDER),)))
    problems: list[Json] = []
    warnings: list[Json] = []
    for file in files:
        try:
            script = _read_script(file)
        except PrimeError as error:
            problems.append({"file": str(file), **error.as_json()})  # pyright: ignore[reportArgumentType] - as_json is JSON
            if not as_json:
                click.echo(str(error) if isinstance(error, BadText) else f"{file}: {error}")
            continue
        warnings += [f"{file}: the call {call.id!r} has no result" for call in open_calls(script.records)]
    if as_json:
        print_json({"checked": len(files), "problems": problems, "warnings": warnings})
    else:
        for warning in warnings:
            click.echo(f"prime: warning: {warning}", err=True)
        click.echo(f"prime: {len(files)} checked, {len(problems)} with problems", err=True)
    context.exit(1 if problems else 0)


@scripts.command()
@click.argument("script_ref")
@click.option("--title", help="What listings call it.")
@click.option("--for", "members", multiple=True, metavar="MEMBER", help="Who a shared script is for; repeatable.")
@click.option("--overwrite", is_flag=True, help="Replace a script that exists.")
@workspace_option
@json_option
@effects(idempotent=False, destructive=True, reversible=False, creates=["script"])
@writes
def new(
    script_ref: str, title: str | None, members: tuple[str, ...], workspace: Path, *, overwrite: bool, as_json: bool
) -> None:
    """Write a small script to begin from (individual/<member>/<slug> or team_shared/<slug>)."""
    ref = parse_ref(script_ref)
    header = Header(title=title or ref.slug.rsplit("/", 1)[-1], applicable_member_ids=members or None)
    path = ScriptFolder(workspace).save(ref, Script(header=header, records=_STARTER), overwrite=overwrite)
    if as_json:
        print_json({"scriptRef": str(ref), "path": path})
    else:
        click.echo(str(workspace / path))


@scripts.command()
@click.argument("record_type", metavar="[TYPE]", default="")
@json_already
@reads
def schema(record_type: str) -> None:
    """Print the JSON Schema of a record type's fields, or of all types."""
    print_json(record_schema(record_type) if record_type else all_schemas())


@scripts.command()
@click.argument("channel")
@click.argument("slug")
@click.option("--agent", help="Whose script it becomes; the channel's agent when left out.")
@click.option("--overwrite", is_flag=True, help="Replace a script that exists.")
@data_option
@json_option
@effects(idempotent=False, destructive=True, reversible=False, creates=["script"])
@writes
def export(channel: str, slug: str, agent: str | None, data: Path | None, *, overwrite: bool, as_json: bool) -> None:
    """Keep the present course of CHANNEL as the script individual/<agent>/SLUG."""
    body: dict[str, object] = {"channelId": channel, "slug": slug, "overwrite": overwrite}
    if agent:
        body["agentId"] = agent
    saved = _post(data, "/api/priming/save-current-course", body)
    if as_json:
        print_json(saved)
    else:
        click.echo(saved["path"])


@scripts.command()
@click.argument("script_refs", nargs=-1, required=True, metavar="REF…")
@click.option("--name", help="What the dialog is called; the first script's name when left out.")
@click.option(
    "--tier",
    type=click.Choice(["external", "business_relation", "team"]),
    default="team",
    show_default=True,
    help="What those in the dialog may hear.",
)
@click.option("--member", "members", multiple=True, help="Who takes part; repeatable. Owners of scripts do anyway.")
@click.option("--brief", help="What the dialog is for.")
@click.option("--hide", is_flag=True, help="Do not show what the scripts put in; the agent sees it all the same.")
@data_option
@json_option
@effects(idempotent=False, reversible=True, creates=["channel"])
@writes
def replay(
    script_refs: tuple[str, ...],
    name: str | None,
    tier: str,
    members: tuple[str, ...],
    brief: str | None,
    data: Path | None,
    *,
    hide: bool,
    as_json: bool,
) -> None:
    """Begin a dialog with the scripts REF…, in this order."""
    refs = [parse_ref(text) for text in script_refs]
    owners = [ref.member for ref in refs if ref.member not in {None, PRIME}]
    body: dict[str, object] = {
        "name": name or refs[0].slug.rsplit("/", 1)[-1],
        "tier": tier,
        "members": list(dict.fromkeys([*members, *owners])),
        "priming": {"scriptRefs": [str(ref) for ref in refs], "showInUi": not hide},
    }
    channel = _post(data, "/api/channels", body | ({"brief": brief} if brief else {}))
    if as_json:
        print_json(channel)
    else:
        click.echo(channel["id"])


def _post(data: Path | None, path: str, body: dict[str, object]) -> dict[str, object]:
    # Late: settings and HTTP are nothing to those who look at files, in a pre-commit hook for example.
    from prime.cli.client import ask_prime

    return ask_prime(data, lambda prime: prime.post(path, body))


_STARTER: tuple[Record, ...] = (
    HumanText(genseq=1, msg_id="priming-1", grammar="markdown", content="What a person says first."),
    AgentWords(genseq=1, content="What the agent answers."),
)


def _script_files(paths: tuple[Path, ...]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            if path.exists():
                yield path
            continue
        for folder, folders, names in os.walk(path):
            folders.sort()
            found = (Path(folder, name) for name in sorted(names) if name.endswith(".md"))
            yield from (file for file in found if file.is_file() or file.is_symlink())


def _read_script(file: Path) -> Script:
    if file.is_symlink():
        raise InvalidInput("It is a symbolic link, which no dialog follows.", hint="Use plain folders and files.")
    try:
        with file.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise Unavailable(f"It cannot be read: {error.strerror}.", hint="Check its permissions.") from error
    if len(data) > MAX_BYTES:
        raise too_large(str(file))
    return parse_script(data, path=str(file))


def _record_json(record: Record) -> JsonObject:
    found: JsonObject = {"type": record.TYPE, **values_of(record)}
    text = text_of(record)
    return found if text is None else {**found, "text": text}


def _beginning(text: str) -> str:
    """As much as a line of a listing has room for, without what could steer a terminal."""
    return beginning(" ".join(one_line(text[: _WIDTH * 2]).split()), _WIDTH)
