"""What installed packages add to Prime, by entry point group."""

import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, distributions


def plugins(group: str) -> tuple[EntryPoint, ...]:
    return tuple(point for point in _installed(tuple(sys.path)) if point.group == group)


@lru_cache(maxsize=1)
def _installed(paths: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Read once for every group: a file of each installed package is opened. The first on the path wins."""
    found = {package.name: package for package in reversed(list(distributions(path=list(paths))))}
    return tuple(point for package in found.values() for point in package.entry_points)
