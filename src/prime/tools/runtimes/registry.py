"""The tools that are folders, of the user and of the workspace: found, read, and read again when they change."""

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from prime.core.errors import Conflict, JsonValue, NotFound, PrimeError
from prime.tools.atip.model import Trust
from prime.tools.runtime import ToolSource
from prime.tools.runtimes.entries import words_of
from prime.tools.runtimes.files import Files, Stamp, digest_of, stamp_of_folder
from prime.tools.runtimes.manifest import FILE_NAME, Level, Manifest
from prime.tools.runtimes.own_names import refuse_own_name
from prime.tools.runtimes.places import workspace_tools
from prime.tools.runtimes.reading import load_manifest
from prime.tools.runtimes.schema import CompiledSchema
from prime.tools.tool import Tool


@dataclass(frozen=True, slots=True, eq=False)
class Folder:
    """One tool as it was read: its manifest, the `Tool` made of it, and its schemas, compiled."""

    manifest: Manifest
    level: Level
    tool: Tool
    files: Files
    stamp: Stamp
    digest: str
    # The program and its fixed arguments; of a script, the script.
    words: tuple[str, ...]
    parameters: CompiledSchema
    returns: CompiledSchema | None

    @property
    def unchanged(self) -> bool:
        """Whether its files are still the ones that were read."""
        try:
            return self.files.stamp() == self.stamp
        except (OSError, ValueError, PrimeError):
            return False

    @property
    def seems_unchanged(self) -> bool:
        """The same for who looks often, at a fraction of the work; never for what is about to run."""
        try:
            return self.files.seem_as_in(self.stamp)
        except (OSError, ValueError, PrimeError):
            return False


def read_folder(path: Path, level: Level) -> Folder:
    """Read one tool; InvalidManifest, or another refusal, says what is wrong with it."""
    manifest = load_manifest(path)
    refuse_own_name(manifest)
    files = Files(manifest)
    stamp = files.stamp()
    digest = digest_of(manifest, stamp)
    tool = Tool(
        name=manifest.name,
        command=(manifest.name,),
        description=manifest.description,
        schema=manifest.parameters,
        effects=manifest.effects,
        trust=Trust(source=level, checksum=digest, extra={"version": manifest.version}),
        runtime=manifest.runtime,
        # What came with a folder that was opened here has not been given anything yet.
        handed=manifest.policy.env_allow if level == "workspace" else (),
    )
    returns = None if manifest.returns is None else CompiledSchema(manifest.returns)
    words, parameters = words_of(manifest), CompiledSchema(manifest.parameters)
    return Folder(manifest, level, tool, files, stamp, digest, words, parameters, returns)


