"""Which of several calls may run at once (RFC 7.3): those whose declared effects cannot get in each other's way."""

from collections.abc import Sequence

from prime.tools.atip.effect import Effects


def waits_for(effects: Sequence[Effects]) -> tuple[frozenset[int], ...]:
    """For each call, which earlier ones must have ended before it starts. Order among those that conflict is kept."""
    return tuple(
        frozenset(earlier for earlier in range(index) if conflict(effects[earlier], effects[index]))
        for index in range(len(effects))
    )


def conflict(one: Effects, other: Effects) -> bool:
    """Whether the order of two calls could make a difference. What is not declared could be anything."""
    if _anything(one) or _anything(other):
        return not (_harmless(one) and _harmless(other))
    return _files(one, other) or _files(other, one) or _resources(one, other) or _resources(other, one)


def _harmless(effects: Effects) -> bool:
    files = effects.filesystem
    changes = effects.creates or effects.modifies or effects.deletes or effects.destructive
    return files.write is False and files.delete is False and effects.subprocess is False and not changes


def _anything(effects: Effects) -> bool:
    """Nobody can say what it touches."""
    files = effects.filesystem
    unknown = files.write is None or files.delete is None or effects.subprocess is None or effects.network is None
    return unknown or bool(effects.subprocess) or bool(effects.destructive) or bool(effects.interactive.tty)


def _files(writer: Effects, other: Effects) -> bool:
    """One writes or deletes files that the other may read or write."""
    files, theirs = writer.filesystem, other.filesystem
    if not (files.write or files.delete) or not (theirs.read is not False or theirs.write or theirs.delete):
        return False
    return not _apart(files.paths, theirs.paths)


def _apart(one: Sequence[str] | None, other: Sequence[str] | None) -> bool:
    """Both say where, and neither place lies in the other."""
    if not one or not other:
        return False
    return not any(_overlap(_normal(a), _normal(b)) for a in one for b in other)


def _overlap(one: str, other: str) -> bool:
    return not one or not other or one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def _normal(path: str) -> str:
    """Without a leading `./` and a trailing `/`; with `..` in it, nobody knows where it leads."""
    cut = path.strip().removeprefix("./").rstrip("/")
    return "" if cut in {".", ""} or ".." in cut.split("/") else cut


def _resources(changer: Effects, other: Effects) -> bool:
    """One changes things that the other changes too, or may look at over the network."""
    changed = {*(changer.creates or ()), *(changer.modifies or ()), *(changer.deletes or ())}
    if not changed:
        return False
    theirs = {*(other.creates or ()), *(other.modifies or ()), *(other.deletes or ())}
    return bool(changed & theirs) or bool(changer.network and other.network)
