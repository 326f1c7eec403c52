"""One thing that a command line is known to do, whatever its document says."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Danger:
    """`always`: asked about even where the policy lets destructive calls through."""

    code: str
    text: str
    always: bool = True


def launches(text: str) -> Danger:
    return Danger("launches_programs", text)


def destroys(text: str) -> Danger:
    """Known to destroy so much, or so finally, that somebody must look at the very call."""
    return Danger("known_destructive", text)


def reads_unnamed(text: str) -> Danger:
    """Reads files that no path in its words names, so that the rules for paths do not see them."""
    return Danger("reads_unnamed", text)


def may_destroy(text: str) -> Danger:
    """Destroys something, as `destructive: true` would say."""
    return Danger("destructive", text, always=False)
