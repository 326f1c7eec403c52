"""Words of others as data: between marks that they cannot forge."""

import json
import re
from collections.abc import Mapping, Sequence

from prime.mind.jobs.lines import Line

_MARK = re.compile(r"<(/?\s*(?:said|data)\b)", re.IGNORECASE)
# A model is not shown more of one line than this.
_LONGEST = 20_000


def said(line: Line) -> str:
    """What somebody said, with who and which line it was."""
    return (
        f'<said by={json.dumps(line.speaker, ensure_ascii=False)} id="{line.message_id}">{unmarked(line.text)}</said>'
    )


def unmarked(text: str) -> str:
    """The text without anything that could be taken for our own marks."""
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} […]"
    return _MARK.sub(r"‹\1", cut)


def data(values: Mapping[str, object]) -> str:
    """Material for a job, as JSON under one heading."""
    shown = json.dumps(values, ensure_ascii=False, indent=1)
    return f"Data:\n<data>\n{unmarked_json(shown)}\n</data>"


def unmarked_json(text: str) -> str:
    return _MARK.sub(r"‹\1", text)


def rows(lines: Sequence[Line]) -> list[dict[str, object]]:
    return [{"id": line.message_id, "by": line.speaker, "text": line.text[:_LONGEST]} for line in lines]
