"""The fold of the log into rooms, and reads over it."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import cast, get_args

from sqlalchemy import BindParameter, Connection, Row, Table, bindparam, delete, select, update

from prime.core.canonical import canonical_json
from prime.rooms import tables
from prime.rooms.asked.queries import Joined
from prime.rooms.records import OWNER, Actor, ActorKind, Channel, ChannelKind, Moment, QuestionKind
from prime.rooms.tier import TIERS
from prime.store.message import Kind, Message
from prime.store.upsert import add_row, add_rows, put_row

ROOMS = "rooms"

# Marks what a channel began with: the owner chose it and need not be told of it.
PRIMING = "priming_script"

# What counts as something said in a channel.
CONVERSATION: frozenset[Kind] = frozenset({"text", "note", "plan", "brief", "tool_call", "tool_result"})

# What makes actors what they are, and channels, what was said in them aside: reads of these need not wait for words.
OF_ACTORS: frozenset[Kind] = frozenset({"membership"})
OF_PLACES: frozenset[Kind] = frozenset({"channel", "membership", "brief"})

MAX_COURSE = 2**31 - 1
MAX_TIME = 2**53
OUTCOMES: frozenset[object] = frozenset({"answered", "snoozed", "expired", "pending"})


class RoomsProjection:
    """Actors, channels, members, courses, briefs and questions."""

    name = ROOMS
    version = 3
    tables: Sequence[Table] = tables.DERIVED

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        said = _Said(connection)
        joined = Joined(connection)
        briefs: list[dict[str, object]] = []
        for message in messages:
            fold = _FOLDS.get(message.kind)
            if message.kind == "question" and message.body.get("op") == "joined":
                joined.add(message)
            elif message.kind == "question":
                joined.write()  # only a question that is there can be joined, wherever the batch was cut
            if fold and (message.body or message.kind == "answer"):
                if message.kind == "channel":
                    said.write()  # a channel counts what is said after it was made, wherever the batch was cut
                fold(connection, message)
            if message.kind == "brief":
                briefs += _brief(message)
            if message.kind in CONVERSATION and message.audience == "room":
                said.add(message)
        add_rows(connection, tables.brief, briefs)
        joined.write()
        said.write()


# The log cannot be mended, so a fold passes over what does not have the form it must have: one odd message must not
# end the whole projection.


def _fold_channel(connection: Connection, message: Message) -> None:
    body = message.body
    if body.get("op") == "created":
        _create_channel(connection, message)
        return
    changes: dict[str, object] = {}
    if isinstance(name := body.get("name"), str):
        changes["name"] = name
    if isinstance(closed := body.get("closed"), bool):
        changes["closed"] = closed
    if (course := _whole(body.get("course"), MAX_COURSE)) is not None:
        changes["course"] = course
    if changes:
        connection.execute(update(tables.channel).where(tables.channel.c.id == message.channel_id).values(changes))
    if "course" in changes:
        _begin_stretch(connection, message, cast("int", changes["course"]))


def _create_channel(connection: Connection, message: Message) -> None:
    body = message.body
    kind, name, tier = body.get("kind"), body.get("name"), body.get("tier")
    if kind not in get_args(ChannelKind) or not isinstance(name, str) or tier not in TIERS:
        return
    made = {
        "id": message.channel_id,
        "kind": kind,
        "name": name,
        "tier": tier,
        "course": 1,
        "closed": False,
        "created_seq": message.seq,
        "last_ts": None,
        "said": 0,
        "priming": canonical_json(priming) if (priming := _object(body.get("priming"))) else None,
    }
    if not add_row(connection, tables.channel, made):
        return  # a second creation is nobody's wish; the first one stands
    for actor_id in _texts(body.get("members")):
        _join(connection, message.channel_id, actor_id, message.seq)
    _begin_stretch(connection, message, 1)


def _begin_stretch(connection: Connection, message: Message, course: int) -> None:
    values = {"channel_id": message.channel_id, "seq": message.seq, "course": course}
    add_row(connection, tables.course, values)


def _brief(message: Message) -> list[dict[str, object]]:
    # One that was erased is blank, and one for the hub alone is none of the channel's.
    told = message.text and message.audience == "room"
    return [{"channel_id": message.channel_id, "seq": message.seq}] if told else []


def _fold_membership(connection: Connection, message: Message) -> None:
    body = message.body
    actor_id = body.get("actorId")
    if body.get("op") == "actor":
        _put_actor(connection, body.get("actor"))
    elif body.get("op") == "joined" and isinstance(actor_id, str):
        _join(connection, message.channel_id, actor_id, message.seq)
    elif body.get("op") == "left" and isinstance(actor_id, str):
        connection.execute(
            delete(tables.member).where(
                tables.member.c.channel_id == message.channel_id, tables.member.c.actor_id == actor_id
            )
        )


def _put_actor(connection: Connection, card: object) -> None:
    given = _object(card)
    values = {name: given.get(name) for name in ("id", "name", "kind", "connector")}
    if values["kind"] in get_args(ActorKind) and all(isinstance(value, str) for value in values.values()):
        settings = canonical_json(_object(given.get("settings")))
        put_row(connection, tables.actor, {**values, "settings": settings})


def _join(connection: Connection, channel_id: str, actor_id: str, seq: int) -> None:
    add_row(connection, tables.member, {"channel_id": channel_id, "actor_id": actor_id, "joined_seq": seq})


def _fold_question(connection: Connection, message: Message) -> None:
    body = message.body
    question_id, kind, necessity = body.get("questionId"), body.get("kind"), body.get("necessity")
    if not isinstance(question_id, str) or kind not in get_args(QuestionKind):
        return
    asked = {
        "id": question_id,
        "seq": message.seq,
        "message_id": message.id,
        "kind": kind,
        "channel_id": message.channel_id,
        "text": message.text,
        "context": _text(body.get("context")),
        "necessity": float(necessity) if isinstance(necessity, int | float) and 0 <= necessity <= 1 else 1.0,
        "reason": _text(body.get("reason")),
        "suggestions": canonical_json(_texts(body.get("suggestions"))),
        "call": canonical_json(call) if (call := _object(body.get("call"))) else None,
        "sources": canonical_json(list(message.sources)),
        "asked_at": message.ts,
        "status": "pending",
        "answer": "{}",
        "snoozed_until": None,
    }
    add_row(connection, tables.question, asked)


def _fold_answer(connection: Connection, message: Message) -> None:
    body = message.body
    if not body:
        # Its words were erased, and that it was answered was not.
        connection.execute(
            update(tables.question)
            .where(tables.question.c.message_id.in_(message.sources), tables.question.c.status != "expired")
            .values(status="answered", answer="{}", snoozed_until=None)
        )
        return
    question_id = body.get("questionId")
    status, until = body.get("status", "answered"), _whole(body.get("until"), MAX_TIME)
    if not isinstance(question_id, str) or status not in OUTCOMES:
        return
    # Why it ended without an answer stands where it said why it was asked.
    ended = {"reason": because} if status == "expired" and (because := _text(body.get("because"))) else {}
    connection.execute(
        update(tables.question)
        .where(tables.question.c.id == question_id, tables.question.c.status.in_(["pending", "snoozed"]))
        .values(
            status=status,
            answer=canonical_json(_object(body.get("answer"))),
            snoozed_until=until if status == "snoozed" else None,
            **ended,
        )
    )


def _whole(value: object, most: int) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _object(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [item for item in items if isinstance(item, str)]


class _Said:
    """Counts of a batch, written once per channel instead of once per message."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._counts: dict[str, tuple[int, int]] = {}

    def add(self, message: Message) -> None:
        count = self._counts.get(message.channel_id, (0, 0))[0]
        heard = message.actor_id != OWNER and message.source_tag != PRIMING
        self._counts[message.channel_id] = (count + heard, message.ts)

    def write(self) -> None:
        if not self._counts:
            return
        channel = tables.channel.c
        counted = update(tables.channel).where(channel.id == bindparam("counted_in"))
        counted = counted.values(last_ts=bindparam("last"), said=channel.said + bindparam("more"))
        rows = [{"counted_in": one, "more": count, "last": last} for one, (count, last) in self._counts.items()]
        self._connection.execute(counted, rows)  # one way to the database and back, however many channels
        self._counts.clear()


