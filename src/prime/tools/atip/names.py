"""The table between the names that models see and command paths (D-ATIP-6). Names are never split to find a command."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

Path = tuple[str, ...]
MAX_NAME = 64
_OTHER = re.compile(r"[^A-Za-z0-9_-]")
_FIRST = re.compile(r"[A-Za-z_]")


class NameTable(Mapping[str, Path]):
    """name -> path, and `name_of(path)`. Which names come out depends on the set of paths, not on their order."""

    def __init__(self, paths: Iterable[Path], taken: AbstractSet[str] = frozenset()) -> None:
        """`taken` are names that others have already."""
        bases = {path: base_name(path) for path in paths}
        often = Counter(bases.values())
        clean = {base for base, count in often.items() if count == 1 and len(base) <= MAX_NAME} - taken
        used = clean | taken
        self._names = bases
        for path in sorted(path for path, base in bases.items() if base not in clean):
            self._names[path] = name = _suffixed(bases[path], path, used)
            used.add(name)
        self._paths = {name: path for path, name in self._names.items()}

    def name_of(self, path: Path) -> str:
        return self._names[path]

    def __getitem__(self, name: str) -> Path:
        return self._paths[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def base_name(path: Path) -> str:
    """The path as a name, perhaps too long or not unique. Begins with a letter or `_`, which Gemini wants."""
    joined = "_".join(path)
    if joined.isascii() and joined.isidentifier():
        return joined
    name = _OTHER.sub("_", joined)
    return name if _FIRST.match(name) else f"_{name}"


def _suffixed(base: str, path: Path, taken: set[str]) -> str:
    digest = hashlib.sha256("\0".join(path).encode()).hexdigest()
    for length in range(8, len(digest)):
        name = f"{base[: MAX_NAME - length - 1]}_{digest[:length]}"
        if name not in taken:
            return name
    raise AssertionError("unreachable: 56 names that each begin with this path's own digest are taken")
