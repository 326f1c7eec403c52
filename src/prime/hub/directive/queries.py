"""The fold of the log into what the directive engine knows, and reads over it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from sqlalchemy import Connection, Row, Table, delete, select, update

from prime.core.canonical import canonical_json
from prime.hub.directive import tables
from prime.hub.projects.queries import fold_aims
from prime.hub.projects.tables import DERIVED as OF_PROJECTS
from prime.hub.rules import Rule
from prime.hub.speaking import SPOKEN, is_news, objects_of
from prime.mind.jobs.planning import COMPETES_FOR
from prime.rooms.queries import read_channel
from prime.rooms.records import HUB, OWNER, PRIME, Channel
from prime.store.log import Page
from prime.store.message import Kind, Message
from prime.store.rows import read_head
from prime.store.tables import message as message_table
from prime.store.upsert import add_row, add_rows, put_rows

DIRECTIVE = "directive"
COMMITTED = "committed"
UPDATE = "update"  # the tag of Prime's short word about what was surfaced
JUDGED: frozenset[Kind] = frozenset({"text", "note"})
_ALL = "all"
_LOOK_BACK = 2_000
# Lines in one judgement, and lines shown before them.
CHUNK = 100
BEFORE = 12
_SPOKEN = tuple(sorted(SPOKEN))
# Ids in one statement.
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Fresh:
    """A channel with something to judge."""

    channel_id: str
    judged_seq: int
    failures: int
    until: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that was worth asking once."""

    id: str
    channel_id: str
    message_id: str
    text: str
    outcome: str
    ts: int


@dataclass(frozen=True, slots=True)
class Held:
    """A question that waits for its time."""

    id: str
    channel_id: str
    message_id: str
    text: str
    asking: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Told:
    """When the owner was asked and told last."""

    asked_at: int = 0
    updated_at: int = 0
    updated_seq: int = 0


@dataclass(frozen=True, slots=True)
class Heard:
    """What is new in one channel, what was said right before it, and how far that goes (None: there is nothing)."""

    channel: Channel | None
    news: Sequence[Message]
    before: Sequence[Message]
    up_to: int | None


@dataclass(frozen=True, slots=True)
class Rival:
    """A channel whose counterpart wants what others want, too; `committed_by` is the message that promised it there."""

    channel_id: str
    group: str
    committed_by: str | None


class DirectiveProjection:
    """What is judged, what was worth asking, what waits, rules, and when the owner heard last."""

    name = DIRECTIVE
    version = 4
    tables: Sequence[Table] = (*tables.DERIVED, *OF_PROJECTS)

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        news = _News(connection, [m.channel_id for m in messages if m.kind == "decision" or is_judged(m)])
        asked: list[dict[str, object]] = []
        for message in messages:
            if is_judged(message):
                news.add(message)
            fold = _FOLDS.get(message.kind)
            if fold:
                fold(connection, message)
            if message.kind == "decision":
                news.judged(message)
                asked += _candidate(message)
        # Nothing of a fold looks at them, so they are written together.
        add_rows(connection, tables.candidate, asked)
        news.write()


def is_judged(message: Message) -> bool:
    """Whether the engine decides about a message: what others say anywhere but in the owner's room."""
    others = message.actor_id not in {OWNER, PRIME} and message.channel_id != HUB
    return others and message.kind in JUDGED and is_news(message) and bool(message.text)


class _News:
    """Channels of a batch, each read and written once."""

    def __init__(self, connection: Connection, channel_ids: Sequence[str]) -> None:
        self._connection = connection
        self._rows: dict[str, dict[str, object]] = {}
        ids, columns = sorted(set(channel_ids)), tables.directive_channel.c
        for at in range(0, len(ids), _AT_ONCE):
            query = select(tables.directive_channel).where(columns.channel_id.in_(ids[at : at + _AT_ONCE]))
            found = connection.execute(query).mappings()
            self._rows |= {cast("str", row["channel_id"]): dict(row) for row in found}

    def add(self, message: Message) -> None:
        self._row(message.channel_id)["news_seq"] = message.seq

    def judged(self, message: Message) -> None:
        up_to, until = message.body.get("upTo"), message.body.get("retryAt")
        if isinstance(until, int):
            row = self._row(message.channel_id)
            row["failures"], row["until"] = cast("int", row["failures"]) + 1, until
        elif isinstance(up_to, int):
            row = self._row(message.channel_id)
            row["judged_seq"] = max(cast("int", row["judged_seq"]), up_to)
            row["failures"] = row["until"] = 0

    def write(self) -> None:
        for row in self._rows.values():
            row["fresh"] = cast("int", row["news_seq"]) > cast("int", row["judged_seq"])
        put_rows(self._connection, tables.directive_channel, list(self._rows.values()))

    def _row(self, channel_id: str) -> dict[str, object]:
        none = {"channel_id": channel_id, "news_seq": 0, "judged_seq": 0, "failures": 0, "until": 0, "fresh": False}
        return self._rows.setdefault(channel_id, cast("dict[str, object]", none))


