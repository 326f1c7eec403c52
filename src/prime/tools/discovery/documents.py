"""Documents in files: shims of the user, the system and Prime itself, overrides, patterns. Read once per change."""

import os
import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

from prime.core.errors import InvalidInput, JsonValue
from prime.tools.atip import Document, parse_document
from prime.tools.atip.model import Pattern
from prime.tools.discovery.folders import Folders, read_bytes, read_json, read_object
from prime.tools.discovery.registry import stamp

_NOT_DOCUMENTS = {"registry.json", "config.json"}


class DocumentFiles:
    """Reads files and remembers them as long as they stay the same."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._read: dict[str, tuple[object, Document | InvalidInput]] = {}
        self._listed: dict[Path, tuple[object, dict[str, str]]] = {}
        self._merged: dict[str, tuple[object, Document, Document]] = {}
        self._shims: dict[str, list[tuple[str, str]]] = {}
        self._overrides: dict[str, str] = {}
        self._fresh: set[str] = set()
        self._tools = f"{folders.tools}/"
        self.refresh()

    def native(self, name: str) -> Document | InvalidInput | None:
        """The kept answer of an executable."""
        return self.document("native", name, f"{self._tools}{name}.json")

    def keep_native(self, document: Document, text: bytes) -> None:
        """Write an answer down, and remember it without reading it again."""
        path = self._folders.tools / f"{document.name}.json"
        temporary = f"{path}.{secrets.token_hex(8)}.tmp"
        with open(temporary, "wb") as file:  # noqa: PTH123 - one of hundreds in a scan
            file.write(text)
        os.replace(temporary, path)  # noqa: PTH105
        self._read[str(path)] = stamp(path), _judged("native", document)

    def refresh(self) -> None:
        """Look at all files anew when they are next used; a scan does it once."""
        folders = self._folders
        self._fresh.clear()
        layers = [("user", folders.shims)]
        layers += [("system", part) for place in folders.system for part in (place / "shims", place / "tools", place)]
        layers.append(("built-in", folders.built_in))
        self._shims = {}
        for kind, folder in layers:
            for name, path in self._names(folder).items():
                self._shims.setdefault(name, []).append((kind, path))
        self._overrides = self._names(folders.overrides)

    def state(self) -> object:
        """Differs whenever a file differs. Prime's own files and kept answers are only ever replaced, never edited."""
        folders = self._folders
        edited = [folders.shims, folders.overrides, folders.data / "patterns"]
        edited += [part for place in folders.system for part in (place / "shims", place / "tools", place)]
        edited += [place / "patterns" for place in folders.system]
        files = [stamp(Path(path)) for folder in edited for path in self._names(folder).values()]
        return files, stamp(folders.tools), stamp(folders.built_in), stamp(folders.trusted)

    def shims(self, name: str) -> Iterator[tuple[str, Document | InvalidInput]]:
        """The layers below a tool's own answer, strongest first: each file and its document."""
        for kind, path in self._shims.get(name, ()):
            if (document := self.document(kind, name, path)) is not None:
                yield path, document

    def document(self, kind: str, name: str, path: str) -> Document | InvalidInput | None:
        """One file's document, the error that it is, or None when there is no such file."""
        if path in self._fresh:
            return self._read[path][1]
        try:
            how = os.stat(path)  # noqa: PTH116 - hundreds in each scan
        except OSError:
            return None
        now = how.st_mtime_ns, how.st_size, how.st_ino
        known = self._read.get(path)
        if known is None or known[0] != now:
            known = self._read[path] = now, _read(kind, name, Path(path))
        self._fresh.add(path)
        return known[1]

    def overridden(self, name: str, base: Document | None) -> Document | InvalidInput | None:
        """The base with the user's override merged into it, the error that it is, or None without an override."""
        path = self._overrides.get(name)
        if path is None:
            return None
        now = stamp(Path(path))
        known = self._merged.get(name)
        if known is not None and known[0] == now and known[1] is base:
            return known[2]
        try:
            changes = {"name": name, **read_object(Path(path))}
            document = parse_document(merge({} if base is None else base.to_json(), changes), where=path)
        except InvalidInput as error:
            return error
        if document.name != name:
            return InvalidInput(f"{path}: at /name: the override of {name} cannot rename it.", hint="Remove the name.")
        if base is not None:
            self._merged[name] = now, base, document
        return document

    def patterns(self) -> tuple[tuple[Pattern, ...], tuple[tuple[str, InvalidInput], ...]]:
        """Workflow patterns of all `patterns/*.json`, and the files that are none."""
        good: dict[str, Pattern] = {}
        bad: list[tuple[str, InvalidInput]] = []
        for place in (self._folders.data, *self._folders.system):
            for path in self._names(place / "patterns").values():
                try:
                    for pattern in _patterns(Path(path)):
                        good.setdefault(pattern.name, pattern)
                except InvalidInput as error:
                    bad.append((path, error))
        return tuple(good.values()), tuple(bad)

    def _names(self, folder: Path) -> dict[str, str]:
        """Name -> file of the documents in a folder, listed again when the folder has changed."""
        now = stamp(folder)
        if now is None:
            return {}
        known = self._listed.get(folder)
        if known is None or known[0] != now:
            found = {name[:-5]: f"{folder}/{name}" for name in sorted(os.listdir(folder)) if _is_document(name)}  # noqa: PTH208
            known = self._listed[folder] = now, found
        return known[1]


def merge(base: JsonValue, changes: JsonValue) -> dict[str, JsonValue]:
    """Field by field, to any depth; what is not an object replaces, and null takes a field away."""
    merged = dict(cast("dict[str, JsonValue]", base)) if isinstance(base, dict) else {}
    for key, value in cast("dict[str, JsonValue]", changes).items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict):
            merged[key] = merge(merged.get(key), cast("JsonValue", value))
        else:
            merged[key] = value
    return merged


def _is_document(name: str) -> bool:
    return name.endswith(".json") and not name.startswith(".") and name not in _NOT_DOCUMENTS


def _read(kind: str, name: str, path: Path) -> Document | InvalidInput:
    try:
        document = parse_document(read_bytes(path) or b"", where=str(path))
    except InvalidInput as error:
        return error
    if document.name != name:
        return InvalidInput(
            f"{path}: at /name: the document is for {document.name[:60]!r}.",
            hint=f"Rename the file to {document.name}.json, or mend the name.",
            file=str(path),
            pointer="/name",
        )
    return _judged(kind, document)


def _patterns(path: Path) -> tuple[Pattern, ...]:
    """A file holds one pattern, a list of them, or an object with `patterns`; read as a tool's own are."""
    raw = read_json(path)
    if isinstance(raw, dict):
        found = cast("dict[str, JsonValue]", raw)
        raw = found.get("patterns", [found])
    carrier: dict[str, JsonValue] = {"atip": "0.3", "name": "patterns", "version": "0", "description": ""}
    return parse_document({**carrier, "patterns": raw}, where=str(path)).patterns


def _judged(kind: str, document: Document) -> Document:
    """With Prime's own view of where it comes from. What was inferred says so itself, and is believed."""
    inferred = kind == "user" and document.trust.source == "inferred"
    return with_trust(document, "inferred" if inferred else kind, verified=kind == "built-in")


def with_trust(document: Document, source: str, *, verified: bool, checksum: str | None = None) -> Document:
    """What Prime thinks of a document, in place of what the document says of itself."""
    trust = replace(document.trust, source=source, verified=verified)
    return replace(document, trust=replace(trust, checksum=checksum) if checksum else trust)
