"""Which tools are here: PATH, the answers of executables, shims and overrides, put together by precedence."""

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, cast

from prime.core.clock import Clock, SystemClock, iso
from prime.core.errors import InvalidInput, NotFound
from prime.tools.atip import Document
from prime.tools.atip.model import Pattern, PatternStep
from prime.tools.discovery.documents import DocumentFiles, with_trust
from prime.tools.discovery.executables import Executable, Identity, Programs, Skipped, path_folders
from prime.tools.discovery.folders import Folders, read_object, safe_name, user_folders, write_json, writing
from prime.tools.discovery.probing import ask, ask_for_commands
from prime.tools.discovery.registry import Entry, Probe, Registry, load_registry, stamp, update_registry
from prime.tools.discovery.settings import ScanSettings, load_settings

Source = Literal["native", "shim", "inferred", "override"]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class FoundTool:
    """A tool that is installed and described. `origin` is the file or command that the description comes from.

    `document.trust` is Prime's view of the description, not the document's own: its source is `native`, `user`,
    `system`, `built-in` or `inferred`; it is verified when Prime ships it or the owner vouched for this very binary.
    """

    name: str
    path: str
    source: Source
    origin: str
    document: Document


@dataclass(frozen=True, slots=True)
class Listing:
    """What a scan found. `asked` counts programs that were started, `silent` those without any description."""

    tools: tuple[FoundTool, ...]
    skipped: tuple[Skipped, ...]
    patterns: tuple[Pattern, ...]
    asked: int = 0
    silent: int = 0

    def counts(self) -> dict[Source, int]:
        found = Counter(tool.source for tool in self.tools)
        return {source: found[source] for source in ("native", "shim", "inferred", "override")}


