"""Parameters of A2A calls, read within limits. Both generations' spellings are known; unknown fields are ignored."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast

from prime.core.canonical import JSON, canonical_json, clean_text
from prime.network.a2a.errors import CONTENT_TYPE, INVALID_PARAMS, RpcError
from prime.network.tasks import Brought, Incoming, Reference, State
from prime.network.wire import MAX_ATTACHMENTS, MAX_ID, MAX_TEXT, MAX_URL, WEB_ADDRESS

Generation = Literal["0.3", "1.0"]

MAX_PARTS = 100
_TEXT_TYPES = frozenset({"", "text/plain", "text/markdown", "application/json"})
# What a file that comes in bytes may call itself; what it is, its content says.
_FILE_KINDS = ("text/", "image/", "audio/")
_FILE_TYPES = frozenset(
    {
        "application/json",
        "application/octet-stream",
        "application/pdf",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/xml",
        "application/zip",
        "message/rfc822",
    }
)
_OUTPUT_TYPES = frozenset({"text/plain", "text/*", "*/*", "text", "application/json"})

_ROLES = {"user", "ROLE_USER"}
_STATES: Mapping[str, State] = {
    "TASK_STATE_SUBMITTED": "queued",
    "TASK_STATE_WORKING": "working",
    "TASK_STATE_INPUT_REQUIRED": "input-required",
    "TASK_STATE_COMPLETED": "done",
    "TASK_STATE_FAILED": "failed",
    "TASK_STATE_CANCELED": "canceled",
}

Fields = Mapping[str, JSON]


@dataclass(frozen=True, slots=True)
class Sending:
    """The parameters of `message/send` and `SendMessage`."""

    incoming: Incoming
    blocking: bool
    history_length: int | None


def read_sending(params: Fields, *, keeps_files: bool = False) -> Sending:
    """`keeps_files`: bytes are taken as files; else only what is text, as words."""
    message = params.get("message")
    if not isinstance(message, dict):
        raise _wrong("message", "must be an object")
    configuration = _object(params, "configuration")
    _object(params, "metadata")
    _check_output(configuration.get("acceptedOutputModes"))
    at_once = _flag(configuration, "returnImmediately") or _flag(configuration, "blocking") is False
    return Sending(
        incoming=_incoming(message, keeps_files), blocking=not at_once, history_length=read_length(configuration)
    )


def _incoming(message: Fields, keeps_files: bool) -> Incoming:
    if str(message.get("role")) not in _ROLES:
        raise _wrong("message.role", "must be the user's")
    if message.get("kind") not in (None, "message"):
        raise _wrong("message.kind", "must be message")
    _object(message, "metadata")
    for name in ("referenceTaskIds", "extensions"):
        _texts(message, name)
    text, references, files = _content(message.get("parts"), keeps_files)
    return Incoming(
        message_id=_id(message, "messageId", required=True) or "",
        text=text,
        protocol="a2a",
        thread_id=_id(message, "contextId"),
        task_id=_id(message, "taskId"),
        attachments=references,
        files=files,
    )


def _content(parts: JSON, keeps_files: bool) -> tuple[str, tuple[Reference, ...], tuple[Brought, ...]]:
    if not isinstance(parts, list) or not parts or len(parts) > MAX_PARTS:
        raise _wrong("message.parts", f"must be a list of 1 to {MAX_PARTS} parts")
    texts: list[str] = []
    references: list[Reference] = []
    files: list[Brought] = []
    for part in parts:
        if not isinstance(part, dict):
            raise _wrong("message.parts", "holds something that is no part")
        found = _part(part, keeps_files)
        if isinstance(found, Reference):
            references.append(found)
        elif isinstance(found, Brought):
            files.append(found)
        else:
            texts.append(found)
    text = clean_text("\n".join(texts)) or "\n".join([*(r.url for r in references), *(f.name for f in files)])
    if not text.strip() or len(text) > MAX_TEXT or len(references) + len(files) > MAX_ATTACHMENTS:
        raise _wrong("message.parts", f"must hold some text, at most {MAX_TEXT:,} characters")
    return text, tuple(references), tuple(files)


def _part(part: Fields, keeps_files: bool) -> str | Reference | Brought:
    kind = part.get("kind")
    if kind not in (None, "text", "file", "data") or (kind is not None and part.get(str(kind)) is None):
        raise _wrong("message.parts", "holds a part that is not of the kind it says")
    _object(part, "metadata")
    media_type = _media_type(part)
    text, data, raw, url, file = (part.get(name) for name in ("text", "data", "raw", "url", "file"))
    given = [value for value in (text, data, raw, url, file) if value is not None]
    if len(given) != 1:
        raise _wrong("message.parts", "holds a part that is not exactly one of text, data, raw, url")
    if isinstance(file, dict):
        return _file(file, keeps_files)
    if url is not None:
        return _reference(url, part.get("filename"), media_type)
    if raw is not None:
        return _bytes(raw, part.get("filename"), media_type, keeps_files)
    if media_type not in _TEXT_TYPES:
        raise RpcError(CONTENT_TYPE, f"{media_type} is not taken; send text, or an address")
    if isinstance(text, str):
        return text
    if data is not None and text is None:
        return canonical_json(data)
    raise _wrong("message.parts", "holds a text that is no string")


def _file(file: Fields, keeps_files: bool) -> str | Reference | Brought:
    """A 0.3 file: by address, or its bytes."""
    media_type = file.get("mimeType") or file.get("mediaType") or ""
    named = media_type.lower() if isinstance(media_type, str) else ""
    url = file.get("uri") or file.get("fileWithUri") or file.get("url")
    content = file.get("bytes") or file.get("fileWithBytes")
    if (url is None) == (content is None):
        raise _wrong("message.parts", "holds a file that is not exactly one of an address and bytes")
    if url is not None:
        return _reference(url, file.get("name"), named)
    return _bytes(content, file.get("name"), named, keeps_files)


def _bytes(content: JSON, name: JSON, media_type: str, keeps_files: bool) -> str | Brought:
    """What has a name, or is no text, is a file where files are kept."""
    called = clean_text(name)[:200].strip() if isinstance(name, str) else ""
    if not keeps_files or (media_type in _TEXT_TYPES and not called):
        return _decoded(content, media_type)
    if not (media_type.startswith(_FILE_KINDS) or media_type in _FILE_TYPES):
        raise RpcError(CONTENT_TYPE, f"files of type {media_type or 'unknown'} are taken by address only")
    return Brought(content=_unpacked(content), name=called or "file", media_type=media_type)


def _reference(url: JSON, name: JSON, media_type: str) -> Reference:
    if not isinstance(url, str) or len(url) > MAX_URL or not WEB_ADDRESS.fullmatch(url):
        raise _wrong("message.parts", "holds an address that is not http or https")
    return Reference(url=url, name=clean_text(name)[:200] if isinstance(name, str) else "", media_type=media_type)


def _decoded(content: JSON, media_type: str) -> str:
    if media_type not in _TEXT_TYPES or not media_type:
        raise RpcError(CONTENT_TYPE, f"files of type {media_type or 'unknown'} are taken by address only")
    try:
        return _unpacked(content).decode()
    except ValueError:
        raise _wrong("message.parts", "holds a file that is not base64 of UTF-8 text") from None


def _unpacked(content: JSON) -> bytes:
    if not isinstance(content, str) or not content:
        raise _wrong("message.parts", "holds a file without content")
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        raise _wrong("message.parts", "holds a file that is not base64") from None


def _media_type(part: Fields) -> str:
    value = part.get("mediaType") or part.get("mimeType") or ""
    if not isinstance(value, str) or len(value) > 200 or not value.isprintable():
        raise _wrong("message.parts", "holds a media type that is none")
    return value.split(";")[0].strip().lower()


def _check_output(modes: JSON) -> None:
    if modes is None or modes == []:
        return
    accepted = _texts({"acceptedOutputModes": modes}, "acceptedOutputModes")
    if not any(mode.lower() in _OUTPUT_TYPES for mode in accepted):
        raise RpcError(CONTENT_TYPE, "answers are text/plain, which is not among the accepted output modes")


def read_length(params: Fields) -> int | None:
    """`historyLength`, also as `history_length`."""
    value = params.get("historyLength", params.get("history_length"))
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 2**31 - 1:
        raise _wrong("historyLength", "must be a whole number, 0 or more")
    return value


def read_task_id(params: Fields) -> str:
    found = _id(params, "id", required=True)
    return found or ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The parameters of `ListTasks`."""

    context_id: str | None
    state: State | None
    # A state that Prime's tasks never have was asked for.
    nothing: bool
    page_size: int
    page_token: str
    history_length: int | None
    since_ms: int | None
    include_artifacts: bool


