"""The workspace as `file://` resources. Nothing outside it is reached, whatever links and names say.

Every step of the way is opened from the folder before it and never through a link, so that nobody can exchange a folder
for a link between the check and the use.
"""

import base64
import contextlib
import hashlib
import mimetypes
import os
import stat
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from prime.core.errors import Conflict, Forbidden, InvalidInput, JsonValue, NotFound, TooLarge
from prime.core.ids import new_id
from prime.core.private_folders import is_private

LARGEST = 4 * 1024 * 1024
MOST_LISTED = 5000
# Made by machines, large, and of no interest to a reader.
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv", "target", "dist", "build"})
_TEXTS = frozenset(
    {"application/json", "application/xml", "application/javascript", "application/toml", "image/svg+xml"}
)


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds, and the mark by which a later write tells whether it is still that."""

    uri: str
    mime_type: str
    data: bytes

    @property
    def etag(self) -> str:
        return hashlib.sha256(self.data).hexdigest()[:32]

    def as_json(self) -> dict[str, JsonValue]:
        shown: dict[str, JsonValue] = {"uri": self.uri, "mimeType": self.mime_type, "_meta": {"etag": self.etag}}
        with contextlib.suppress(UnicodeDecodeError):
            if is_text(self.mime_type):
                return shown | {"text": self.data.decode()}
        return shown | {"blob": base64.b64encode(self.data).decode()}


class WorkspaceFiles:
    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        # Between the look at a file and its change nobody else changes it: of two with one etag, one is too late.
        self._changing = threading.Lock()

    def uri(self, path: Path) -> str:
        return "file://" + quote(str(path))

    @property
    def template(self) -> str:
        return f"{self.uri(self.root)}/{{+path}}"

    def parts(self, uri: str) -> tuple[str, ...]:
        """The way from the root; refused when it leads out, or through what is hidden."""
        address = urlsplit(uri)
        if address.scheme != "file" or address.netloc not in {"", "localhost"}:
            raise InvalidInput(f"{uri[:200]} is no file address.", field="uri", hint=f"Use {self.template}.")
        name = unquote(address.path)
        if "\0" in name or address.query or address.fragment:
            raise InvalidInput("A file address is a path and nothing else.", field="uri")
        real = Path(os.path.realpath(name))
        if not real.is_relative_to(self.root) or real == self.root:
            raise Forbidden(
                f"{uri[:200]} lies outside the workspace.", code="resource_outside_root", hint=f"Use {self.template}."
            )
        parts = real.relative_to(self.root).parts
        if any(part.startswith(".") for part in parts) or self._is_own(real):
            raise Forbidden(f"{uri[:200]} is hidden, and hidden files are nobody's.", code="resource_hidden")
        return parts

    def _is_own(self, path: Path) -> bool:
        """Whether it lies in Prime's own folders, which a workspace may hold."""
        return is_private(path) and not is_private(self.root)

    def refuse_folder(self, uri: str) -> None:
        """As `parts`, and what is there already must be a file: it would never be written."""
        there = self.root.joinpath(*self.parts(uri))
        with contextlib.suppress(OSError):
            if not stat.S_ISREG(there.lstat().st_mode):
                raise InvalidInput(f"{uri[:200]} is not a file.", code="not_a_file", field="uri")

    def listed(self) -> list[dict[str, JsonValue]]:
        """Files by name, as far as they are listed."""
        shown: list[dict[str, JsonValue]] = []
        for path, size in self._walk():
            name = str(path.relative_to(self.root))
            entry: dict[str, JsonValue] = {"uri": self.uri(path), "name": name, "mimeType": mime_of(path.name)}
            shown.append(entry | {"size": size})
            if len(shown) >= MOST_LISTED:
                break
        return shown

    def read(self, uri: str) -> Content:
        parts = self.parts(uri)
        with self._folder(parts[:-1], uri) as folder:
            data = _read(folder, parts[-1], uri)
        return Content(uri, mime_of(parts[-1], data), data)

    def write(self, uri: str, data: bytes, etag: str | None = None) -> Content:
        """Whole or not at all. With an etag only when the file is still the one that was read."""
        if len(data) > LARGEST:
            raise TooLarge(f"A resource may have {LARGEST:,} bytes.")
        parts = self.parts(uri)
        with self._changing, self._folder(parts[:-1], uri, make=True) as folder:
            self._check(folder, parts[-1], uri, etag)
            _replace(folder, parts[-1], data)
        return Content(uri, mime_of(parts[-1], data), data)

    def delete(self, uri: str, etag: str | None = None) -> None:
        parts = self.parts(uri)
        with self._changing, self._folder(parts[:-1], uri) as folder:
            _read(folder, parts[-1], uri)
            self._check(folder, parts[-1], uri, etag)
            os.unlink(parts[-1], dir_fd=folder)

    def _check(self, folder: int, name: str, uri: str, etag: str | None) -> None:
        if etag is None:
            return
        try:
            there = hashlib.sha256(_read(folder, name, uri)).hexdigest()[:32]
        except NotFound:
            there = ""
        if there != etag:
            raise Conflict(
                f"{uri[:200]} is not what it was when it was read.",
                code="etag_mismatch",
                hint="Read it again and repeat the change.",
                etag=there,
            )

    @contextmanager
    def _folder(self, parts: tuple[str, ...], uri: str, *, make: bool = False) -> Generator[int]:
        """The open folder at the end of a way that has no links in it."""
        opened = [os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)]
        try:
            for part in parts:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(part, dir_fd=opened[-1])
                opened.append(os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=opened[-1]))
            yield opened[-1]
        except (FileNotFoundError, NotADirectoryError):
            raise _missing(uri) from None
        except PermissionError:
            raise Forbidden(f"{uri[:200]} may not be touched.", code="resource_denied") from None
        except OSError as error:  # a name that is too long, a disk that is full
            raise InvalidInput(
                f"{uri[:200]} cannot be used: {error.strerror}.", code="not_a_file", field="uri"
            ) from None
        finally:
            for folder in opened:
                os.close(folder)

    def _walk(self) -> Iterator[tuple[Path, int]]:
        for folder, folders, names in os.walk(self.root, followlinks=False):
            if self._is_own(Path(folder)):
                folders.clear()
                continue
            folders[:] = sorted(n for n in folders if not n.startswith(".") and n not in _SKIPPED)
            for name in sorted(names):
                path = Path(folder) / name
                with contextlib.suppress(OSError):
                    how = path.lstat()
                    if stat.S_ISREG(how.st_mode) and not name.startswith("."):
                        yield path, how.st_size


