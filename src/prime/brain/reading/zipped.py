"""Zip files without their traps: what they would unpack to is counted before anything is unpacked."""

import io
import zipfile

from prime.brain.reading.reading import Refused

MAX_FILES = 20_000
MAX_UNPACKED = 400 * 1024 * 1024
MAX_PART = 100 * 1024 * 1024
_RATIO = 400  # no honest file shrinks more


def check_zip(content: bytes) -> zipfile.ZipFile:
    """The archive, opened; refuses one that is damaged or unpacks to far more than it is."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise Refused(f"The archive is damaged: {error}.") from error
    parts = archive.infolist()
    if len(parts) > MAX_FILES:
        raise Refused(f"The archive holds {len(parts):,} files; {MAX_FILES:,} are the most.")
    unpacked = sum(part.file_size for part in parts)
    if unpacked > MAX_UNPACKED or unpacked > _RATIO * max(len(content), 1):
        raise Refused(f"The archive would unpack to {unpacked:,} bytes, far more than its size: it is not opened.")
    return archive


def macros_in(archive: zipfile.ZipFile) -> list[str]:
    """A fact about an office file that carries programs; nothing here runs them."""
    held = any(name.rpartition("/")[2].lower() == "vbaproject.bin" for name in archive.namelist())
    return ["holds macros, which were not run"] if held else []


def read_part(archive: zipfile.ZipFile, name: str) -> bytes:
    """One file of it. What it says of its size is not believed: more than the bound is refused while it is unpacked."""
    try:
        with archive.open(name) as file:
            content = file.read(MAX_PART + 1)
    except KeyError:
        raise Refused(f"The archive has no {name}.") from None
    except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        raise Refused(f"{name} in the archive is damaged: {error}.") from error
    if len(content) > MAX_PART:
        raise Refused(f"{name} in the archive is too large to be read.")
    return content