_FOLDS: Mapping[Kind, Callable[[Connection, Message], None]] = {
    "channel": _fold_channel,
    "membership": _fold_membership,
    "question": _fold_question,
    "answer": _fold_answer,
}

# --- reads ---


def read_actors(connection: Connection) -> list[Actor]:
    rows = connection.execute(select(tables.actor).order_by(tables.actor.c.id))
    return [_actor(row) for row in rows]


_NAMES = f"SELECT id, name FROM {tables.actor.fullname} ORDER BY id"  # noqa: S608


def read_names(connection: Connection) -> list[tuple[str, str]]:
    """Id and name of every actor; for searches, which want no more of them and want it often."""
    cursor = connection.connection.cursor()
    try:
        cursor.execute(_NAMES, ())
        return cast("list[tuple[str, str]]", cursor.fetchall())
    finally:
        cursor.close()


def read_channels(connection: Connection, *, after: int, limit: int, with_closed: bool) -> list[tuple[int, Channel]]:
    """Channels in the order of their making, each with its place in it."""
    query = select(tables.channel).where(tables.channel.c.created_seq > after)
    if not with_closed:
        query = query.where(tables.channel.c.closed.is_(False))
    rows = connection.execute(query.order_by(tables.channel.c.created_seq).limit(limit)).all()
    members = _members(connection, [row.id for row in rows])
    return [(row.created_seq, _channel(row, members.get(row.id, ()))) for row in rows]