class Discovery:
    """The tools of one user on one machine. Keep it: a second scan costs a look at the files only."""

    def __init__(self, folders: Folders | None = None, *, clock: Clock | None = None) -> None:
        self.folders = folders or user_folders()
        self._clock = clock or SystemClock()
        self._files = DocumentFiles(self.folders)
        self._programs = Programs()
        self._registry: tuple[object, Registry] | None = None
        # What the last scan saw, and what it made of that.
        self._last: tuple[object, Listing] | None = None

    def scan(
        self, *, paths: Sequence[str] | None = None, probe: bool | None = None, progress: Progress | None = None
    ) -> Listing:
        """Look through `paths` (else the configured ones, else PATH), ask what has not been asked yet, keep the answers.

        `probe=False` asks nobody. `progress` is told how many of how many executables have answered.
        """
        self._files.refresh()
        settings = load_settings(self.folders)
        places = [str(Path(path).absolute()) for path in paths] if paths else list(settings.paths or path_folders())
        found = self._programs.find(places, settings)
        registry = self._known()
        probe = settings.probe if probe is None else probe
        if self._last is not None and self._last[0] == (found, settings, probe, self._registry, self._files.state()):
            return self._last[1]
        news: dict[str, Probe | None] = {}
        if probe:
            unasked = [one for one in found.executables if not self._is_answered(one, registry)]
            self._ask(unasked, settings, progress, news)
        answers = Registry(registry.tools, {**registry.probes, **{k: v for k, v in news.items() if v is not None}})
        listing = self._assemble(found.executables, answers, found.skipped, asked=len(news))
        self._keep(places, found.executables, listing, registry, news)
        self._files.refresh()
        now = found, settings, probe, self._registry, self._files.state()
        self._last = now, replace(listing, asked=0)
        return listing

    def load(self) -> Listing:
        """The tools of the last scans that are still there. Starts nothing and looks through no folder."""
        self._files.refresh()
        registry = self._known()
        executables = [one for name, entry in registry.tools.items() if (one := _as_it_is(name, entry.path))]
        return self._assemble(executables, registry, ())

    @property
    def scanned(self) -> bool:
        """Whether there was a scan yet."""
        return self.folders.registry.exists()

    def find(self, name: str) -> FoundTool:
        """One tool by its name, from the registry or, if it is not in it, from PATH without asking it."""
        safe_name(name)
        self._files.refresh()
        entry = self._known().tools.get(name)
        executable = None if entry is None else _as_it_is(name, entry.path)
        executables = [executable] if executable else self._on_path(name)
        listing = self._assemble(executables, self._known(), ())
        if listing.tools:
            return listing.tools[0]
        why = next((f" {skipped.reason}" for skipped in listing.skipped), "")
        near = get_close_matches(name, self._known().tools, n=1)
        raise NotFound(
            f"There is no description of a tool {name!r} here.{why}",
            hint=f"`prime tools scan` looks for tools, `prime tools infer {name}` reads its help."
            if executables
            else f"Did you mean {near[0]!r}? `prime tools list` shows what is known."
            if near
            else "It is not on PATH; `prime tools list` shows what is known.",
        )

    def subtree(self, name: str, commands: Sequence[str]) -> Document:
        """A part of a document that was too large to be kept whole, asked for now."""
        tool = self.find(name)
        executable = _as_it_is(name, tool.path)
        assert executable is not None
        return ask_for_commands(executable, commands, load_settings(self.folders))

    def forget(self, name: str) -> list[str]:
        """Drop what was learned about a tool, so that the next scan asks again; what a person wrote stays."""
        safe_name(name)
        self._files.refresh()
        registry = self._known()
        entry = registry.tools.get(name)
        probes = [path for path in registry.probes if path.rpartition("/")[2] == name]
        dropped = [f"answer of {path}" for path in probes]
        shim = self.folders.shims / f"{name}.json"
        inferred = self._files.document("user", name, str(shim))
        files = [self.folders.tools / f"{name}.json"]
        if isinstance(inferred, Document) and inferred.trust.source == "inferred":
            files.append(shim)
        for file in files:
            if file.exists():
                file.unlink()
                dropped.append(str(file))
        if self._vouch(name, None):
            dropped.append("your trust in it")
        if entry is None and not dropped:
            raise NotFound(f"Nothing is known about a tool {name!r}.", hint="`prime tools list` shows what is known.")
        update_registry(self.folders, now_ms=self._clock.now_ms(), tools={name: None}, probes=dict.fromkeys(probes))
        return dropped

    def trust(self, name: str) -> FoundTool:
        """The owner vouches for a tool as it is now: this binary, by its checksum, and its description."""
        tool = self.find(name)
        executable = _as_it_is(name, tool.path)
        assert executable is not None
        self._vouch(
            name,
            {
                "path": tool.path,
                "checksum": checksum(tool.path),
                "identity": list(executable.identity),
                "at": iso(self._clock.now_ms()),
            },
        )
        return self.find(name)

    def _vouch(self, name: str, record: dict[str, object] | None) -> bool:
        with writing(self.folders.data):
            known = read_object(self.folders.trusted)
            had = known.pop(name, None) is not None
            if record is not None:
                known[name] = record
            if had or record is not None:
                write_json(self.folders.trusted, known)
        return had

    def _known(self) -> Registry:
        now = stamp(self.folders.registry)
        if self._registry is None or self._registry[0] != now:
            self._registry = now, load_registry(self.folders)
        return self._registry[1]

    def _is_answered(self, executable: Executable, registry: Registry) -> bool:
        probe = registry.answer_of(executable)
        if probe is None or probe.answer != "native":
            return probe is not None
        entry = registry.tools.get(executable.name)
        # One file is kept for each name: another program's answer is no answer.
        return entry is not None and entry.path == executable.path and self._native(executable) is not None

    def _native(self, executable: Executable) -> Document | None:
        kept = self._files.native(executable.name)
        return kept if isinstance(kept, Document) else None

    def _ask(
        self,
        executables: Sequence[Executable],
        settings: ScanSettings,
        progress: Progress | None,
        news: dict[str, Probe | None],
    ) -> None:
        if not executables:
            return
        self.folders.tools.mkdir(mode=0o755, parents=True, exist_ok=True)
        try:
            for answered in ask(executables, settings):
                news[answered.executable.path] = answered.probe
                if answered.document is not None:
                    self._files.keep_native(answered.document, answered.text)
                if progress is not None:
                    progress(len(news), len(executables))
        except BaseException:
            # Somebody lost patience: the next scan goes on where this one was.
            update_registry(self.folders, now_ms=self._clock.now_ms(), tools={}, probes=news)
            raise

    def _assemble(
        self, executables: Iterable[Executable], registry: Registry, skipped: Sequence[Skipped], *, asked: int = 0
    ) -> Listing:
        notes = list(skipped)
        trusted = self._trusted(notes)
        patterns, bad = self._files.patterns()
        tools: list[FoundTool] = []
        silent = 0
        for executable in executables:
            probe = registry.answer_of(executable)
            tool = self._describe(executable, probe, notes)
            if tool is not None:
                tools.append(_with_patterns(_vouched(tool, executable, trusted), patterns))
            elif probe is not None and probe.answer == "refused":
                notes.append(Skipped(executable.name, executable.path, probe.reason))
            else:
                silent += 1
        notes += [Skipped(Path(path).name, path, str(error)) for path, error in bad]
        tools.sort(key=lambda tool: tool.name)
        return Listing(tuple(tools), tuple(notes), patterns, asked, silent)

    def _describe(self, executable: Executable, probe: Probe | None, notes: list[Skipped]) -> FoundTool | None:
        """Override > native > user's shim > system's > Prime's > inferred."""
        base = self._base(executable, probe, notes)
        name = executable.name
        merged = self._files.overridden(name, base.document if base else None)
        if merged is None:
            return base
        path = str(self.folders.overrides / f"{name}.json")
        if isinstance(merged, InvalidInput):
            # Without it the tool could look safer than its owner said: better no tool than the wrong one.
            notes.append(Skipped(name, path, str(merged)))
            return None
        trust = base.document.trust if base else None
        merged = with_trust(merged, (trust and trust.source) or "user", verified=bool(trust and trust.verified))
        return FoundTool(name, executable.path, "override", path, merged)

    def _base(self, executable: Executable, probe: Probe | None, notes: list[Skipped]) -> FoundTool | None:
        name, path = executable.name, executable.path
        if probe is not None and probe.answer == "native" and (native := self._native(executable)) is not None:
            return FoundTool(name, path, "native", f"{path} --agent", native)
        inferred: FoundTool | None = None
        for file, document in self._files.shims(name):
            if isinstance(document, InvalidInput):
                notes.append(Skipped(name, file, str(document)))
            elif document.trust.source == "inferred":
                inferred = FoundTool(name, path, "inferred", file, document)
            else:
                return FoundTool(name, path, "shim", file, document)
        return inferred

    def _trusted(self, notes: list[Skipped]) -> Mapping[str, Mapping[str, object]]:
        try:
            records = read_object(self.folders.trusted).items()
            return {name: cast("Mapping[str, object]", item) for name, item in records if isinstance(item, dict)}
        except InvalidInput as error:
            notes.append(Skipped("trusted.json", str(self.folders.trusted), str(error)))
            return {}

    def _on_path(self, name: str) -> list[Executable]:
        paths = (f"{folder}/{name}" for folder in path_folders() if folder.startswith("/"))
        return [one for path in paths if (one := _as_it_is(name, path)) is not None and os.access(path, os.X_OK)][:1]

    def _keep(
        self,
        places: Sequence[str],
        executables: Sequence[Executable],
        listing: Listing,
        registry: Registry,
        news: Mapping[str, Probe | None],
    ) -> None:
        """Write what has changed. What lies elsewhere than in the folders of this scan stays, while it exists."""
        tools: dict[str, Entry | None] = {tool.name: _entry(tool) for tool in listing.tools}
        here = {one.path for one in executables}
        inside = tuple(f"{place.rstrip('/')}/" for place in places)
        for name, entry in registry.tools.items():
            if name not in tools and (entry.path.startswith(inside) or not os.access(entry.path, os.F_OK)):
                tools[name] = None
        probes = dict(news)
        for path in registry.probes:
            if path not in here and path.rpartition("/")[0] + "/" in inside:
                probes[path] = None
        changed = {name: entry for name, entry in tools.items() if registry.tools.get(name) != entry}
        if changed or probes:
            merged = update_registry(self.folders, now_ms=self._clock.now_ms(), tools=changed, probes=probes)
            self._registry = stamp(self.folders.registry), merged


