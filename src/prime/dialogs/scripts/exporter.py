"""Startup scripts written as text, so that `parse_script` reads back exactly what was written."""

from prime.core.errors import InvalidInput
from prime.core.fences import fence_for
from prime.core.json_text import Json, write_json
from prime.core.yaml_writer import yaml_lines
from prime.dialogs.scripts.building import header_values, text_of, values_of
from prime.dialogs.scripts.records import FuncCall, Record
from prime.dialogs.scripts.script import KIND, VERSION, Script

_TICKS = 6


def export_script(script: Script) -> str:
    """The script as Markdown: frontmatter, then a heading and a fenced block for each record."""
    if not script.records:
        raise InvalidInput("A script without records cannot be written.", hint="Add at least one record.")
    header: dict[str, Json] = {"kind": KIND, "version": VERSION}
    parts = [f"---\n{yaml_lines(header | header_values(script.header))}---\n"]
    parts += [_block(record) for record in script.records]
    return "\n".join(parts)


def export_bytes(script: Script) -> bytes:
    """The script as a UTF-8 file holds it."""
    try:
        return export_script(script).encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            "A text in this script has half of a surrogate pair, which no file can hold.", hint="Remove it."
        ) from error


def _block(record: Record) -> str:
    if isinstance(record, FuncCall):
        shown: dict[str, Json] = {"type": record.TYPE}
        return f"### record {record.TYPE}\n\n```json\n{write_json(shown | values_of(record), indent=2)}\n```\n"
    text = text_of(record)
    body = f"---\n{yaml_lines(values_of(record))}---\n" + ("" if text is None else f"\n{text}\n")
    fence = fence_for(body, at_least=_TICKS)
    return f"### record {record.TYPE}\n\n{fence}markdown\n{body}{fence}\n"
