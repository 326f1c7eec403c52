"""What is published: files, cleaned for strangers' eyes, kept exactly as they will leave.

Prose passes the clamp for `external` sentence by sentence, in HTML between the tags. Code is not prose: what looks like a
secret of the house there is shown to the owner instead of being cut out of the middle. Every text is redacted.
"""

import hashlib
import json
import mimetypes
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from prime.connectors.contract import Desk
from prime.core.canonical import canonical_json, clean_text
from prime.core.errors import Forbidden, InvalidInput, TooLarge
from prime.core.redaction import Redactor
from prime.rooms.clamp import Clamp, Removed

MAX_FILES = 500
MAX_FILE = 10 << 20
MAX_TOTAL = 50 << 20
MAX_PATH = 200

_PROSE = frozenset({"text/markdown", "text/plain", "text/csv", "text/html"})
_CODE = frozenset(
    {
        "text/css",
        "text/javascript",
        "application/javascript",
        "application/json",
        "image/svg+xml",
        "application/xml",
        "text/xml",
    }
)
_TAGS = re.compile(r"(<!--.*?-->|<(script|style)\b.*?</\2\s*>|<[^>]*>)", re.IGNORECASE | re.DOTALL)
_PART = re.compile(r"[^\x00-\x1f<>:\"|?*\\]+")
mimetypes.add_type("text/markdown", ".md")
mimetypes.add_type("text/javascript", ".mjs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A file as it was handed over."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """A file as it will leave, and what was done to it."""

    path: str
    mime_type: str
    content: bytes
    removed: tuple[Removed, ...] = ()
    redacted: bool = False
    # What the owner should look at before it leaves.
    doubts: tuple[Removed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A file of a bundle that is kept."""

    path: str
    mime_type: str
    attachment_id: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Bundle:
    items: tuple[Item, ...]


class Cleaner:
    """Makes files fit for strangers."""

    def __init__(self, clamp: Clamp, secrets: Sequence[str]) -> None:
        self._clamp = clamp
        self._secrets = [secret for secret in secrets if len(secret) >= 4]
        self._redactor = Redactor(self._secrets)

    def clean(self, files: Sequence[Given]) -> list[Cleaned]:
        _check(files)
        return [self._one(_checked_path(file.path), file.content) for file in files]

    def _one(self, path: str, content: bytes) -> Cleaned:
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        text = _text_of(content) if kind.startswith("text/") or kind in _CODE else None
        if text is None:
            if any(secret.encode() in content for secret in self._secrets):
                raise Forbidden(f"{path} holds a secret of this instance.", hint="Take it out first.", path=path)
            return Cleaned(path=path, mime_type=kind, content=content)
        shown = self._redactor.redact(text)
        if kind not in _PROSE:
            doubts = self._clamp.apply(shown, "external").removed
            return Cleaned(
                path=path, mime_type=kind, content=shown.encode(), redacted=shown != text, doubts=doubts[:20]
            )
        kept, removed = self._html(shown) if kind == "text/html" else self._prose(shown)
        return Cleaned(path=path, mime_type=kind, content=kept.encode(), removed=removed, redacted=shown != text)

    def _prose(self, text: str) -> tuple[str, tuple[Removed, ...]]:
        clamped = self._clamp.apply(text, "external")
        return clamped.text, clamped.removed

    def _html(self, text: str) -> tuple[str, tuple[Removed, ...]]:
        parts: list[str] = []
        removed: list[Removed] = []
        at = 0
        for tag in _TAGS.finditer(text):
            kept, gone = self._prose(text[at : tag.start()])
            comment = tag[0].startswith("<!--")
            parts += [kept, "" if comment else tag[0]]  # comments are for authors, not for readers
            removed += gone
            at = tag.end()
        kept, gone = self._prose(text[at:])
        return "".join([*parts, kept]), (*removed, *gone)


def manifest(items: Sequence[Item], files: Sequence[Cleaned]) -> bytes:
    """The kept record of a bundle: what leaves, and what was taken out of it."""
    shown = [
        {
            "path": item.path,
            "mimeType": item.mime_type,
            "attachmentId": item.attachment_id,
            "size": item.size,
            "sha256": item.sha256,
            "redacted": file.redacted,
            "removed": [{"sentence": r.sentence[:300], "category": r.category} for r in file.removed],
            "doubts": [{"sentence": r.sentence[:300], "category": r.category} for r in file.doubts],
        }
        for item, file in zip(items, files, strict=True)
    ]
    return canonical_json({"files": shown}).encode()


def read_manifest(content: bytes) -> list[Mapping[str, object]]:
    return cast("list[Mapping[str, object]]", json.loads(content)["files"])


async def load(desk: Desk, target: Mapping[str, object]) -> Bundle:
    """The files that a draft is about."""
    files = read_manifest(await desk.content(str(target.get("bundle"))))
    return Bundle(
        tuple(
            Item(
                path=str(f["path"]),
                mime_type=str(f["mimeType"]),
                attachment_id=str(f["attachmentId"]),
                size=int(cast("int", f["size"])),
                sha256=str(f["sha256"]),
            )
            for f in files
        )
    )


def slug_of(name: str) -> str:
    """A name that is safe in addresses, made of somebody's title."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60].strip("-")
    return plain or f"site-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _check(files: Sequence[Given]) -> None:
    if not files:
        raise InvalidInput("There is nothing to publish.", field="files")
    if len(files) > MAX_FILES or sum(len(f.content) for f in files) > MAX_TOTAL:
        raise TooLarge(f"At most {MAX_FILES} files with {MAX_TOTAL >> 20} MB together are published.")
    large = next((f for f in files if len(f.content) > MAX_FILE), None)
    if large:
        raise TooLarge(f"{large.path[:80]} is larger than {MAX_FILE >> 20} MB.")
    paths = [_checked_path(f.path).lower() for f in files]
    twice = next((p for i, p in enumerate(paths) if p in paths[:i]), None)
    if twice:
        raise InvalidInput(f"Two files are called {twice}.", field="files")
    for path in paths:
        if any(other.startswith(f"{path}/") for other in paths):
            raise InvalidInput(f"{path} is a file and a folder.", field="files")


def _checked_path(path: str) -> str:
    parts = clean_text(path).split("/")
    fine = all(_PART.fullmatch(part) and part not in {".", ".."} and part == part.strip() for part in parts)
    if not fine or len(path) > MAX_PATH:
        raise InvalidInput(
            f"{path[:80]!r} is not a path inside a site.", hint="Write it like images/logo.png.", field="files"
        )
    return "/".join(parts)


def _text_of(content: bytes) -> str | None:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