def checksum(path: str) -> str:
    """`sha256:…` of a file, as `trust.checksum` has it."""
    with Path(path).open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def _as_it_is(name: str, path: str) -> Executable | None:
    try:
        how = os.stat(path)  # noqa: PTH116 - hundreds in each scan
    except OSError:
        return None
    real = os.path.realpath(path)
    return Executable(name, path, Identity(real, how.st_mtime_ns, how.st_size, how.st_ino))


def _entry(tool: FoundTool) -> Entry:
    return Entry(tool.path, tool.source, tool.document.version, tool.document.description)


def _vouched(tool: FoundTool, executable: Executable, trusted: Mapping[str, Mapping[str, object]]) -> FoundTool:
    record = trusted.get(tool.name)
    if not record or record.get("identity") != list(executable.identity):
        return tool
    source = tool.document.trust.source or "user"
    document = with_trust(tool.document, source, verified=True, checksum=str(record.get("checksum")))
    return FoundTool(tool.name, tool.path, tool.source, tool.origin, document)


def _with_patterns(tool: FoundTool, patterns: Sequence[Pattern]) -> FoundTool:
    """With the workflow patterns that use it, beside its own (D-ATIP-13)."""
    own = {pattern.name for pattern in tool.document.patterns}
    uses = [one for one in patterns if one.name not in own and any(_program(step) == tool.name for step in one.steps)]
    if not uses:
        return tool
    return replace(tool, document=replace(tool.document, patterns=(*tool.document.patterns, *uses)))


def _program(step: PatternStep) -> str:
    return step.command.partition(" ")[0]
