"""Files that are replaced in one step: who reads sees the old one or the new one, never a part."""

import os
import secrets
from pathlib import Path

OWNER_ONLY = 0o600


def replace_file(path: Path, text: str, *, mode: int = OWNER_ONLY, lasting: bool = True) -> None:
    """Write it anew; its folder is there. Unless it can be made again (`lasting=False`), it is on the disk afterwards."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            if lasting:
                os.fsync(descriptor)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if lasting:
        fsync(path.parent)


def fsync(path: Path) -> None:
    """Wait until a file, or a folder's list of files, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
