"""The fold of the log into the swarm's channels, and reads over it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Row, Table, bindparam, delete, insert, or_, select

from prime.core.canonical import canonical_json
from prime.dialogs.turns.marks import Step, names_in, step_of, turn_of
from prime.hub.speaking import is_news, texts_of
from prime.hub.swarm.state import MANAGED, STANDS_BACK, ChannelState, MemberState, is_driven
from prime.hub.swarm.tables import swarm_channel, swarm_member, swarm_state
from prime.rooms.queries import PRIMING
from prime.rooms.records import HUB, OWNER
from prime.store.message import Kind, Message
from prime.store.upsert import put_row, put_rows

SWARM = "swarm"
_ALL = "all"
# Ids in one statement.
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class RunState:
    """Whether the swarm runs. `code` names the reason of a pause: `owner`, `autostop`, `spend`, `limit`."""

    running: bool = True
    code: str | None = None
    because: str | None = None
    # When the present run began: with the owner's last word.
    run_since: int | None = None
    changed_at: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """How things stand at a tick."""

    run: RunState
    # Whether there is a war room at all, at work or not.
    rooms: bool
    active: list[ChannelState]


class SwarmProjection:
    """Run state, channels and members, as far as the swarm needs them."""

    name = SWARM
    version = 6
    tables: Sequence[Table] = (swarm_state, swarm_channel, swarm_member)

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        fold = _Fold(connection, [m.channel_id for m in messages if m.kind in _FOLDS and is_driven(m.channel_id)])
        for message in messages:
            fold.take(message)
        fold.write()


class _Fold:
    """Folds a batch in memory: its channels are read together and written at the end."""

    def __init__(self, connection: Connection, channel_ids: Sequence[str]) -> None:
        self._connection = connection
        self._channels = {channel.channel_id: channel for channel in _read(connection, sorted(set(channel_ids)))}
        self._run = read_run(connection)
        self._run_before = self._run

    def take(self, message: Message) -> None:
        self._take_run(message)
        if not is_driven(message.channel_id):
            return
        if message.kind == "channel" and message.body.get("op") == "created":
            self._create(message)
            return
        handle = _FOLDS.get(message.kind)
        channel = self._channels.get(message.channel_id)
        if handle and channel:
            handle(channel, message)

    def write(self) -> None:
        if self._run != self._run_before:
            run = self._run
            put_row(
                self._connection,
                swarm_state,
                {
                    "id": _ALL,
                    "running": run.running,
                    "code": run.code,
                    "because": run.because,
                    "run_since": run.run_since,
                    "changed_at": run.changed_at,
                },
            )
        _write(self._connection, list(self._channels.values()))

    def _take_run(self, message: Message) -> None:
        op = message.body.get("op")
        if message.kind == "system" and message.channel_id == HUB and op in {"paused", "resumed"}:
            code, because = message.body.get("because"), message.text
            if op == "paused":
                self._run = RunState(False, str(code), because, self._run.run_since, message.ts)
            else:
                self._run = RunState(True, None, None, message.ts, message.ts)
        elif self._run.running and _is_owners_word(message):
            self._run = RunState(True, None, None, message.ts, self._run.changed_at)

    def _create(self, message: Message) -> None:
        if message.channel_id in self._channels or message.body.get("dialog"):
            return  # a dialog is the owner's talk with one agent, which answers by itself
        channel = ChannelState(channel_id=message.channel_id, last_seq=message.seq)
        for actor_id in texts_of(message.body.get("members")):
            _join(channel, actor_id)
        self._channels[message.channel_id] = channel


def _is_owners_word(message: Message) -> bool:
    """What the owner writes to people from their own accounts is none of the swarm's business."""
    spoken = message.kind in {"text", "answer"} and message.source_tag != PRIMING
    return spoken and message.actor_id == OWNER and not message.channel_id.startswith(MANAGED)


# --- folds of one message ---


def _join(channel: ChannelState, actor_id: str) -> None:
    if actor_id != OWNER and actor_id not in channel.members:
        place = 1 + max((m.place for m in channel.members.values()), default=-1)
        channel.members[actor_id] = MemberState(actor_id=actor_id, place=place)


def _fold_channel(channel: ChannelState, message: Message) -> None:
    if isinstance(closed := message.body.get("closed"), bool):
        channel.closed = closed
    if isinstance(course := message.body.get("course"), int):
        channel.course = course
        channel.refresh()
        channel.last_seq, channel.last_actor = message.seq, ""


