"""The fold of the log into drafts, classes and what waits for a draft."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast, get_args

from sqlalchemy import Connection, Row, Table, delete, insert, select, update

from prime.core.canonical import canonical_json
from prime.hub.gate import tables
from prime.hub.gate.queries import GATE
from prime.hub.gate.records import DraftKind
from prime.store.message import Message
from prime.store.upsert import add_row, add_rows, put_row

# Marks history that a channel began with: nobody waits for an answer to it.
PRIMING = "priming_script"

_draft = tables.draft
_class = tables.reply_class
_inbound = tables.inbound


class GateProjection:
    """Drafts, classes, and what people wrote to the owner's accounts."""

    name = GATE
    version = 1
    tables: Sequence[Table] = tables.DERIVED

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        proposed: list[Message] = []  # a queue of thousands goes into the table together
        for message in messages:
            op = message.body.get("op") if message.kind == "gate" else None
            if op == "proposed":
                proposed.append(message)
            elif op in _FOLDS:
                _fold_proposed(connection, proposed)
                proposed = []
                _FOLDS[op](connection, message)
            elif message.kind == "text" and "inbound" in message.body and message.source_tag != PRIMING:
                _fold_inbound(connection, message)
        _fold_proposed(connection, proposed)


# The log cannot be mended, so a fold passes over what does not have the form it must have.


def _fold_proposed(connection: Connection, messages: Sequence[Message]) -> None:
    rows = [row for message in messages if (row := _proposed(message))]
    if not rows:
        return
    for class_id in (row["class_id"] for row in rows if row["class_id"]):
        connection.execute(update(_class).where(_class.c.id == class_id).values(hits=_class.c.hits + 1))
    add_rows(connection, _draft, rows)
    answered = [row["reply_to"] for row in rows if row["reply_to"]]
    if answered:
        connection.execute(update(_inbound).where(_inbound.c.message_id.in_(answered)).values(waiting=False))


def _proposed(message: Message) -> dict[str, object] | None:
    body = message.body
    draft_id, connector, kind = body.get("draftId"), body.get("connector"), body.get("kind")
    if not isinstance(draft_id, str) or not isinstance(connector, str) or kind not in get_args(DraftKind):
        return None
    reply_to, released = body.get("replyTo"), body.get("released")
    gone = _object(released)
    class_id = gone.get("classId")
    return {
        "id": draft_id,
        "seq": message.seq,
        "connector": connector,
        "kind": kind,
        "channel_id": message.channel_id,
        "text": message.text,
        # Let go by the policy: from here on it may be on its way.
        "status": "sending" if isinstance(released, dict) else "pending",
        "reason": _text(body.get("reason")),
        "class_id": class_id if isinstance(class_id, str) else None,
        "reply_to": reply_to if isinstance(reply_to, str) else None,
        "trigger": _text(body.get("trigger")),
        "names": canonical_json(_texts(body.get("names"))),
        "target": canonical_json(_object(body.get("target"))),
        "scope": _text(body.get("scope")),
        "title": _text(body.get("title")),
        "needs_owner": _text(body.get("needsOwner")),
        "edited": False,
        "returns": 0,
        "decided_by": "policy" if isinstance(released, dict) else None,
        "holder": _text(gone.get("holder")) or None,
        "result": "{}",
        "created_at": message.ts,
        "decided_at": message.ts if isinstance(released, dict) else None,
    }


def _fold_approved(connection: Connection, message: Message) -> None:
    """The owner let it go."""
    body = message.body
    row = _find(connection, body.get("draftId"))
    if row is None or row.status != "pending" or row.returns != body.get("returns"):
        return
    _change(
        connection,
        row.id,
        status="sending",
        text=message.text,
        edited=row.edited or message.text != row.text,
        decided_by="owner",
        holder=_text(body.get("holder")),
        decided_at=message.ts,
        reason=_text(body.get("reason")),
    )


def _fold_sent(connection: Connection, message: Message) -> None:
    row = _find(connection, message.body.get("draftId"))
    by_hand = message.body.get("byHand") is True
    if row is None or row.status not in ("sending", "uncertain", *(["pending"] if by_hand else [])):
        return
    changes: dict[str, object] = {"decided_by": "hand", "decided_at": message.ts} if by_hand else {}
    if by_hand and message.text:
        changes |= {"text": message.text, "edited": row.edited or message.text != row.text}
    _change(
        connection,
        row.id,
        status="sent",
        reason=_text(message.body.get("reason")),
        result=canonical_json(_object(message.body.get("result"))),
        sent_at=message.ts,
        sent_seq=message.seq,
        **changes,
    )


