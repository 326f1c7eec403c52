"""The owner's projects, folded from plans: what each one wants, which rooms are its own, and which was spoken of last.

What is wanted belongs to a project and not to the hub: one project's budget says nothing of another's prices.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from sqlalchemy import Connection, select, update

from prime.hub.projects import tables
from prime.hub.speaking import objects_of
from prime.store.message import Message
from prime.store.upsert import add_row, put_row

# What only the plan of a whole project names; a log of before has no other sign of where one begins.
_OF_A_WHOLE = frozenset({"archetype", "thing"})


@dataclass(frozen=True, slots=True)
class Project:
    """One of the owner's projects. `id` is the plan that began it, `wish_id` the words that it was made of."""

    id: str
    title: str
    wish_id: str
    aims: Mapping[str, str]
    channels: frozenset[str]


def fold_aims(connection: Connection, message: Message) -> None:
    """A plan, or a word of Prime's that changes what is wanted."""
    project_id = _project_of(connection, message)
    if project_id is None:
        return
    row = {
        "id": project_id,
        "seq": message.seq,
        "spoken_seq": message.seq,
        "title": str(message.body.get("title") or ""),
        "wish_id": message.sources[0] if message.sources else "",
    }
    if not add_row(connection, tables.project, row):
        spoken = update(tables.project).where(tables.project.c.id == project_id)
        connection.execute(spoken.values(spoken_seq=message.seq))
    for name, value in _aims_of(message).items():
        put_row(connection, tables.aim, {"project_id": project_id, "name": name, "value": value})
    for channel in objects_of(message.body.get("channels")):
        if isinstance(channel_id := channel.get("channelId"), str):
            add_row(connection, tables.project_channel, {"channel_id": channel_id, "project_id": project_id})


def _project_of(connection: Connection, message: Message) -> str | None:
    """Which project a message is about: as it says itself, else a new one where it makes a whole one, else the one spoken of
    last."""
    said, opens = message.body.get("project"), bool(objects_of(message.body.get("channels")))
    if isinstance(said, str) and said and _is_known(connection, said):
        return said
    if message.kind != "plan" and not _aims_of(message) and not said:
        return None
    latest = select(tables.project.c.id).order_by(tables.project.c.spoken_seq.desc(), tables.project.c.id).limit(1)
    last = connection.execute(latest).scalar_one_or_none()
    is_whole = said == "" or last is None or bool(_OF_A_WHOLE & _aims_of(message).keys())
    return message.id if opens and is_whole else last


def _is_known(connection: Connection, project_id: str) -> bool:
    return connection.execute(select(tables.project.c.id).where(tables.project.c.id == project_id)).first() is not None


def _aims_of(message: Message) -> dict[str, str]:
    aims = message.body.get("aims")
    given = cast("dict[str, object]", aims) if isinstance(aims, dict) else {}
    return {name: value for name, value in given.items() if isinstance(value, str)}


# --- reads ---


def read_projects(connection: Connection) -> list[Project]:
    """All of them, the one spoken of last at the end."""
    aims: dict[str, dict[str, str]] = {}
    for row in connection.execute(select(tables.aim).order_by(tables.aim.c.name)):
        aims.setdefault(row.project_id, {})[row.name] = row.value
    channels: dict[str, set[str]] = {}
    for row in connection.execute(select(tables.project_channel)):
        channels.setdefault(row.project_id, set()).add(row.channel_id)
    columns = tables.project.c
    rows = connection.execute(select(tables.project).order_by(columns.spoken_seq, columns.id))
    return [
        Project(row.id, row.title, row.wish_id, aims.get(row.id, {}), frozenset(channels.get(row.id, ())))
        for row in rows
    ]


def aims_for(channel_id: str, projects: list[Project]) -> Mapping[str, str]:
    """What is wanted where a channel belongs; a room that no plan has made belongs to the only project, if there is but one."""
    own = next((each for each in projects if channel_id in each.channels), None)
    only = projects[0] if len(projects) == 1 else None
    return own.aims if own else only.aims if only else {}
