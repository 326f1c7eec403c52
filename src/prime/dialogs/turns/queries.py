"""The fold of the log into dialogs and turns, and reads over it."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Row, Table, bindparam, delete, select, update

from prime.dialogs.turns import tables
from prime.dialogs.turns.marks import ENDINGS, OPEN, Phase, Step, names_in, step_of, turn_of
from prime.rooms.records import OWNER
from prime.store.message import Message
from prime.store.upsert import add_row

TURNS = "turns"
_PRIMING = "priming_script"
_MOST = 2**62

_dialog, _turn, _question = tables.dialog, tables.turn, tables.turn_question


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A turn as it stands. `seq` is where it began."""

    id: str
    seq: int
    channel_id: str
    agent_id: str
    phase: Phase

    @property
    def open(self) -> bool:
        return self.phase in OPEN


@dataclass(frozen=True, slots=True)
class DialogRow:
    """A dialog in which the owner has said something that no turn has seen."""

    channel_id: str
    agent_id: str
    heard: int


class TurnsProjection:
    """Dialogs, turns, and what they wait for."""

    name = TURNS
    version = 1
    tables: Sequence[Table] = tables.DERIVED

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        heard: dict[str, int] = {}
        for message in messages:
            if message.kind == "channel":
                _write_heard(
                    connection, heard
                )  # a dialog hears what is said after it was made, wherever the batch was cut
                _fold_channel(connection, message)
            elif message.kind == "text" and message.actor_id == OWNER and message.source_tag != _PRIMING:
                if message.audience == "room":
                    heard[message.channel_id] = message.seq
            elif message.kind == "answer":
                _answered(connection, message)
            if turn_of(message):
                _fold_turn(connection, message)
        _write_heard(connection, heard)


def _fold_channel(connection: Connection, message: Message) -> None:
    agent = message.body.get("dialog")
    if message.body.get("op") == "created" and isinstance(agent, str) and agent:
        row = {"channel_id": message.channel_id, "agent_id": agent, "heard": 0, "seen": 0}
        add_row(connection, _dialog, row)
    elif message.body.get("closed") is True:
        connection.execute(delete(_dialog).where(_dialog.c.channel_id == message.channel_id))


def _write_heard(connection: Connection, heard: dict[str, int]) -> None:
    """Once for each channel, however much was said in it."""
    if heard:
        connection.execute(_HEARD, [{"of": channel_id, "at": seq} for channel_id, seq in heard.items()])
        heard.clear()


_HEARD = update(_dialog).where(_dialog.c.channel_id == bindparam("of")).values(heard=bindparam("at"))


def _answered(connection: Connection, message: Message) -> None:
    if message.body.get("status") not in ("answered", "expired"):
        return
    holding = select(_question.c.turn_id).where(_question.c.question_id == str(message.body.get("questionId", "")))
    connection.execute(update(_turn).where(_turn.c.id.in_(holding), _turn.c.phase == "waiting").values(phase="ready"))


def _fold_turn(connection: Connection, message: Message) -> None:
    seen = message.body.get("seen")
    if isinstance(seen, int) and 0 < seen < _MOST:
        ours = (_dialog.c.channel_id == message.channel_id) & (_dialog.c.seen < seen)
        connection.execute(update(_dialog).where(ours).values(seen=seen))
    step = step_of(message)
    if step is not None:
        _fold_mark(connection, message, step)


def _fold_mark(connection: Connection, message: Message, step: Step) -> None:
    turn_id = str(turn_of(message))
    if step == "began":
        row = {"id": turn_id, "seq": message.seq, "channel_id": message.channel_id, "phase": "running"}
        add_row(connection, _turn, row | {"agent_id": message.actor_id})
        return
    phase = _phase(message, step)
    if phase is not None:
        still = (_turn.c.id == turn_id) & (_turn.c.channel_id == message.channel_id) & _turn.c.phase.in_(OPEN)
        connection.execute(update(_turn).where(still).values(phase=phase))
    if step == "waiting":
        for question in names_in(message, "questionIds"):
            add_row(connection, _question, {"question_id": question, "turn_id": turn_id})


def _phase(message: Message, step: Step) -> Phase | None:
    if step == "ended":
        outcome = message.body.get("outcome")
        ending: Phase | None = next((each for each in ENDINGS if each == outcome), None)
        return ending or "failed"
    phases: dict[Step, Phase] = {"waiting": "waiting", "resumed": "running", "stop": "stopping"}
    return phases.get(step)


def read_turn(connection: Connection, turn_id: str) -> TurnRow | None:
    row = connection.execute(select(_turn).where(_turn.c.id == turn_id)).one_or_none()
    return _read(row) if row else None


def read_last_turn(connection: Connection, channel_id: str, agent_id: str | None = None) -> TurnRow | None:
    """The newest turn of a channel, or of one agent in it."""
    query = select(_turn).where(_turn.c.channel_id == channel_id)
    if agent_id is not None:
        query = query.where(_turn.c.agent_id == agent_id)
    row = connection.execute(query.order_by(_turn.c.seq.desc()).limit(1)).one_or_none()
    return _read(row) if row else None


def read_open_turns(connection: Connection, *, waiting: bool) -> list[TurnRow]:
    """Turns of dialogs that are not at their end, oldest first; those that wait for the owner only with `waiting`."""
    phases = OPEN if waiting else [phase for phase in OPEN if phase != "waiting"]
    query = select(_turn).join(_dialog, _dialog.c.channel_id == _turn.c.channel_id).where(_turn.c.phase.in_(phases))
    return [_read(row) for row in connection.execute(query.order_by(_turn.c.seq))]


def read_unanswered(connection: Connection) -> list[DialogRow]:
    """Dialogs in which the owner waits for a word, and no turn is open."""
    busy = select(_turn.c.channel_id).where(_turn.c.phase.in_(OPEN))
    query = select(_dialog.c.channel_id, _dialog.c.agent_id, _dialog.c.heard).where(
        _dialog.c.heard > _dialog.c.seen, _dialog.c.channel_id.not_in(busy)
    )
    return [DialogRow(*row) for row in connection.execute(query.order_by(_dialog.c.heard))]


def read_questions(connection: Connection, turn_id: str) -> list[str]:
    """The questions that a turn has waited for."""
    return list(connection.execute(select(_question.c.question_id).where(_question.c.turn_id == turn_id)).scalars())


def _read(row: Row[tuple[object, ...]]) -> TurnRow:
    return TurnRow(row.id, row.seq, row.channel_id, row.agent_id, row.phase)
