"""The fold of the log into approvals and standing approvals, and reads over them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from sqlalchemy import Connection, Row, Table, delete, func, insert, select, update

from prime.core.canonical import canonical_json
from prime.core.errors import Conflict
from prime.store import tables as store_tables
from prime.store.message import Message, NewMessage
from prime.tools import tables

TOOLS = "tools"
ApprovalStatus = Literal["waiting", "yes", "no", "expired"]

_approval = tables.approval
_rule = tables.approval_rule
_charge = tables.tool_charge
_primed = tables.primed_session


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A call that the owner was asked about. `call` is what they were shown."""

    question_id: str
    binding: str
    status: ApprovalStatus
    used: bool
    expires_at: int
    call: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class StandingApproval:
    """The owner's "always" for one tool as it was described then: exactly one call, or all that a pattern covers."""

    id: str
    seq: int
    tool: str
    digest: str
    exact: str | None
    pattern: str | None
    line: str
    folder: str
    active: bool


class ToolsProjection:
    """Which calls were asked about, answered, used, what is approved always, and what billable calls have cost."""

    name = TOOLS
    version = 2
    tables: Sequence[Table] = tables.DERIVED

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        for message in messages:
            if message.kind == "question":
                _fold_question(connection, message)
            elif message.kind == "answer":
                _fold_answer(connection, message)
            elif message.kind == "approval":
                _fold_approval(connection, message)


def _fold_question(connection: Connection, message: Message) -> None:
    call = message.body.get("call")
    if message.body.get("kind") != "approval" or not isinstance(call, dict) or "binding" not in call:
        return
    shown = cast("dict[str, object]", call)
    connection.execute(
        insert(_approval).values(
            question_id=message.body["questionId"],
            seq=message.seq,
            binding=shown["binding"],
            status="waiting",
            used=False,
            expires_at=shown["expiresAt"],
            call=canonical_json(shown),
        )
    )


def _fold_answer(connection: Connection, message: Message) -> None:
    body = message.body
    asked = _read(connection, str(body.get("questionId", "")))
    if asked is None or asked.status != "waiting" or body.get("status") not in ("answered", "expired"):
        return
    answer = cast("Mapping[str, object]", body.get("answer", {}))
    choice = "expired" if body.get("status") == "expired" else answer.get("choice")
    status: ApprovalStatus = "yes" if choice in {"yes", "always"} else "expired" if choice == "expired" else "no"
    connection.execute(update(_approval).where(_approval.c.question_id == asked.question_id).values(status=status))
    if choice == "always":
        _add_rule(connection, message.seq, asked, cast("str | None", answer.get("pattern")))


def _add_rule(connection: Connection, seq: int, asked: AskedCall, pattern: str | None) -> None:
    call = asked.call
    connection.execute(
        insert(_rule).values(
            id=asked.question_id.replace("q_", "apr_", 1),
            seq=seq,
            tool=call["tool"],
            digest=call["digest"],
            exact=None if pattern else call["exact"],
            pattern=pattern or None,
            line=call["line"],
            folder=call["folder"],
            active=True,
        )
    )


def _fold_approval(connection: Connection, message: Message) -> None:
    body, op = message.body, message.body.get("op")
    if op == "used":
        connection.execute(
            update(_approval).where(_approval.c.question_id == str(body.get("questionId"))).values(used=True)
        )
    elif op == "revoked":
        connection.execute(update(_rule).where(_rule.c.id == str(body.get("ruleId"))).values(active=False))
    elif op == "changed":
        changes = {"pattern": body.get("pattern"), "exact": None}
        connection.execute(update(_rule).where(_rule.c.id == str(body.get("ruleId"))).values(changes))
    elif op == "charged":
        connection.execute(insert(_charge).values(seq=message.seq, price=body["price"]))


def _read(connection: Connection, question_id: str) -> AskedCall | None:
    row = connection.execute(select(_approval).where(_approval.c.question_id == question_id)).one_or_none()
    return _asked(row) if row else None


def read_asked(connection: Connection, binding: str) -> AskedCall | None:
    """The last time that the owner was asked about exactly this."""
    query = select(_approval).where(_approval.c.binding == binding).order_by(_approval.c.seq.desc()).limit(1)
    row = connection.execute(query).one_or_none()
    return _asked(row) if row else None


def read_waiting(connection: Connection) -> list[AskedCall]:
    """What waits for the owner, the first to expire first."""
    query = select(_approval).where(_approval.c.status == "waiting").order_by(_approval.c.expires_at)
    return [_asked(row) for row in connection.execute(query)]


def read_rules(connection: Connection, tool: str | None = None) -> list[StandingApproval]:
    """Standing approvals that hold, newest first; of one tool or of all."""
    query = select(_rule).where(_rule.c.active.is_(True))
    if tool is not None:
        query = query.where(_rule.c.tool == tool)
    return [StandingApproval(*row) for row in connection.execute(query.order_by(_rule.c.seq.desc()))]


@dataclass(frozen=True, slots=True)
class Charged:
    """What billable calls have cost together, up to a place in the log."""

    spent: float
    seq: int


class ChargedMeanwhile(Conflict):
    """Somebody else was charged since it was seen what is left: look again."""


def read_charged(connection: Connection) -> Charged:
    spent = connection.execute(select(func.coalesce(func.sum(_charge.c.price), 0.0))).scalar_one()
    reached = select(store_tables.cursor.c.seq).where(store_tables.cursor.c.projection == TOOLS)
    return Charged(float(spent), connection.execute(reached).scalar_one())


def refuse_charged_since(connection: Connection, seq: int, own: NewMessage) -> None:
    """For who charges, in the transaction that does: nobody else may have since that place."""
    said = store_tables.message.c
    others = (said.channel_id == own.channel_id) & (said.seq > seq) & (said.kind == own.kind) & (said.id != own.id)
    if connection.execute(select(said.seq).where(others).limit(1)).first() is not None:
        raise ChargedMeanwhile("Another call was charged at this moment.", hint="Look what is left, and try again.")


def read_primed(connection: Connection, key: str) -> int | None:
    return connection.execute(select(_primed.c.until).where(_primed.c.key == key)).scalar_one_or_none()


def put_primed(connection: Connection, key: str, until: int, now: int) -> None:
    """Keep it, and forget what has expired."""
    connection.execute(delete(_primed).where((_primed.c.key == key) | (_primed.c.until <= now)))
    connection.execute(insert(_primed).values(key=key, until=until))


def _asked(row: Row[tuple[object, ...]]) -> AskedCall:
    return AskedCall(
        question_id=row.question_id,
        binding=row.binding,
        status=row.status,
        used=bool(row.used),
        expires_at=row.expires_at,
        call=cast("Mapping[str, object]", json.loads(row.call)),
    )