def _fold_decision(connection: Connection, message: Message) -> None:
    body = message.body
    if isinstance(held_id := body.get("heldId"), str):
        connection.execute(delete(tables.held).where(tables.held.c.id == held_id))
    if isinstance(rule_id := body.get("ruleId"), str) and body.get("outcome") == "auto_resolved":
        columns = tables.rule.c
        hit = update(tables.rule).where(columns.id == rule_id)
        connection.execute(hit.values(hits=columns.hits + 1, last_hit_at=message.ts))
    asking = body.get("asking")
    if _is_candidate(message) and body.get("outcome") == "held" and isinstance(asking, dict):
        kept = canonical_json(cast("dict[str, object]", asking))
        add_row(connection, tables.held, {**_asked(message), "asking": kept})


def _is_candidate(message: Message) -> bool:
    return message.body.get("decision") == "ask" and "heldId" not in message.body


def _candidate(message: Message) -> list[dict[str, object]]:
    """The row of something that was worth asking, if the decision is about such a thing."""
    if not _is_candidate(message):
        return []
    return [{**_asked(message), "outcome": _text(message.body.get("outcome")), "ts": message.ts}]


def _asked(message: Message) -> dict[str, object]:
    return {
        "id": message.id,
        "seq": message.seq,
        "channel_id": message.channel_id,
        "message_id": message.sources[0] if message.sources else "",
        "text": _text(message.body.get("question")),
    }


def _fold_question(connection: Connection, message: Message) -> None:
    if isinstance(held_id := message.body.get("heldId"), str):
        connection.execute(delete(tables.held).where(tables.held.c.id == held_id))
    if message.body.get("kind") == "decision":
        _told(connection, asked_at=message.ts)


def _fold_text(connection: Connection, message: Message) -> None:
    up_to = message.body.get("upTo")
    if message.channel_id == HUB and message.source_tag == UPDATE and isinstance(up_to, int):
        _told(connection, updated_at=message.ts, updated_seq=up_to)
    if message.channel_id == HUB and message.actor_id == PRIME:
        fold_aims(connection, message)


def _fold_rule(connection: Connection, message: Message) -> None:
    body, columns = message.body, tables.rule.c
    rule_id, op = body.get("ruleId"), body.get("op")
    if not isinstance(rule_id, str):
        return
    if op == "learned" and message.text:
        learned = {
            "id": rule_id,
            "seq": message.seq,
            "text": message.text,
            "question_id": _text(body.get("fromQuestionId")),
            "question": _text(body.get("question")),
            "channel_id": _text(body.get("channelId")),
            "sources": canonical_json(list(message.sources)),
            "hits": 0,
            "last_hit_at": None,
            "active": True,
            "created_at": message.ts,
        }
        add_row(connection, tables.rule, learned)
    elif op == "edited" and message.text:
        connection.execute(update(tables.rule).where(columns.id == rule_id).values(text=message.text))
    elif op in {"revoked", "restored"}:
        connection.execute(update(tables.rule).where(columns.id == rule_id).values(active=op == "restored"))


def _fold_plan(connection: Connection, message: Message) -> None:
    fold_aims(connection, message)
    for channel in objects_of(message.body.get("channels")):
        facts = channel.get("facts")
        wanted = cast("dict[str, object]", facts).get(COMPETES_FOR) if isinstance(facts, dict) else None
        if isinstance(wanted, str):
            row = {
                "channel_id": _text(channel.get("channelId")),
                "group_key": f"{message.id}/{wanted}",
                "committed_by": None,
                "closed": False,
            }
            add_row(connection, tables.rival, row)


def _fold_system(connection: Connection, message: Message) -> None:
    if message.body.get("op") == COMMITTED:
        committed = update(tables.rival).where(tables.rival.c.channel_id == message.channel_id)
        connection.execute(committed.values(committed_by=message.id))


