"""What a repository's index tells of, read as git reads it: whether any of it is more than plain files and links."""

from collections.abc import Iterator
from itertools import islice

# Modes as git writes them: a file, one that may be run, a link. Git itself looks at a few bits only, so any other may
# be that of a repository within, or of a folder that has one.
_PLAIN = frozenset(mode.to_bytes(4, "big") for mode in (0o100644, 0o100755, 0o120000))
_HEADER, _MODE, _FLAGS, _NAME = 12, 24, 60, 62  # where they begin: the first entry, and what is in each
_MORE, _LENGTH = 0x4000, 0xFFF  # of the flags: two more bytes of them follow; how long the name is
_COMPRESSED = 4  # the version in which a name leaves out what it shares with the one before it


def is_plain(data: bytes) -> bool:
    """False also for an index that is not understood."""
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:_HEADER], "big")
    if data[:4] != b"DIRC" or version not in {2, 3, _COMPRESSED}:
        return False
    modes = islice(_modes(data, is_compressed=version == _COMPRESSED), count)
    return sum(mode in _PLAIN for mode in modes) == count


def _modes(data: bytes, *, is_compressed: bool) -> Iterator[bytes]:
    """The mode of each entry, and of whatever follows them."""
    at, length = _HEADER, 0
    while at + _NAME < len(data):
        yield data[at + _MODE : at + _MODE + 4]
        flags = int.from_bytes(data[at + _FLAGS : at + _NAME], "big")
        name, before, shared = at + _NAME + (2 if flags & _MORE else 0), length, 0
        if is_compressed:
            cut, name = _number(data, name)
            shared = before - cut
        length = flags & _LENGTH
        if length == _LENGTH:
            length = max(data.find(b"\0", name) - name, 0) + shared
        if not 0 <= shared <= length:
            return
        at = name + length - shared + 1 if is_compressed else at + (name - at + length + 8) // 8 * 8


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of as many bytes as it takes, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80 and at + 1 < len(data):
        at += 1
        value = (value + 1 << 7) + (data[at] & 0x7F)
    return value, at + 1
