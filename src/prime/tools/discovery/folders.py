"""Where agents keep what they know about tools (RFC section 4), and safe reading and writing there."""

import contextlib
import fcntl
import json
import os
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from prime.core.errors import InvalidInput, JsonValue
from prime.core.plain_file import read_plain
from prime.core.whole_file import replace_file

SYSTEM = (Path("/usr/local/share/agent-tools"), Path("/usr/share/agent-tools"))
BUILT_IN = Path(__file__).parent.parent / "shims"
# A file that is larger than this is no description of a tool.
MAX_FILE = 32 * 1024 * 1024
# Whatever the umask: who may write here says what programs do.
_FOLDER, _FILE = 0o755, 0o644


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """The places of one user on one machine; `system` is in order of precedence."""

    data: Path
    config: Path
    system: tuple[Path, ...] = SYSTEM
    built_in: Path = BUILT_IN

    @property
    def registry(self) -> Path:
        return self.data / "registry.json"

    @property
    def tools(self) -> Path:
        return self.data / "tools"

    @property
    def shims(self) -> Path:
        return self.data / "shims"

    @property
    def overrides(self) -> Path:
        return self.config / "overrides"

    @property
    def trusted(self) -> Path:
        return self.config / "trusted.json"


def user_folders(env: Mapping[str, str] | None = None) -> Folders:
    """As the environment says. A relative XDG variable is ignored, as its specification wants."""
    env = os.environ if env is None else env
    return Folders(
        data=_xdg(env, "XDG_DATA_HOME", ".local/share") / "agent-tools",
        config=_xdg(env, "XDG_CONFIG_HOME", ".config") / "agent-tools",
    )


def _xdg(env: Mapping[str, str], name: str, usual: str) -> Path:
    given = env.get(name, "")
    return Path(given) if given.startswith("/") else Path(env.get("HOME") or Path.home()) / usual


def safe_name(name: str) -> str:
    """The name of a tool, fit to name a file; anything that could lead elsewhere is refused."""
    if not name or name[0] in ".-" or "/" in name or "\0" in name or len(os.fsencode(name)) > 200:
        raise InvalidInput(f"{name[:60]!r} is not the name of a tool.", hint="Use the bare command name.")
    return name


def read_bytes(path: Path) -> bytes | None:
    """The file as it is; None when there is no such file. A file that cannot be read says where and why."""
    try:
        data = read_plain(path, MAX_FILE)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InvalidInput(
            f"{path}: {error.strerror}.", hint="Look at the file and its permissions.", file=str(path)
        ) from error
    if len(data) > MAX_FILE:
        raise InvalidInput(f"{path}: larger than {MAX_FILE:,} bytes.", hint="Shorten or remove it.", file=str(path))
    return data


def read_json(path: Path) -> JsonValue:
    """The file's value; None when there is no such file."""
    data = read_bytes(path)
    if data is None:
        return None
    try:
        return cast("JsonValue", json.loads(data))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path}: not JSON: {error}.", hint="Mend or remove the file.", file=str(path)) from error


def read_object(path: Path) -> dict[str, JsonValue]:
    """The file's object; empty when there is no such file."""
    value = read_json(path)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidInput(f"{path}: expected an object.", hint="Mend or remove the file.", file=str(path))
    return cast("dict[str, JsonValue]", value)


def write_json(path: Path, value: JsonValue, *, indent: int | None = 1) -> None:
    """Replace the file in one step: readers see the old one or the new one, never a part."""
    path.parent.mkdir(mode=_FOLDER, parents=True, exist_ok=True)
    replace_file(path, json.dumps(value, indent=indent) + "\n", mode=_FILE)


@contextlib.contextmanager
def writing(folder: Path) -> Generator[None]:
    """Hold the folder's lock file: one writer at a time. Readers never wait."""
    folder.mkdir(mode=_FOLDER, parents=True, exist_ok=True)
    with os.fdopen(os.open(folder / "registry.lock", os.O_WRONLY | os.O_CREAT, _FILE), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