def _fold_membership(channel: ChannelState, message: Message) -> None:
    op, actor_id = message.body.get("op"), message.body.get("actorId")
    if op == "joined" and isinstance(actor_id, str):
        _join(channel, actor_id)
    elif op == "left" and isinstance(actor_id, str):
        channel.members.pop(actor_id, None)


def _fold_text(channel: ChannelState, message: Message) -> None:
    if is_news(message):
        channel.hear(message.actor_id, message.text, message.seq)


def _fold_brief(channel: ChannelState, message: Message) -> None:
    channel.waiting.pop(str(message.body.get("answers")), None)
    if message.text and is_news(message):
        channel.driven = "full"
        channel.refresh()
        channel.last_seq, channel.last_actor = message.seq, ""


def _fold_system(channel: ChannelState, message: Message) -> None:
    body = message.body
    channel.waiting.pop(str(body.get("answers")), None)
    if body.get("op") == "rested" and isinstance(why := body.get("because"), str):
        channel.resting = why
    if body.get("op") in ("paused", "resumed"):
        channel.paused = body.get("op") == "paused"
    if step := step_of(message):
        _fold_turn(channel, message, step)
        return
    member = channel.members.get(str(body.get("actorId")))
    if member is None or message.audience != "hub":
        return
    if body.get("op") == "passed" and isinstance(after := body.get("after"), int):
        member.passed_seq, member.failures = max(member.passed_seq, after), 0
    elif body.get("op") == "failed" and isinstance(until := body.get("until"), int):
        member.failures, member.until, member.asked_at = member.failures + 1, until, None
    elif body.get("op") == "stood back":
        member.until = STANDS_BACK
    elif body.get("op") == "asked":
        after = body.get("after")
        answered = isinstance(after, int) and member.spoke_seq > after
        member.asked_at = None if answered else message.ts
    elif body.get("op") == "waits":
        channel.waiting |= dict.fromkeys(names_in(message, "questionIds"), message.id)


def _fold_turn(channel: ChannelState, message: Message, step: Step) -> None:
    """Where somebody's turn is: nobody else speaks before it has ended, and nobody at all while it waits for the owner."""
    if step == "waiting":
        channel.waiting |= dict.fromkeys(names_in(message, "questionIds"), message.id)
    elif step == "began" and (member := channel.members.get(message.actor_id)):
        member.turn_id = turn_of(message)
    elif step == "ended":
        for each in channel.members.values():
            each.turn_id = None if each.turn_id == turn_of(message) else each.turn_id


def _fold_question(channel: ChannelState, message: Message) -> None:
    question_id = message.body.get("questionId")
    if isinstance(question_id, str) and message.body.get("kind") == "decision":
        channel.waiting.pop(str(message.body.get("heldId")), None)
        channel.waiting[question_id] = message.id


def _fold_answer(channel: ChannelState, message: Message) -> None:
    question_id = message.body.get("questionId")
    if not message.body:  # its words were erased
        channel.waiting = {q: asked for q, asked in channel.waiting.items() if asked not in message.sources}
    elif message.body.get("status", "answered") not in {"snoozed", "pending"}:
        channel.waiting.pop(str(question_id), None)


def _fold_decision(channel: ChannelState, message: Message) -> None:
    body = message.body
    if isinstance(up_to := body.get("upTo"), int):
        channel.judged_seq = max(channel.judged_seq, up_to)
    if isinstance(joined := body.get("questionId"), str) and body.get("outcome") == "joined":
        channel.waiting[joined] = message.id
    if body.get("outcome") == "held":
        channel.waiting[message.id] = message.id
    elif isinstance(held := body.get("heldId"), str):
        channel.waiting.pop(held, None)


_FOLDS: Mapping[Kind, Callable[[ChannelState, Message], None]] = {
    "channel": _fold_channel,
    "membership": _fold_membership,
    "text": _fold_text,
    "brief": _fold_brief,
    "system": _fold_system,
    "question": _fold_question,
    "answer": _fold_answer,
    "decision": _fold_decision,
}


_CHANNEL_COLUMNS = [column.name for column in swarm_channel.c]
_MEMBER_COLUMNS = [column.name for column in swarm_member.c if column.name != "channel_id"]


def _write(connection: Connection, channels: Sequence[ChannelState]) -> None:
    """All channels of a batch in three statements: one each costs more than the fold itself."""
    put_rows(connection, swarm_channel, [_row(channel) for channel in channels])
    ids = [channel.channel_id for channel in channels]
    for at in range(0, len(ids), _AT_ONCE):
        connection.execute(delete(swarm_member).where(swarm_member.c.channel_id.in_(ids[at : at + _AT_ONCE])))
    rows = [
        {"channel_id": channel.channel_id, **{name: getattr(member, name) for name in _MEMBER_COLUMNS}}
        for channel in channels
        for member in channel.members.values()
    ]
    if rows:
        connection.execute(insert(swarm_member), rows)


