"""The built-in tool `publish`: how a mind proposes to put something in public. It ends at the gate, like all such things."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from prime.connectors.publish.bundle import Given
from prime.connectors.publish.publications import Publication, Publications
from prime.core.errors import InvalidInput, JsonValue
from prime.rooms.records import HUB
from prime.tools.pipeline.builtins import HARMLESS, Builtins
from prime.tools.runtime import RunContext
from prime.tools.tool import Schema

NAME = "publish"
DESCRIPTION = (
    "Propose to publish files as the owner: as a site on this instance (folder), on github, netlify or gdrive. "
    "Nothing leaves before the owner has approved it, unless they decided otherwise for that connector."
)
SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "connector": {
            "type": "string",
            "description": "Where: folder, github, netlify or gdrive.",
            "default": "folder",
        },
        "title": {"type": "string", "minLength": 1, "maxLength": 120, "description": "What it is called."},
        "description": {"type": "string", "maxLength": 2000, "description": "A sentence about it, for the owner."},
        "files": {
            "type": "array",
            "minItems": 1,
            "maxItems": 500,
            "description": "The files; a site begins at index.html.",
            "items": {
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Such as index.html or images/logo.png."},
                    "text": {"type": "string", "description": "Its content, for text."},
                    "base64": {"type": "string", "description": "Its content, for anything else."},
                },
                "required": ["path"],
                "additionalProperties": False,
            },
        },
        "options": {
            "type": "object",
            "description": "name; for github also as (repository or gist), private, pages.",
            "additionalProperties": {"type": "string"},
        },
    },
    "required": ["title", "files"],
    "additionalProperties": False,
}


def add_publish(builtins: Builtins, publications: Publications) -> None:
    """Offer it to every session that may call tools."""

    async def publish(arguments: Mapping[str, JsonValue], context: RunContext) -> JsonValue:
        files = cast("list[Mapping[str, str]]", arguments["files"])
        draft = await publications.propose(
            Publication(
                connector=str(arguments.get("connector") or "folder"),
                title=str(arguments["title"]),
                description=str(arguments.get("description") or ""),
                files=[Given(path=f["path"], content=content_of(f)) for f in files],
                # The link comes back to where it was made.
                channel_id=context.channel_id or HUB,
                options=cast("Mapping[str, str]", arguments.get("options") or {}),
            )
        )
        url = draft.result.get("url")
        return {"draftId": draft.id, "status": draft.status, "reason": draft.reason, "url": url}

    # It only proposes: what it leads to is the gate's to judge.
    builtins.add(NAME, DESCRIPTION, SCHEMA, publish, effects=replace(HARMLESS, idempotent=False))


def content_of(file: Mapping[str, str]) -> bytes:
    if "base64" in file:
        try:
            return base64.b64decode(file["base64"], validate=True)
        except (binascii.Error, ValueError):
            raise InvalidInput(f"{file['path'][:80]} is not base64.", field="files") from None
    return file.get("text", "").encode("utf-8", "replace")
