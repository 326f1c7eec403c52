"""A log that comes in from outside, row by row: what stands in it has to be what a log holds.

What folds the log into tables takes its rows as they are. One that cannot be read would stop every start from then on.
"""

from collections.abc import Mapping
from typing import get_args

from prime.core.canonical import parse_json
from prime.core.clock import END_OF_TIME
from prime.core.errors import InvalidInput, TooLarge
from prime.store.message import Audience, Kind, payload_hash

# In this order a row is read where it does not come with names.
READ = (
    "seq",
    "id",
    "channel_id",
    "actor_id",
    "ts",
    "kind",
    "audience",
    "text",
    "body",
    "course",
    "sources",
    "payload_hash",
)
_DEEPEST = 200  # what comes in by HTTP nests 64 deep, and a message wraps it in a little more
_KINDS, _AUDIENCES = frozenset(get_args(Kind)), frozenset(get_args(Audience))
_TEXTS = ("id", "channel_id", "actor_id", "text", "body", "sources")
_MOST_COURSES = 2**31 - 1


class ForeignLog:
    """Hand it every row in the order of its places; `fault` says what is wrong with one, `changed` in the end with all."""

    def __init__(self) -> None:
        self.count = 0
        self._broken: dict[str, int] = {}

    def fault(self, row: Mapping[str, object]) -> str | None:
        """Why this row cannot be the next of a log."""
        self.count += 1
        # The log has no holes: the next message would stand behind the last place, which could be the last there is.
        if row["seq"] != self.count or type(row["seq"]) is not int:
            return f"message {self.count} is not in its place"
        if not all(isinstance(row[name], str) for name in _TEXTS) or not _is_ever_said(row):
            return f"message {self.count} is none that is ever said"
        if not _readable(str(row["body"]), str(row["sources"])):
            return f"message {self.count} cannot be read"
        if payload_hash(str(row["text"]), str(row["body"])) != row["payload_hash"]:
            self._broken[str(row["id"])] = self.count
        return None

    def changed(self, erased: frozenset[str]) -> str | None:
        """Which message is not what was said; those that were erased are none."""
        found = [place for name, place in self._broken.items() if name not in erased]
        return f"message {found[0]} is not what was said" if found else None


def _is_ever_said(row: Mapping[str, object]) -> bool:
    return (
        _is_within(row["ts"], 0, END_OF_TIME - 1)
        and _is_within(row["course"], 1, _MOST_COURSES)
        and row["kind"] in _KINDS
        and row["audience"] in _AUDIENCES
    )


def _is_within(value: object, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _readable(body: str, sources: str) -> bool:
    """What folds the log into tables takes them for an object and a list of ids."""
    if body == "{}" and sources == "[]":
        return True
    try:
        fields, ids = (parse_json(text, max_depth=_DEEPEST, max_bytes=len(text) * 4) for text in (body, sources))
    except (InvalidInput, TooLarge):
        return False
    return isinstance(fields, dict) and isinstance(ids, list) and all(isinstance(one, str) for one in ids)
