"""Writing and deleting resources, as tools of the one pipeline: checked by policy, asked about, logged."""

import asyncio
import base64
import binascii
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import cast

from prime.core.errors import InvalidInput, JsonValue
from prime.gateway.resources.files import LARGEST, Content, WorkspaceFiles
from prime.tools.atip.effect import Cost, Effects, Filesystem
from prime.tools.pipeline.builtins import Builtins
from prime.tools.runtime import RunContext
from prime.tools.tool import Schema

# An address, and who asks from where.
Reads = Callable[[str, RunContext], Awaitable[Content]]
READ, WRITE, DELETE = "read_resource", "write_resource", "delete_resource"
_ADDRESS: JsonValue = {"type": "string", "maxLength": 4096, "description": "file:// address in the workspace."}
_ETAG: JsonValue = {"type": "string", "maxLength": 64, "description": "`etag` of the last read; refused if it changed."}
_READ: Schema = {
    "type": "object",
    "properties": {"uri": {"type": "string", "maxLength": 4096}},
    "required": ["uri"],
    "additionalProperties": False,
}
_WRITE: Schema = {
    "type": "object",
    "properties": {
        "uri": _ADDRESS,
        "name": {"type": "string"},
        "mimeType": {"type": "string"},
        "text": {"type": "string", "maxLength": LARGEST},
        "blob": {"type": "string", "maxLength": LARGEST, "description": "Base64, for what is not text."},
        "etag": _ETAG,
    },
    "required": ["uri"],
    "additionalProperties": False,
}
_DELETE: Schema = {
    "type": "object",
    "properties": {"uri": _ADDRESS, "name": {"type": "string"}, "etag": _ETAG},
    "required": ["uri"],
    "additionalProperties": False,
}
_LOCAL = Effects(network=False, subprocess=False, idempotent=True, cost=Cost(billable=False))
READING = replace(_LOCAL, filesystem=Filesystem(read=True, write=False, delete=False), destructive=False)
WRITING = replace(_LOCAL, filesystem=Filesystem(read=True, write=True, delete=False), destructive=False)
DELETING = replace(_LOCAL, filesystem=Filesystem(read=True, write=False, delete=True), destructive=True)


def add_tools(builtins: Builtins, files: WorkspaceFiles, read: Reads) -> None:
    """Offer the three as tools; `resources/write` and `resources/delete` are calls of theirs."""

    async def read_resource(arguments: Mapping[str, JsonValue], context: RunContext) -> JsonValue:
        return (await read(cast("str", arguments["uri"]), context)).as_json()

    async def write(arguments: Mapping[str, JsonValue], _context: RunContext) -> JsonValue:
        uri, etag = cast("str", arguments["uri"]), cast("str | None", arguments.get("etag"))
        written = await asyncio.to_thread(files.write, uri, data_of(arguments), etag)
        return told(arguments, "written", written.etag)

    async def delete(arguments: Mapping[str, JsonValue], _context: RunContext) -> JsonValue:
        uri, etag = cast("str", arguments["uri"]), cast("str | None", arguments.get("etag"))
        await asyncio.to_thread(files.delete, uri, etag)
        return told(arguments, "deleted", None)

    builtins.add(
        READ, "Read a resource: a file of the workspace, a channel, a tool.", _READ, read_resource, effects=READING
    )

    def never_written(arguments: Mapping[str, JsonValue]) -> None:
        files.refuse_folder(cast("str", arguments["uri"]))
        data_of(arguments)

    def never_deleted(arguments: Mapping[str, JsonValue]) -> None:
        files.parts(cast("str", arguments["uri"]))

    builtins.add(WRITE, "Write a file of the workspace, whole.", _WRITE, write, effects=WRITING, refuses=never_written)
    builtins.add(DELETE, "Delete a file of the workspace.", _DELETE, delete, effects=DELETING, refuses=never_deleted)


def data_of(arguments: Mapping[str, JsonValue]) -> bytes:
    """The bytes to write: text, or base64 of anything."""
    text, blob = arguments.get("text"), arguments.get("blob")
    if isinstance(text, str) == isinstance(blob, str):
        raise InvalidInput("Give either text or blob.", code="invalid_arguments", pointer="/text")
    if isinstance(text, str):
        try:
            return text.encode()
        except UnicodeEncodeError:
            message = "The text has half a character in it, which no file can hold."
            raise InvalidInput(message, code="invalid_arguments", pointer="/text") from None
    try:
        return base64.b64decode(cast("str", blob), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInput("blob is not base64.", code="invalid_arguments", pointer="/blob") from None


def told(arguments: Mapping[str, JsonValue], what: str, etag: str | None) -> dict[str, JsonValue]:
    """The seed's answer."""
    uri = cast("str", arguments["uri"])
    name = arguments.get("name") or uri.rpartition("/")[2]
    shown: dict[str, JsonValue] = {"uri": uri, "name": name, "code": 200, "message": f"Resource {what} successfully"}
    return shown | ({"etag": etag} if etag else {})