class Registry:
    """A `ToolSource` over manifest folders. Looking costs a `stat` per file; reading happens on change only.

    A call looks at the files of its own tool, and at whether a folder came or went.

    A workspace comes from anywhere, so that its tools never take the name of one of the user's.
    """

    def __init__(self, user: Path, workspace: Path | None = None) -> None:
        self._roots: list[tuple[Level, Path]] = [("user", user)]
        if workspace is not None:
            self._roots.append(("workspace", workspace_tools(workspace)))
        self._known: dict[Path, Folder | PrimeError] = {}
        self._stamps: dict[Path, Stamp] = {}
        self._paths: dict[str, Path] = {}
        self._roots_seen: tuple[int, ...] = ()
        self._by_name: dict[str, Folder] = {}
        self._problems: dict[Path, PrimeError] = {}
        self._counter = itertools.count(1)
        self._changed = 0

    @property
    def changed(self) -> int:
        """Grows whenever `tools` would answer differently."""
        self.refresh()
        return self._changed

    def changed_for(self, name: str, level: Level | None = None) -> int:
        """The same without a look at the files of other tools than this one; `level`: only if it is one of its."""
        known = self._by_name.get(name)
        moved = known is not None and level in (None, known.level) and not known.unchanged
        if moved or self._roots_stamp() != self._roots_seen:
            self.refresh()
        return self._changed

    def tools(self) -> Sequence[Tool]:
        """Every tool that could be read, as it is now."""
        self.refresh()
        return [folder.tool for folder in self._by_name.values()]

    def of_level(self, level: Level) -> ToolSource:
        """The tools of one level alone: a user's own stand before others of their name, a workspace's behind."""
        return _OfLevel(self, level)

    def folders(self) -> Sequence[Folder]:
        self.refresh()
        return list(self._by_name.values())

    def problems(self) -> Mapping[Path, PrimeError]:
        """What keeps folders from being tools, by folder."""
        self.refresh()
        return dict(self._problems)

    def find(self, name: str) -> Folder:
        """The tool of a name as it is now; NotFound, or the reason why its folder is none."""
        found = self._by_name.get(name)
        if found is None or not found.unchanged:
            self.refresh()
            found = self._by_name.get(name)
        if found is not None:
            return found
        for path, problem in self._problems.items():
            if path.name == name:
                raise problem
        raise NotFound(
            f"There is no tool folder named {name[:80]!r}.",
            code="tool_not_found",
            hint="`prime tools add DIR` adds one.",
            tool=name[:80],
        )

    def of(self, tool: Tool) -> Folder:
        """The folder of a `Tool` that this registry gave out; Conflict when it has changed since."""
        found = self.find(tool.name)
        if found.tool is not tool and found.digest != tool.trust.checksum:
            raise Conflict(
                f"The files of {tool.name} have changed since the call was prepared.",
                code="tool_changed",
                hint="Look the tool up again and repeat the call.",
                tool=tool.name,
            )
        return found

    def primes(self, tool: Tool) -> Mapping[str, JsonValue]:
        """What the tool's author wrote about its use; nothing for a tool that is none of these folders."""
        folder = self._by_name.get(tool.name)
        return folder.manifest.prime if folder is not None and folder.tool is tool else {}

    def refresh(self) -> None:
        """Look for changes now."""
        self._roots_seen = self._roots_stamp()
        seen: dict[Path, Level] = {}
        moved: list[Path] = []
        for level, root in self._roots:
            for path in self._below(root):
                known = self._known.get(path)
                if isinstance(known, Folder) and known.seems_unchanged:
                    seen[path] = level
                elif os.path.exists(f"{path}/{FILE_NAME}"):  # noqa: PTH110 - looked at every second
                    seen[path] = level
                    if isinstance(known, Folder) or self._is_new(path):
                        moved.append(path)
        gone = [path for path in self._known if path not in seen]
        for path in gone:
            del self._known[path]
            self._stamps.pop(path, None)
            self._paths.pop(str(path), None)
        if moved or gone:
            for path in moved:
                self._known[path] = _read(path, seen[path])
            self._sort(seen)
            self._changed = next(self._counter)

    def _roots_stamp(self) -> tuple[int, ...]:
        """Changes when a folder comes, goes or gets another name."""
        return tuple(_moment(root) for _, root in self._roots)

    def _below(self, root: Path) -> Iterator[Path]:
        """What may be a tool, in order, as the same objects each time: comparing paths takes longer than looking at them.

        What begins with a dot is somebody's work in progress.
        """
        try:
            names = sorted(os.listdir(root))  # noqa: PTH208 - looked at every second
        except OSError:
            return
        for name in names:
            if not name.startswith("."):
                place = f"{root}/{name}"
                yield self._paths.get(place) or self._paths.setdefault(place, Path(place))

    def _is_new(self, path: Path) -> bool:
        """Whether a folder that is no tool was not there at the last look, or was different."""
        try:
            stamp = stamp_of_folder(path)
        except (OSError, PrimeError):
            stamp = ()
        different = path not in self._known or self._stamps.get(path) != stamp
        self._stamps[path] = stamp
        return different

    def _sort(self, seen: Mapping[Path, Level]) -> None:
        self._by_name, self._problems = {}, {}
        for path in seen:
            known = self._known[path]
            if isinstance(known, PrimeError):
                self._problems[path] = known
            elif known.manifest.name in self._by_name:
                self._problems[path] = _taken(known, self._by_name[known.manifest.name])
            else:
                self._by_name[known.manifest.name] = known


class _OfLevel:
    def __init__(self, registry: Registry, level: Level) -> None:
        self._registry = registry
        self._level: Level = level

    @property
    def changed(self) -> int:
        return self._registry.changed

    def changed_for(self, name: str) -> int:
        return self._registry.changed_for(name, self._level)

    def tools(self) -> Sequence[Tool]:
        return [folder.tool for folder in self._registry.folders() if folder.level == self._level]

    def missing(self, name: str) -> PrimeError | None:
        """What keeps the folder of this name from being a tool."""
        return next((why for path, why in self._registry.problems().items() if path.name == name), None)


def _moment(folder: Path) -> int:
    try:
        return os.stat(folder).st_mtime_ns  # noqa: PTH116 - every call
    except OSError:
        return 0


def _read(path: Path, level: Level) -> Folder | PrimeError:
    try:
        return read_folder(path, level)
    except PrimeError as error:
        return error
    except OSError as error:  # it went away, or changed, under our hands
        return NotFound(f"{path}: {error.strerror}.", code="tool_not_found", hint="Check the folder.")


def _taken(folder: Folder, by: Folder) -> Conflict:
    return Conflict(
        f"{folder.manifest.file}: the name {folder.manifest.name!r} is taken by {by.manifest.file}.",
        code="name_taken",
        hint="Give the tool another name.",
        file=str(folder.manifest.file),
        pointer="/name",
    )