def read_listing(params: Fields) -> Listing:
    size = params.get("pageSize", params.get("page_size"))
    if size is None:
        size = 50
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= 100:
        raise _wrong("pageSize", "must be from 1 to 100")
    status = params.get("status")
    if status is not None and not isinstance(status, str):
        raise _wrong("status", "must be a task state")
    known = status in _STATES or status in (None, "", "TASK_STATE_UNSPECIFIED")
    if not known and status not in ("TASK_STATE_REJECTED", "TASK_STATE_AUTH_REQUIRED"):
        raise _wrong("status", "must be a task state")
    token = params.get("pageToken", params.get("page_token")) or ""
    if not isinstance(token, str) or len(token) > 200:
        raise _wrong("pageToken", "must be one that came with an answer")
    return Listing(
        context_id=_id(params, "contextId") or _id(params, "context_id"),
        state=_STATES.get(status or ""),
        nothing=not known,
        page_size=size,
        page_token=token,
        history_length=read_length(params),
        since_ms=_time(params.get("statusTimestampAfter", params.get("status_timestamp_after"))),
        include_artifacts=_flag(params, "includeArtifacts") or _flag(params, "include_artifacts") or False,
    )


def _time(value: JSON) -> int | None:
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else None
        # Without a zone nobody knows which moment is meant.
        if time is not None and time.tzinfo is not None:
            return round(time.timestamp() * 1000)
    except (ValueError, OverflowError):
        pass
    raise _wrong("statusTimestampAfter", "must be a time such as 2026-01-31T09:12:00Z")


def _object(fields: Fields, name: str) -> Fields:
    value = fields.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _wrong(name, "must be an object")
    return value


def _flag(fields: Fields, name: str) -> bool | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, bool):
        raise _wrong(name, "must be true or false")
    return value


def _texts(fields: Fields, name: str) -> list[str]:
    value = fields.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _wrong(name, "must be a list of strings")
    return cast("list[str]", value)


def _id(fields: Fields, name: str, *, required: bool = False) -> str | None:
    value = fields.get(name)
    if value in (None, "") and not required:
        return None
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_ID or not value.isprintable():
        raise _wrong(name, f"must be 1 to {MAX_ID} printable characters")
    return value


def _wrong(field: str, why: str) -> RpcError:
    return RpcError(INVALID_PARAMS, f"{field} {why}")