def read_channel(connection: Connection, channel_id: str) -> Channel | None:
    row = connection.execute(_CHANNEL, {"channel": channel_id}).one_or_none()
    return _channel(row, tuple(connection.execute(_MEMBERS, {"channel": channel_id}).scalars())) if row else None


def read_moment(connection: Connection, channel_id: str) -> Moment | None:
    channel = read_channel(connection, channel_id)
    if channel is None:
        return None
    return Moment(
        channel=channel,
        members=[_actor(row) for row in connection.execute(_ACTORS, {"actors": channel.members})],
        stretches=read_courses(connection, channel_id),
        briefs=read_briefs(connection, channel_id),
    )


def read_channels_of(connection: Connection, actor_id: str) -> list[str]:
    """Ids of the channels that an actor is in."""
    query = select(tables.member.c.channel_id).where(tables.member.c.actor_id == actor_id)
    return list(connection.execute(query.order_by(tables.member.c.joined_seq)).scalars())


def read_briefs(connection: Connection, channel_id: str) -> list[int]:
    """Where a channel's briefs stand, in order."""
    return list(connection.execute(_BRIEFS, {"channel": channel_id}).scalars())


def read_courses(connection: Connection, channel_id: str) -> list[tuple[int, int | None, int]]:
    """A channel's stretches, newest first: where each begins, where the next one begins, and its course."""
    starts = connection.execute(_COURSES, {"channel": channel_id}).all()
    ends = [None, *(seq for seq, _ in starts)]
    return [(seq, end, course) for (seq, course), end in zip(starts, ends, strict=False)]


# Read for every turn of every conversation, and so built once: making a statement costs more than running it.
_OF: BindParameter[str] = bindparam("channel")
_CHANNEL = select(tables.channel).where(tables.channel.c.id == _OF)
_MEMBERS = (
    select(tables.member.c.actor_id)
    .where(tables.member.c.channel_id == _OF)
    .order_by(tables.member.c.joined_seq, tables.member.c.actor_id)
)
_ACTORS = (
    select(tables.actor).where(tables.actor.c.id.in_(bindparam("actors", expanding=True))).order_by(tables.actor.c.id)
)
_BRIEFS = select(tables.brief.c.seq).where(tables.brief.c.channel_id == _OF).order_by(tables.brief.c.seq)
_COURSES = (
    select(tables.course.c.seq, tables.course.c.course)
    .where(tables.course.c.channel_id == _OF)
    .order_by(tables.course.c.seq.desc())
)


def _actor(row: Row[tuple[object, ...]]) -> Actor:
    return Actor(id=row.id, name=row.name, kind=row.kind, connector=row.connector, settings=json.loads(row.settings))


def _members(connection: Connection, channel_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    rows = connection.execute(
        select(tables.member.c.channel_id, tables.member.c.actor_id)
        .where(tables.member.c.channel_id.in_(channel_ids))
        .order_by(tables.member.c.joined_seq, tables.member.c.actor_id)
    )
    members: dict[str, tuple[str, ...]] = {}
    for channel_id, actor_id in rows:
        members[channel_id] = (*members.get(channel_id, ()), actor_id)
    return members


def _channel(row: Row[tuple[object, ...]], members: tuple[str, ...]) -> Channel:
    return Channel(
        id=row.id,
        kind=row.kind,
        name=row.name,
        tier=row.tier,
        members=members,
        course=row.course,
        closed=row.closed,
        last_message_at=row.last_ts,
        said=row.said,
        priming=json.loads(row.priming) if row.priming else None,
    )
