"""`registry.json`: which tools were found, and what every executable answered, "nothing" included."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar, cast, get_args

from prime.core.clock import iso
from prime.core.errors import InvalidInput, JsonValue
from prime.tools.discovery.executables import Executable, Identity
from prime.tools.discovery.folders import Folders, read_object, write_json, writing

_T = TypeVar("_T")
Answer = Literal["native", "none", "refused"]


@dataclass(frozen=True, slots=True)
class Probe:
    """What one executable said when it was asked."""

    identity: Identity
    answer: Answer
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One tool of the index."""

    path: str
    source: str
    version: str
    description: str


@dataclass(frozen=True, slots=True)
class Registry:
    """What is known; a value that is read and replaced as a whole."""

    tools: Mapping[str, Entry] = field(default_factory=dict[str, Entry])
    probes: Mapping[str, Probe] = field(default_factory=dict[str, Probe])

    def answer_of(self, executable: Executable) -> Probe | None:
        """The answer that still holds for this executable as it is now."""
        probe = self.probes.get(executable.path)
        return probe if probe is not None and probe.identity == executable.identity else None


def load_registry(folders: Folders) -> Registry:
    """Read without a lock. It is a cache: one that cannot be read counts as empty, and the next scan replaces it."""
    try:
        raw = read_object(folders.registry)
    except InvalidInput:
        return Registry()
    return Registry(
        {name: entry for name, item in _objects(raw.get("tools")) if (entry := _entry(item)) is not None},
        {path: probe for path, item in _objects(raw.get("probes")) if (probe := _probe(item)) is not None},
    )


def update_registry(
    folders: Folders,
    *,
    now_ms: int,
    tools: Mapping[str, Entry | None],
    probes: Mapping[str, Probe | None],
) -> Registry:
    """Put entries in (None takes them out) and write the whole, so that what another process wrote is not lost."""
    with writing(folders.data):
        known = load_registry(folders)
        merged = Registry(_merged(known.tools, tools.items()), _merged(known.probes, probes.items()))
        write_json(
            folders.registry,
            {
                "version": 1,
                "updatedAt": iso(now_ms),
                "tools": {name: _write_entry(entry) for name, entry in merged.tools.items()},
                "probes": {path: _write_probe(probe) for path, probe in merged.probes.items()},
            },
            indent=None,
        )
    return merged


def stamp(path: Path) -> tuple[int, int, int] | None:
    """Changes whenever the file is replaced; None when it is not there."""
    try:
        how = path.stat()
    except OSError:
        return None
    return how.st_mtime_ns, how.st_size, how.st_ino


def _merged(known: Mapping[str, _T], changes: Iterable[tuple[str, _T | None]]) -> dict[str, _T]:
    merged = dict(known)
    for key, value in changes:
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = value
    return merged


def _objects(value: JsonValue) -> list[tuple[str, dict[str, JsonValue]]]:
    if not isinstance(value, dict):
        return []
    items = cast("dict[str, JsonValue]", value).items()
    return [(key, cast("dict[str, JsonValue]", item)) for key, item in items if isinstance(item, dict)]


def _entry(raw: dict[str, JsonValue]) -> Entry | None:
    values = [raw.get(key) for key in ("path", "source", "version", "description")]
    return Entry(*cast("list[str]", values)) if all(isinstance(value, str) for value in values) else None


def _write_entry(entry: Entry) -> dict[str, JsonValue]:
    return {
        "path": entry.path,
        "source": entry.source,
        "version": entry.version,
        "description": entry.description,
    }


def _probe(raw: dict[str, JsonValue]) -> Probe | None:
    real, mtime, size, inode = (raw.get(key) for key in ("realPath", "mtimeNs", "size", "inode"))
    answer, reason = raw.get("answer"), raw.get("reason", "")
    if not isinstance(real, str) or answer not in get_args(Answer) or not isinstance(reason, str):
        return None
    if not (isinstance(mtime, int) and isinstance(size, int) and isinstance(inode, int)):
        return None
    return Probe(Identity(real, mtime, size, inode), cast("Answer", answer), reason)


def _write_probe(probe: Probe) -> dict[str, JsonValue]:
    real, mtime, size, inode = probe.identity
    written: dict[str, JsonValue] = {"realPath": real, "mtimeNs": mtime, "size": size, "inode": inode}
    written["answer"] = probe.answer
    return written | ({"reason": probe.reason} if probe.reason else {})