def _row(channel: ChannelState) -> dict[str, object]:
    values: dict[str, object] = {name: getattr(channel, name) for name in _CHANNEL_COLUMNS}
    return values | {"recent": canonical_json(channel.recent), "waiting": canonical_json(channel.waiting)}


# --- reads ---

_ACTIVE = select(swarm_channel).where(swarm_channel.c.active.is_(True)).order_by(swarm_channel.c.last_seq)
_ANY_ROOM = (
    select(swarm_channel.c.channel_id)
    .where(swarm_channel.c.driven == "full", swarm_channel.c.closed.is_(False))
    .limit(1)
)
_PAUSED = select(swarm_channel.c.channel_id).where(swarm_channel.c.paused.is_(True), swarm_channel.c.closed.is_(False))
_DRIVEN = select(swarm_channel.c.channel_id, swarm_channel.c.paused).where(swarm_channel.c.closed.is_(False))
_AT_WORK = select(swarm_channel.c.channel_id).where(
    swarm_channel.c.closed.is_(False), or_(swarm_channel.c.active.is_(True), swarm_channel.c.waiting != "{}")
)
_THESE = select(swarm_channel).where(swarm_channel.c.channel_id.in_(bindparam("ids", expanding=True)))
_RUN = select(swarm_state).where(swarm_state.c.id == _ALL)


def read_run(connection: Connection) -> RunState:
    row = connection.execute(_RUN).one_or_none()
    return RunState(row.running, row.code, row.because, row.run_since, row.changed_at) if row else RunState()


def read_paused(connection: Connection) -> frozenset[str]:
    """The channels that the owner has paused alone."""
    return frozenset(connection.execute(_PAUSED).scalars())


def read_switches(connection: Connection) -> dict[str, bool]:
    """The channels that can be paused, and whether they are."""
    return {row.channel_id: row.paused for row in connection.execute(_DRIVEN)}


def read_at_work(connection: Connection) -> frozenset[str]:
    """The channels where somebody is to speak, or waits for a word of the owner's; the others are done."""
    return frozenset(connection.execute(_AT_WORK).scalars())


def read_active(connection: Connection) -> "Standing":
    """The run, and the channels where somebody is to speak; those that rest cost nothing."""
    rooms = connection.execute(_ANY_ROOM).first() is not None
    return Standing(read_run(connection), rooms, _with_members(connection, connection.execute(_ACTIVE).all()))


def read_swarm_channel(connection: Connection, channel_id: str) -> ChannelState | None:
    return next(iter(_read(connection, [channel_id])), None)


def _read(connection: Connection, channel_ids: Sequence[str]) -> list[ChannelState]:
    found: list[ChannelState] = []
    for at in range(0, len(channel_ids), _AT_ONCE):
        rows = connection.execute(_THESE, {"ids": channel_ids[at : at + _AT_ONCE]}).all()
        found += _with_members(connection, rows)
    return found


def _with_members(connection: Connection, rows: Sequence[Row[tuple[object, ...]]]) -> list[ChannelState]:
    found = {row.channel_id: _channel(row) for row in rows}
    if found:
        query = select(swarm_member).where(swarm_member.c.channel_id.in_(found)).order_by(swarm_member.c.place)
        for row in connection.execute(query):
            found[row.channel_id].members[row.actor_id] = MemberState(
                actor_id=row.actor_id,
                place=row.place,
                spoke_seq=row.spoke_seq,
                passed_seq=row.passed_seq,
                failures=row.failures,
                until=row.until,
                asked_at=row.asked_at,
                turn_id=row.turn_id,
            )
    return list(found.values())


def _channel(row: Row[tuple[object, ...]]) -> ChannelState:
    return ChannelState(
        channel_id=row.channel_id,
        driven=row.driven,
        closed=row.closed,
        course=row.course,
        last_seq=row.last_seq,
        last_actor=row.last_actor,
        owner_seq=row.owner_seq,
        heard_seq=row.heard_seq,
        judged_seq=row.judged_seq,
        turns=row.turns,
        courtesies=row.courtesies,
        repeats=row.repeats,
        recent=json.loads(row.recent),
        resting=row.resting,
        paused=row.paused,
        waiting=json.loads(row.waiting),
    )
