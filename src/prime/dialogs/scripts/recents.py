"""Which scripts an agent's dialogs began with lately: `.dialogs/recent-priming/<agent>.json`."""

import fcntl
from collections.abc import Sequence
from pathlib import Path

from prime.core.errors import InvalidInput, NotFound, PrimeError
from prime.core.json_text import Json, read_json, write_json
from prime.dialogs.scripts.disk import opened_folder, read_file, write_file
from prime.dialogs.scripts.folder import Listing, ScriptFolder, ScriptSummary, ScriptWarning
from prime.dialogs.scripts.refs import ScriptRef, check_member, parse_ref

MOST = 20
_FOLDER = (".dialogs", "recent-priming")
_MOST_BYTES = 1024 * 1024


class RecentScripts:
    """The recent scripts of each agent of one workspace, newest first."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._scripts = ScriptFolder(workspace)

    def remember(self, agent: str, refs: Sequence[ScriptRef]) -> None:
        """Put these first. To be called when a dialog was created with them, and only then."""
        name = _file_name(agent)
        with opened_folder(self._workspace, _FOLDER, create=True) as folder:
            # Held until the folder is closed: two dialogs that begin at once are both remembered.
            fcntl.flock(folder, fcntl.LOCK_EX)
            kept = list(dict.fromkeys([*refs, *_read(folder, name)]))[:MOST]
            items: list[Json] = [str(ref) for ref in kept]
            data = write_json({"scriptRefs": items}, indent=2) + "\n"
            write_file(folder, name, data.encode(), shown=_shown(name), overwrite=True)

    def refs(self, agent: str) -> tuple[ScriptRef, ...]:
        """The names alone, also of scripts that are gone."""
        name = _file_name(agent)
        try:
            with opened_folder(self._workspace, _FOLDER) as folder:
                return tuple(_read(folder, name))
        except NotFound:
            return ()

    def list(self, agent: str) -> Listing:
        """The scripts that are still there; broken ones are among the warnings."""
        items: list[ScriptSummary] = []
        broken: list[ScriptWarning] = []
        for ref in self.refs(agent):
            try:
                items.append(self._scripts.summary(ref))
            except NotFound:
                continue
            except PrimeError as error:
                broken.append(ScriptWarning(ref.path, str(error)))
        return Listing(tuple(items), len(broken), tuple(broken), more=False)


def _read(folder: int, name: str) -> list[ScriptRef]:
    try:
        data = read_file(folder, name, shown=_shown(name), most=_MOST_BYTES)
        return _refs(read_json(data.decode()))
    except NotFound:
        return []
    except (InvalidInput, UnicodeDecodeError):
        return []  # a convenience that somebody damaged: it begins anew with the next dialog


def _refs(found: Json) -> list[ScriptRef]:
    listed = found.get("scriptRefs") if isinstance(found, dict) else None
    names = listed if isinstance(listed, list) else []
    return [parse_ref(name) for name in names[:MOST] if isinstance(name, str)]


def _file_name(agent: str) -> str:
    return f"{check_member(agent)}.json"


def _shown(name: str) -> str:
    return "/".join((*_FOLDER, name))