def _fold_channel(connection: Connection, message: Message) -> None:
    """Who is not talked to any more wants nothing, and holds nothing."""
    if isinstance(closed := message.body.get("closed"), bool):
        ours = update(tables.rival).where(tables.rival.c.channel_id == message.channel_id)
        connection.execute(ours.values(closed=closed, committed_by=None) if closed else ours.values(closed=False))


def _told(connection: Connection, **changes: int) -> None:
    first = {"id": _ALL, "asked_at": 0, "updated_at": 0, "updated_seq": 0, **changes}
    if not add_row(connection, tables.directive_pace, first):
        connection.execute(update(tables.directive_pace).values(changes))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


_FOLDS: Mapping[Kind, Callable[[Connection, Message], None]] = {
    "decision": _fold_decision,
    "question": _fold_question,
    "text": _fold_text,
    "rule": _fold_rule,
    "plan": _fold_plan,
    "system": _fold_system,
    "channel": _fold_channel,
}

# --- reads ---


def read_fresh(connection: Connection) -> list[Fresh]:
    """Channels with news, the longest waiting first. What has none costs nothing."""
    columns = tables.directive_channel.c
    query = select(columns.channel_id, columns.judged_seq, columns.failures, columns.until)
    rows = connection.execute(query.where(columns.fresh.is_(True)).order_by(columns.news_seq))
    return [Fresh(*row) for row in rows]


def read_heard(connection: Connection, fresh: Fresh) -> Heard:
    new = Page(fresh.channel_id, after=fresh.judged_seq, limit=CHUNK, kinds=_SPOKEN, room=True)(connection)
    news = [m for m in new if is_news(m) and m.text]
    earlier = Page(fresh.channel_id, before=news[0].seq, limit=BEFORE, kinds=_SPOKEN, room=True) if news else None
    return Heard(
        read_channel(connection, fresh.channel_id),
        news,
        earlier(connection) if earlier else (),
        new[-1].seq if new else None,
    )


def read_told(connection: Connection) -> Told:
    row = connection.execute(select(tables.directive_pace)).one_or_none()
    return Told(row.asked_at, row.updated_at, row.updated_seq) if row else Told()


def read_held(connection: Connection) -> list[Held]:
    rows = connection.execute(select(tables.held).order_by(tables.held.c.seq))
    return [Held(row.id, row.channel_id, row.message_id, row.text, json.loads(row.asking)) for row in rows]


def read_candidates(connection: Connection, limit: int) -> list[Candidate]:
    """The newest first."""
    rows = connection.execute(select(tables.candidate).order_by(tables.candidate.c.seq.desc()).limit(limit))
    return [Candidate(row.id, row.channel_id, row.message_id, row.text, row.outcome, row.ts) for row in rows]


def read_rules(connection: Connection, *, only_active: bool) -> list[Rule]:
    """Oldest first."""
    query = select(tables.rule)
    if only_active:
        query = query.where(tables.rule.c.active.is_(True))
    return [_rule(row) for row in connection.execute(query.order_by(tables.rule.c.seq))]


def read_rule(connection: Connection, rule_id: str) -> Rule | None:
    row = connection.execute(select(tables.rule).where(tables.rule.c.id == rule_id)).one_or_none()
    return _rule(row) if row else None


def read_rivals(connection: Connection) -> list[Rival]:
    there = select(tables.rival).where(tables.rival.c.closed.is_(False))
    rows = connection.execute(there.order_by(tables.rival.c.channel_id))
    return [Rival(row.channel_id, row.group_key, row.committed_by) for row in rows]


_c = message_table.c


def read_latest_places(connection: Connection, limit: int) -> list[int]:
    """Where the last words of all channels but the owner's stand, newest first; looks back over a fixed stretch only."""
    lately = _c.seq > read_head(connection) - _LOOK_BACK
    query = select(_c.seq).where(lately, _c.kind == "text", _c.audience == "room", _c.channel_id != HUB)
    return list(connection.execute(query.order_by(_c.seq.desc()).limit(limit)).scalars())


def _rule(row: Row[tuple[object, ...]]) -> Rule:
    return Rule(
        id=row.id,
        text=row.text,
        question_id=row.question_id,
        question=row.question,
        channel_id=row.channel_id,
        sources=tuple(json.loads(row.sources)),
        hits=row.hits,
        last_hit_at=row.last_hit_at,
        active=row.active,
        created_at=row.created_at,
    )
