"""What a call may do: the effects of RFC 3.6, how they are inherited, and their worst case.

`None` means *not said*, everywhere. It is never read as "no": a policy that forbids something asks when it is unknown.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from prime.core.errors import JsonValue

Stdin = Literal["none", "optional", "required", "password"]
Resources = tuple[str, ...]


def _nothing() -> Mapping[str, JsonValue]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filesystem:
    """Which files are touched, and how."""

    read: bool | None = None
    write: bool | None = None
    delete: bool | None = None
    paths: Resources | None = None
    extra: Mapping[str, JsonValue] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interactive:
    """What the call wants from a terminal."""

    stdin: Stdin | None = None
    prompts: bool | None = None
    tty: bool | None = None
    extra: Mapping[str, JsonValue] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Whether somebody pays."""

    estimate: str | None = None
    billable: bool | None = None
    extra: Mapping[str, JsonValue] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Duration:
    """How long it takes, and when to give up; text such as "1-5s"."""

    typical: str | None = None
    timeout: str | None = None
    extra: Mapping[str, JsonValue] = field(default_factory=_nothing)


# Shared, so that "says nothing" can be told by identity: documents have thousands of effects.
_NO_FILESYSTEM = Filesystem()
_NO_INTERACTIVE = Interactive()
_NO_COST = Cost()
_NO_DURATION = Duration()


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """The effects of one command, as declared or, from `inherited`, as they hold for it."""

    filesystem: Filesystem = _NO_FILESYSTEM
    network: bool | None = None
    subprocess: bool | None = None
    idempotent: bool | None = None
    reversible: bool | None = None
    destructive: bool | None = None
    creates: Resources | None = None
    modifies: Resources | None = None
    deletes: Resources | None = None
    interactive: Interactive = _NO_INTERACTIVE
    cost: Cost = _NO_COST
    duration: Duration = _NO_DURATION
    extra: Mapping[str, JsonValue] = field(default_factory=_nothing)

    @property
    def read_only(self) -> bool:
        """Everything that could change something is *declared* not to happen (D-ATIP-4)."""
        files = self.filesystem
        quiet = files.write is False and files.delete is False and self.network is False
        return quiet and not (self.creates or self.modifies or self.deletes or self.destructive)


UNKNOWN = Effects()


def inherited(parent: Effects, child: Effects) -> Effects:
    """The child's effects with what it does not say taken from the parent, field by field (D-ATIP-3)."""
    if parent is UNKNOWN:
        return child
    if child is UNKNOWN:
        return parent
    return Effects(
        filesystem=_filesystem(parent.filesystem, child.filesystem),
        network=parent.network if child.network is None else child.network,
        subprocess=parent.subprocess if child.subprocess is None else child.subprocess,
        idempotent=parent.idempotent if child.idempotent is None else child.idempotent,
        reversible=parent.reversible if child.reversible is None else child.reversible,
        destructive=parent.destructive if child.destructive is None else child.destructive,
        creates=parent.creates if child.creates is None else child.creates,
        modifies=parent.modifies if child.modifies is None else child.modifies,
        deletes=parent.deletes if child.deletes is None else child.deletes,
        interactive=_interactive(parent.interactive, child.interactive),
        cost=_cost(parent.cost, child.cost),
        duration=_duration(parent.duration, child.duration),
        extra=_merged(parent.extra, child.extra),
    )


def worst(several: Iterable[Effects]) -> Effects:
    """One value that is at least as dangerous as each: what a merged tool is shown with (D-ATIP-14).

    Unknown beats a harmless answer and loses to a dangerous one.
    """
    items = list(several)
    return Effects(
        filesystem=Filesystem(
            read=_any(e.filesystem.read for e in items),
            write=_any(e.filesystem.write for e in items),
            delete=_any(e.filesystem.delete for e in items),
            paths=_union(e.filesystem.paths for e in items),
        ),
        network=_any(e.network for e in items),
        subprocess=_any(e.subprocess for e in items),
        idempotent=_all(e.idempotent for e in items),
        reversible=_all(e.reversible for e in items),
        destructive=_any(e.destructive for e in items),
        creates=_union(e.creates for e in items),
        modifies=_union(e.modifies for e in items),
        deletes=_union(e.deletes for e in items),
        interactive=Interactive(
            stdin=_worst_stdin(e.interactive.stdin for e in items),
            prompts=_any(e.interactive.prompts for e in items),
            tty=_any(e.interactive.tty for e in items),
        ),
        cost=Cost(billable=_any(e.cost.billable for e in items)),
    )


def _merged(parent: Mapping[str, JsonValue], child: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    return {**parent, **child} if parent else child


def _filesystem(parent: Filesystem, child: Filesystem) -> Filesystem:
    if parent is _NO_FILESYSTEM:
        return child
    if child is _NO_FILESYSTEM:
        return parent
    return Filesystem(
        read=parent.read if child.read is None else child.read,
        write=parent.write if child.write is None else child.write,
        delete=parent.delete if child.delete is None else child.delete,
        paths=parent.paths if child.paths is None else child.paths,
        extra=_merged(parent.extra, child.extra),
    )


def _interactive(parent: Interactive, child: Interactive) -> Interactive:
    if parent is _NO_INTERACTIVE:
        return child
    if child is _NO_INTERACTIVE:
        return parent
    return Interactive(
        stdin=parent.stdin if child.stdin is None else child.stdin,
        prompts=parent.prompts if child.prompts is None else child.prompts,
        tty=parent.tty if child.tty is None else child.tty,
        extra=_merged(parent.extra, child.extra),
    )


def _cost(parent: Cost, child: Cost) -> Cost:
    if parent is _NO_COST:
        return child
    if child is _NO_COST:
        return parent
    return Cost(
        estimate=parent.estimate if child.estimate is None else child.estimate,
        billable=parent.billable if child.billable is None else child.billable,
        extra=_merged(parent.extra, child.extra),
    )


def _duration(parent: Duration, child: Duration) -> Duration:
    if parent is _NO_DURATION:
        return child
    if child is _NO_DURATION:
        return parent
    return Duration(
        typical=parent.typical if child.typical is None else child.typical,
        timeout=parent.timeout if child.timeout is None else child.timeout,
        extra=_merged(parent.extra, child.extra),
    )


def _any(values: Iterable[bool | None]) -> bool | None:
    """True if one is true, unknown if one is unknown, else false: for effects that are dangerous when true."""
    seen = set(values)
    return True if True in seen else None if None in seen or not seen else False


def _all(values: Iterable[bool | None]) -> bool | None:
    """False if one is false, unknown if one is unknown, else true: for effects that are dangerous when false."""
    seen = set(values)
    return False if False in seen else None if None in seen or not seen else True


def _union(values: Iterable[Resources | None]) -> Resources | None:
    known = [value for value in values if value is not None]
    return tuple(dict.fromkeys(name for value in known for name in value)) if known else None


def _worst_stdin(values: Iterable[Stdin | None]) -> Stdin | None:
    order: tuple[Stdin | None, ...] = ("none", "optional", None, "required", "password")
    return max(values, key=order.index, default=None)