def _read(folder: int, name: str, uri: str) -> bytes:
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        raise _missing(uri) from None
    try:
        how = os.fstat(handle)
        if not stat.S_ISREG(how.st_mode):
            raise InvalidInput(f"{uri[:200]} is not a file.", code="not_a_file", field="uri")
        if how.st_size > LARGEST:
            raise TooLarge(f"{uri[:200]} has {how.st_size:,} bytes, and {LARGEST:,} is the most.")
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read(LARGEST)
    finally:
        os.close(handle)


def _replace(folder: int, name: str, data: bytes) -> None:
    temporary = f".{new_id('write')}"
    mode = 0o644
    with contextlib.suppress(OSError):
        there = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISREG(there.st_mode):
            raise InvalidInput(f"{name[:200]} is not a file.", code="not_a_file", field="uri")
        mode = stat.S_IMODE(there.st_mode)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode, dir_fd=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def is_text(mime_type: str) -> bool:
    return mime_type.startswith("text/") or mime_type in _TEXTS or mime_type.endswith(("+json", "+xml"))


def mime_of(name: str, data: bytes | None = None) -> str:
    """By its name; what no table knows is text when it reads as text."""
    known = _KNOWN.get(Path(name).suffix.lower()) or mimetypes.guess_type(name)[0]
    if known is not None:
        return known
    if data is None:
        return "text/plain" if "." not in name else "application/octet-stream"
    try:
        data.decode()
    except UnicodeDecodeError:
        return "application/octet-stream"
    return "application/octet-stream" if b"\0" in data else "text/plain"


# Tables differ from machine to machine; these do not.
_KNOWN = {
    ".md": "text/markdown",
    ".py": "text/x-python",
    ".ts": "text/x-typescript",
    ".tsx": "text/x-typescript",
    ".js": "text/javascript",
    ".rs": "text/x-rust",
    ".go": "text/x-go",
    ".toml": "application/toml",
    ".yaml": "text/yaml",
    ".yml": "text/yaml",
    ".json": "application/json",
    ".txt": "text/plain",
    ".log": "text/plain",
    ".csv": "text/csv",
}


def _missing(uri: str) -> NotFound:
    return NotFound(f"There is no resource {uri[:200]}.", code="unknown_resource", uri=uri[:500])
