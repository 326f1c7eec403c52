"""An archive: everything that is needed to go on elsewhere, in one tar file, sealed with a passphrase if wanted.

It holds a copy of the database (attachments are in it), the key that seals secrets, and a list with the hash of each. One that
is not sealed ends with a hash of the whole: what a tar holds beside its files is noticed, too.
"""

import hashlib
import io
import json
import tarfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from prime.core.errors import InvalidInput, PrimeError
from prime.store.disk import telling
from prime.store.file_digest import append_digest, check_digest
from prime.store.sealing import SealedReader, SealedWriter, is_sealed

LIST = "prime-backup.json"
KEY = "secrets.key"
FORMAT = 1
_CHUNK = 1024 * 1024
_MOST_LISTED = 1024 * 1024


def pack(members: Mapping[str, Path], target: Path, facts: Mapping[str, object], passphrase: str | None) -> None:
    """Put these files into an archive, with `facts` about them."""
    listed = {name: {"size": path.stat().st_size, "sha256": _digest(path)} for name, path in members.items()}
    head = json.dumps({"prime": "backup", "format": FORMAT, **facts, "files": listed}).encode()
    with target.open("wb") as file:
        out = SealedWriter(file, passphrase) if passphrase else None
        with tarfile.open(fileobj=cast("IO[bytes]", out or file), mode="w|") as tar:
            tar.addfile(_entry(LIST, len(head)), io.BytesIO(head))
            for name, path in members.items():
                with path.open("rb") as content:
                    tar.addfile(_entry(name, path.stat().st_size), content)
        if out:
            out.close()
    if not passphrase:
        append_digest(target)


def is_archive(path: Path) -> bool:
    if is_sealed(path):
        return True
    with path.open("rb") as file:
        return file.read(262)[257:] == b"ustar"


def unpack(path: Path, folder: Path, passphrase: str | None) -> dict[str, object]:
    """Take an archive apart into a folder; its facts. A file that is torn, changed or not listed is refused."""
    if is_sealed(path) and not passphrase:
        raise InvalidInput(f"{path} is sealed with a passphrase.", hint="Give it with --passphrase.", code="sealed")
    if not is_sealed(path):
        check_digest(path)
    try:
        with path.open("rb") as file, _as_bad_backup(path):
            source = SealedReader(file, passphrase) if passphrase and is_sealed(path) else file
            with tarfile.open(fileobj=cast("IO[bytes]", source), mode="r|") as tar:
                facts = _take_out(tar, folder, path)
            while source.read(_CHUNK):  # a tar is over before its file is; what is not read is not checked
                pass
            return facts
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error}.", code="bad_backup") from error


def _take_out(tar: tarfile.TarFile, folder: Path, path: Path) -> dict[str, object]:
    facts: dict[str, object] | None = None
    missing: dict[str, dict[str, object]] = {}
    for entry in tar:
        # A sparse file is small here and endless there.
        content = tar.extractfile(entry) if entry.isreg() and not entry.issparse() else None
        if facts is None:
            facts = _read_list(entry.name, content, path)
            missing = cast("dict[str, dict[str, object]]", facts["files"])
        elif entry.name in missing and content is not None:
            _keep(content, folder / entry.name, missing.pop(entry.name), path)
        else:
            raise _bad(path, f"{entry.name} does not belong in it")
    if facts is None or missing:
        raise _bad(path, f"{', '.join(missing) or 'its list'} is missing")
    return facts


def _read_list(name: str, content: IO[bytes] | None, path: Path) -> dict[str, object]:
    if name != LIST or content is None:
        raise _bad(path, "it does not begin with its list")
    facts = cast("dict[str, object]", json.loads(content.read(_MOST_LISTED)))
    if facts.get("prime") != "backup" or facts.get("format") != FORMAT or not isinstance(facts.get("files"), dict):
        raise _bad(path, "it is of a form that this version does not read")
    names: Sequence[str] = list(cast("dict[str, object]", facts["files"]))
    if any(Path(name).name != name or name.startswith(".") for name in names):
        raise _bad(path, "it names files elsewhere")
    return facts


def _keep(content: IO[bytes], target: Path, listed: Mapping[str, object], path: Path) -> None:
    digest = hashlib.sha256()
    # A disk without room says nothing about the file that is being read.
    with telling(f"{path} cannot be unpacked"), target.open("wb") as file:
        target.chmod(0o600)
        while part := content.read(_CHUNK):
            digest.update(part)
            file.write(part)
    if digest.hexdigest() != listed.get("sha256"):
        raise _bad(path, f"{target.name} has changed")


@contextmanager
def _as_bad_backup(path: Path) -> Generator[None]:
    try:
        yield
    except PrimeError:
        raise
    except (tarfile.TarError, EOFError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _bad(path, str(error) or type(error).__name__) from error


def _bad(path: Path, why: str) -> InvalidInput:
    return InvalidInput(f"{path} is not a backup of Prime, or it is damaged: {why}.", code="bad_backup")


def _entry(name: str, size: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o600
    return entry


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
