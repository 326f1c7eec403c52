"""The scripts of a workspace: load, save, and search on the disk as it is now."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prime.core.errors import InvalidInput, NotFound, PrimeError
from prime.dialogs.scripts.combine import applies_to
from prime.dialogs.scripts.disk import entries, opened_folder, read_file, write_file
from prime.dialogs.scripts.exporter import export_bytes
from prime.dialogs.scripts.links import broken_link, open_calls
from prime.dialogs.scripts.parser import MAX_BYTES, parse_script, too_large
from prime.dialogs.scripts.refs import FOLDER, ScriptRef, check_member, parse_ref
from prime.dialogs.scripts.script import Script

LIMIT = 50
# What a listing shows of a title; the script keeps all of it.
LONGEST_TITLE = 200
_DEEPEST = 18
_SAMPLES = 20


@dataclass(frozen=True, slots=True)
class ScriptSummary:
    """One script of a listing."""

    ref: ScriptRef
    title: str | None
    records: int
    warnings: tuple[str, ...]

    @property
    def path(self) -> str:
        return self.ref.path


@dataclass(frozen=True, slots=True)
class ScriptWarning:
    """A file that is not listed, and why."""

    path: str
    error: str


@dataclass(frozen=True, slots=True)
class Listing:
    """What a search found; `skipped` counts the files that could not be listed, of which `samples` shows some."""

    items: tuple[ScriptSummary, ...]
    skipped: int
    samples: tuple[ScriptWarning, ...]
    more: bool
    """Whether there are further scripts beyond the limit."""


class ScriptFolder:
    """`.minds/priming` of one workspace."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace

    def load(self, ref: ScriptRef) -> Script:
        """The script as it is on the disk now."""
        return parse_script(self.read(ref), path=ref.path)

    def read(self, ref: ScriptRef) -> bytes:
        """The file's bytes."""
        try:
            with opened_folder(self._workspace, ref.folders) as folder:
                data = read_file(folder, ref.file_name, shown=ref.path, most=MAX_BYTES)
        except NotFound as error:
            hint = "`prime scripts list` shows what there is."
            raise NotFound(f"There is no script {ref}.", hint=hint, scriptRef=str(ref)) from error
        if len(data) > MAX_BYTES:
            raise too_large(ref.path)
        return data

    def save(self, ref: ScriptRef, script: Script, *, overwrite: bool = False) -> str:
        """Write the script and say where: a new file, or with `overwrite` also in place of an old one.

        What could not be loaded again is refused before anything is written.
        """
        broken = broken_link(script.records)
        if broken is not None:
            raise InvalidInput(f"Record {broken.index + 1}: {broken.message}", hint=broken.hint)
        data = export_bytes(script)
        if len(data) > MAX_BYTES:
            raise too_large(ref.path)
        with opened_folder(self._workspace, ref.folders, create=True) as folder:
            write_file(folder, ref.file_name, data, shown=ref.path, overwrite=overwrite)
        return ref.path

    def summary(self, ref: ScriptRef) -> ScriptSummary:
        """One script as listings show it."""
        return _summary(ref, self.load(ref))

    def search(self, member: str | None = None, query: str = "", *, limit: int = LIMIT) -> Listing:
        """Scripts that are for `member` (None: all of them) and have every word of `query` in name or title."""
        words = query.casefold().split()
        items: list[ScriptSummary] = []
        broken: list[ScriptWarning] = []
        for found in self._found(member):
            listed = self._listed(found, member, words) if isinstance(found, ScriptRef) else found
            if isinstance(listed, ScriptWarning):
                broken.append(listed)
            elif listed is not None:
                items.append(listed)
            if len(items) > limit:
                break
        return Listing(tuple(items[:limit]), len(broken), tuple(broken[:_SAMPLES]), len(items) > limit)

    def _listed(self, ref: ScriptRef, member: str | None, words: list[str]) -> ScriptSummary | ScriptWarning | None:
        try:
            script = self.load(ref)
        except NotFound:
            return None  # it went away since the folder was read
        except PrimeError as error:
            return ScriptWarning(ref.path, str(error))
        if member is not None and not applies_to(ref, script.header, member):
            return None
        name = f"{ref} {script.header.title or ''}".casefold()
        return _summary(ref, script) if all(word in name for word in words) else None

    def _found(self, member: str | None) -> Iterator[ScriptRef | ScriptWarning]:
        own = ("individual",) if member is None else ("individual", check_member(member))
        yield from self._walk(own)
        yield from self._walk(("team_shared",))

    def _walk(self, parts: tuple[str, ...]) -> Iterator[ScriptRef | ScriptWarning]:
        shown = "/".join((*FOLDER, *parts))
        folders: list[str] = []
        files: list[str] = []
        try:
            with opened_folder(self._workspace, (*FOLDER, *parts)) as folder:
                for entry in entries(folder):
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    elif entry.name.endswith(".md") or entry.is_symlink():
                        files.append(entry.name)
        except NotFound:
            return
        except PrimeError as error:
            yield ScriptWarning(shown, str(error))
            return
        for name in files:
            yield _named((*parts, name.removesuffix(".md")), f"{shown}/{name}")
        for name in folders:
            if len(parts) < _DEEPEST:
                yield from self._walk((*parts, name))


def _named(parts: tuple[str, ...], path: str) -> ScriptRef | ScriptWarning:
    try:
        return parse_ref("/".join(parts))
    except InvalidInput as error:
        return ScriptWarning(path, str(error))


def _summary(ref: ScriptRef, script: Script) -> ScriptSummary:
    waiting = open_calls(script.records)
    warnings = tuple(f"The call {call.id!r} ({call.name}) has no result." for call in waiting[:5])
    title = script.header.title
    shown = f"{title[:LONGEST_TITLE]}…" if title and len(title) > LONGEST_TITLE else title
    return ScriptSummary(ref, shown, len(script.records), warnings)