def _fold_returned(connection: Connection, message: Message) -> None:
    row = _find(connection, message.body.get("draftId"))
    if row is not None and row.status in ("sending", "uncertain"):
        _change(
            connection,
            row.id,
            status="pending",
            returns=row.returns + 1,
            reason=_text(message.body.get("reason")),
            result=canonical_json(_object(message.body.get("result"))),
            decided_by=None,
            decided_at=None,
        )


def _fold_uncertain(connection: Connection, message: Message) -> None:
    row = _find(connection, message.body.get("draftId"))
    if row is not None and row.status == "sending":
        result = canonical_json(_object(message.body.get("result")))
        _change(connection, row.id, status="uncertain", reason=_text(message.body.get("reason")), result=result)


def _fold_rejected(connection: Connection, message: Message) -> None:
    row = _find(connection, message.body.get("draftId"))
    if row is not None and row.status == "pending" and row.returns == message.body.get("returns"):
        reason = _text(message.body.get("reason"))
        _change(connection, row.id, status="rejected", reason=reason, decided_by="owner", decided_at=message.ts)


def _fold_noted(connection: Connection, message: Message) -> None:
    row = _find(connection, message.body.get("draftId"))
    if row is not None and row.status == "pending":
        _change(connection, row.id, reason=_text(message.body.get("reason")))


def _fold_undone(connection: Connection, message: Message) -> None:
    """Taken back: what was sent stays in the list of what was sent, and says so; what was not is dropped."""
    row = _find(connection, message.body.get("draftId"))
    if row is None or row.status == "sending":
        return
    reason, kept = _text(message.body.get("reason")), {"undone": True}
    status = "sent" if row.status == "sent" else "rejected"
    _change(connection, row.id, status=status, reason=reason, result=canonical_json(kept), decided_at=message.ts)


def _fold_taught(connection: Connection, message: Message) -> None:
    body = message.body
    class_id, words = body.get("classId"), _object(body.get("profile"))
    if not isinstance(class_id, str):
        return
    before = connection.execute(select(_class.c.hits).where(_class.c.id == class_id)).scalar_one_or_none()
    put_row(
        connection,
        _class,
        {
            "id": class_id,
            "seq": message.seq,
            "connector": _text(body.get("connector")),
            "scope": _text(body.get("scope")),
            "text": message.text,
            "trigger": _text(body.get("trigger")),
            "profile": canonical_json(words),
            "from_draft_id": _text(body.get("draftId")),
            "taught_at": message.ts,
            "hits": before or 0,
            "active": True,
        },
    )
    connection.execute(delete(tables.class_word).where(tables.class_word.c.class_id == class_id))
    rows = [{"word": word, "class_id": class_id} for word in dict.fromkeys(_texts(words.get("specific")))]
    if rows:
        connection.execute(insert(tables.class_word), rows)
    _change(connection, _text(body.get("draftId")), class_id=class_id)


def _fold_revoked(connection: Connection, message: Message) -> None:
    class_id = _text(message.body.get("classId"))
    connection.execute(update(_class).where(_class.c.id == class_id).values(active=False))
    connection.execute(delete(tables.class_word).where(tables.class_word.c.class_id == class_id))


def _fold_passed(connection: Connection, message: Message) -> None:
    """Nothing will be drafted for this message."""
    _settle_inbound(connection, _text(message.body.get("messageId")))


def _fold_inbound(connection: Connection, message: Message) -> None:
    given = _object(message.body["inbound"])
    connector = given.get("connector")
    if not isinstance(connector, str):
        return
    values = {
        "message_id": message.id,
        "seq": message.seq,
        "connector": connector,
        "channel_id": message.channel_id,
        "external_id": _text(given.get("externalId")),
        "waiting": given.get("answer") is True,
    }
    add_row(connection, _inbound, values)


_FOLDS: Mapping[object, Callable[[Connection, Message], None]] = {
    "approved": _fold_approved,
    "sent": _fold_sent,
    "returned": _fold_returned,
    "uncertain": _fold_uncertain,
    "rejected": _fold_rejected,
    "noted": _fold_noted,
    "undone": _fold_undone,
    "taught": _fold_taught,
    "revoked": _fold_revoked,
    "passed": _fold_passed,
}


def _find(connection: Connection, draft_id: object) -> Row[tuple[object, ...]] | None:
    return connection.execute(select(_draft).where(_draft.c.id == _text(draft_id))).one_or_none()


def _change(connection: Connection, draft_id: str, **values: object) -> None:
    connection.execute(update(_draft).where(_draft.c.id == draft_id).values(values))


def _settle_inbound(connection: Connection, message_id: str) -> None:
    connection.execute(update(_inbound).where(_inbound.c.message_id == message_id).values(waiting=False))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [item for item in items if isinstance(item, str)]


def _object(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
