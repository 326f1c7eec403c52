"""Where `mcpServers` are written down, read together, and changed by `prime mcp add` and `remove`."""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from prime.core.errors import Conflict, InvalidInput, JsonValue, NotFound, PrimeError
from prime.core.json_text import BadJson, read_json
from prime.core.plain_file import read_plain
from prime.core.whole_file import replace_file
from prime.gateway.behind.config import Place, ServerConfig, read_server, read_servers

LARGEST = 4 * 1024 * 1024
# Of two servers with one name, the first of these counts: a workspace comes from anywhere and takes nobody's name.
Stamp = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Servers:
    """What the files say together, and what is wrong with them."""

    configs: Mapping[str, ServerConfig]
    problems: tuple[PrimeError, ...]
    unread: frozenset[Path] = frozenset()

    def tells_of(self, config: ServerConfig) -> bool:
        """Whether they say anything about a server that ran before. People write files while Prime reads them: what cannot
        be read, a file or an entry, says neither that a server is gone nor that it is another."""
        at = f"/mcpServers/{config.name}/"
        wrong = [f"{p.data.get('pointer')}/" for p in self.problems if p.data.get("file") == str(config.file)]
        return config.file not in self.unread and not any(one.startswith(at) or at.startswith(one) for one in wrong)


class ConfigFiles:
    """The user's file, the workspace's, and the seed's `~/.erasmus/mcp/config.json`."""

    def __init__(self, config_folder: Path, workspace: Path, home: Path | None = None) -> None:
        self.user = config_folder / "mcp.json"
        self.workspace = workspace / ".prime" / "mcp.json"
        self.erasmus = (home or Path.home()) / ".erasmus" / "mcp" / "config.json"

    @property
    def places(self) -> tuple[tuple[Place, Path], ...]:
        return ("user", self.user), ("erasmus", self.erasmus), ("workspace", self.workspace)

    def stamp(self) -> Stamp:
        """Changes when one of the files does."""
        found: list[tuple[str, int, int, int]] = []
        for _, path in self.places:
            with contextlib.suppress(OSError):
                how = path.stat()
                found.append((str(path), how.st_mtime_ns, how.st_size, how.st_ino))
        return tuple(found)

    def read(self) -> Servers:
        """All servers; a file or an entry that cannot be read is told of and loses nothing else."""
        configs: dict[str, ServerConfig] = {}
        problems: list[PrimeError] = []
        unread: set[Path] = set()
        for place, path in self.places:
            try:
                found, wrong = read_servers(read_document(path), path, place)
            except PrimeError as error:
                problems.append(error)
                unread.add(path)
                continue
            problems += wrong
            for name, config in found.items():
                configs.setdefault(name, config)
        return Servers(configs, tuple(problems), frozenset(unread))

    def file_of(self, place: Place) -> Path:
        return dict(self.places)[place]

    def fit(self, name: str, entry: Mapping[str, JsonValue], place: Place, *, replace: bool = False) -> ServerConfig:
        """The server that an entry would be; `Conflict` when the name is there and `replace` was not said."""
        path = self.file_of(place)
        config = read_server(name, dict(entry), path, place)
        if name in _servers(read_document(path), path) and not replace:
            raise Conflict(
                f"{path} has a server named {name} already.",
                code="already_exists",
                hint="Use --replace, or another name.",
            )
        return config

    def add(self, name: str, entry: Mapping[str, JsonValue], place: Place, *, replace: bool = False) -> ServerConfig:
        """Write an entry into a file, where it fits."""
        config = self.fit(name, entry, place, replace=replace)
        document = read_document(config.file)
        _servers(document, config.file)[name] = dict(entry)
        _write(config.file, document)
        return config

    def remove(self, name: str) -> Path:
        """Take a server out of the file that it comes from."""
        for _, path in self.places:
            document = read_document(path)
            servers = _servers(document, path)
            if name in servers:
                del servers[name]
                _write(path, document)
                return path
        raise NotFound(
            f"No file names a server {name[:80]}.", code="unknown_server", hint="`prime mcp list` shows what is there."
        )


def read_document(path: Path) -> dict[str, JsonValue]:
    """A JSON file's object; an empty one when there is no file."""
    text = read_text(path)
    return {} if text is None else document_of(text, path)


def read_text(path: Path) -> str | None:
    """What is in a file; None when there is none."""
    try:
        data = read_plain(path, LARGEST)
        if len(data) > LARGEST:
            raise InvalidInput(f"{path} is too large for a list of servers.", code="invalid_mcp_config", file=str(path))
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}."
        raise InvalidInput(message, code="invalid_mcp_config", file=str(path)) from None


def document_of(text: str, path: Path) -> dict[str, JsonValue]:
    """The object that a text of this file is."""
    try:
        value = read_json(text)
    except BadJson as error:
        raise InvalidInput(
            f"{path}: {error.message}", code="invalid_mcp_config", hint=error.hint, file=str(path)
        ) from None
    if not isinstance(value, dict):
        raise InvalidInput(f"{path} is not a JSON object.", code="invalid_mcp_config", file=str(path))
    return cast("dict[str, JsonValue]", value)


def _servers(document: dict[str, JsonValue], path: Path) -> dict[str, JsonValue]:
    servers = document.setdefault("mcpServers", {})
    if not isinstance(servers, dict):
        raise InvalidInput(f"{path}: mcpServers is not an object.", code="invalid_mcp_config", file=str(path))
    return cast("dict[str, JsonValue]", servers)


def _write(path: Path, document: Mapping[str, JsonValue]) -> None:
    """Only the owner reads it, since people do write secrets into such files."""
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)  # whatever the umask: it names programs
    replace_file(path, json.dumps(document, ensure_ascii=False, indent=2) + "\n")
