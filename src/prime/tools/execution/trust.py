"""How far a tool's metadata is believed (D-ATIP-16): the file is the one that was described, or it does not run."""

import hashlib
import os
import re
from pathlib import Path

from prime.core.errors import Forbidden, InvalidInput
from prime.core.process import SandboxPolicy
from prime.tools.private_places import PRIVATE_PLACES, own_places
from prime.tools.tool import Tool

# Who vouches: the tool itself as installed here, the owner, the machine's administrator, or Prime.
_VOUCHED = frozenset({"built-in", "native", "user", "system"})
_CHECKSUM = re.compile(r"(?:(sha256|sha384|sha512)[:-])?([0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})", re.IGNORECASE)
_BY_LENGTH = {64: "sha256", 96: "sha384", 128: "sha512"}
_CHUNK = 1024 * 1024
# What other programs keep is none of their business either; tool folders, which lie there, have walls of their own.
_PRIVATE = (*PRIVATE_PLACES, ".local/share")


def needs_sandbox(tool: Tool) -> bool:
    """Whether the metadata is a guess or a stranger's, so that only walls make its claims true.

    `trust` is Prime's own view, set where a document is taken in; `verified` with a checksum is the owner's word for
    exactly this file.
    """
    trust = tool.trust
    return trust.source not in _VOUCHED and not (trust.verified is True and trust.checksum)


def sandbox_for(tool: Tool, cwd: Path) -> SandboxPolicy:
    """Walls that hold the tool to what it declares; nothing for a tool that somebody vouches for."""
    if not needs_sandbox(tool):
        return SandboxPolicy()
    files = tool.effects.filesystem
    home, place = str(Path.home()), f"{cwd}/"
    private = tuple(
        path
        for name in _PRIVATE
        if os.path.exists(path := f"{home}/{name}") and not place.startswith(f"{path}/")  # noqa: PTH110 - every call
    )
    writes = files.write is True or files.delete is True
    return SandboxPolicy(
        network=tool.effects.network is True,
        read_only=True,
        writable=(str(cwd),) if writes else (),
        kept=own_places(cwd) if writes else (),
        hidden=private,
    )


class Checksums:
    """Sums of executables, remembered until the file changes."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[tuple[int, int, int, int], str]] = {}

    def verify(self, tool: Tool, executable: str) -> None:
        """Forbidden unless the file has the sum that the metadata was written for. Without one there is nothing to do."""
        claimed = tool.trust.checksum
        if claimed is None:
            return
        found = _CHECKSUM.fullmatch(claimed.strip())
        if found is None or (found[1] and _BY_LENGTH[len(found[2])] != found[1].lower()):
            message = f"{tool.name}: the checksum {claimed[:80]!r} cannot be read."
            raise InvalidInput(message, code="invalid_checksum", hint="Write sha256: and 64 hexadecimal digits.")
        if self._sum(executable, _BY_LENGTH[len(found[2])]) != found[2].lower():
            raise Forbidden(
                f"{executable} is not the file that the metadata of {tool.name} was written for.",
                code="checksum_mismatch",
                hint="Look at the program, then `prime tools trust` it or scan again.",
                tool=tool.name,
            )

    def _sum(self, executable: str, algorithm: str) -> str:
        with Path(executable).open("rb") as file:
            status = os.fstat(file.fileno())
            stamp = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            known = self._known.get((executable, algorithm))
            if known is not None and known[0] == stamp:
                return known[1]
            digest = hashlib.new(algorithm)
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
        self._known[executable, algorithm] = (stamp, digest.hexdigest())
        return digest.hexdigest()
