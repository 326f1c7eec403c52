"""The one place that lets something out, and writes down what became of it.

A draft is `sending` in the log before the service hears of it, and there is one `sending` per approval however many tabs,
clicks and replicas there are. What ends without a clear answer is asked for once; when the service cannot say, the draft is
`uncertain` and stays so until the owner has looked.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from prime.core.errors import PrimeError
from prime.core.redaction import redact
from prime.hub.gate import queries
from prime.hub.gate.classes import is_learnable, taught
from prime.hub.gate.queries import GATE
from prime.hub.gate.records import Delivered, Draft, Outgoing
from prime.hub.gate.senders import Progress, Sender, Senders, Unsure
from prime.rooms.records import OWNER, PRIME
from prime.store.message import NewMessage
from prime.store.outbox import NotSent
from prime.store.store import Store

log = logging.getLogger(__name__)

LONGEST_SEND = 15 * 60.0
UNSURE = "It is not known whether this was sent: {why}. Look there, then say which it was."


@dataclass(frozen=True, slots=True)
class Going:
    """How far a send has come."""

    what: str
    done: int
    of: int


class Sending:
    """Sends drafts that were let go, in tasks of their own: a closed tab does not stop a send half-way."""

    def __init__(self, store: Store, senders: Senders) -> None:
        self._store = store
        self._senders = senders
        self._tasks: dict[str, asyncio.Task[None]] = {}
        # Every try that this process began, by its key: none is begun twice.
        self._begun: set[str] = set()
        # Every try that this process asked a service about: one that cannot say is not asked again and again.
        self._asked: set[str] = set()
        self.going: dict[str, Going] = {}
        # Told of every change of `going`; the web plugs itself in here.
        self.on_progress: Callable[[str], None] | None = None

    def begin(self, draft: Draft) -> asyncio.Task[None]:
        """Send a draft that is `sending` in this process's name. Asking again is the same send."""
        key = outgoing(draft).key
        if key in self._begun:
            return self._tasks.get(draft.id) or asyncio.create_task(_over())
        self._begun.add(key)
        task = asyncio.create_task(self._send(draft), name=f"prime-send-{draft.id}")
        self._tasks[draft.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(draft.id, None))
        return task

    def task_of(self, draft_id: str) -> "asyncio.Task[None] | None":
        return self._tasks.get(draft_id)

    async def stop(self) -> None:
        """Let what is on its way arrive."""
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def settle_left(self) -> None:
        """Ask the services that are connected here about what others left open since: they could not ask themselves."""
        for connector in self._senders.names:
            await self.settle(connector, again=False)

    async def settle(self, connector: str, *, again: bool = True) -> None:
        """Ask a service that is connected again about what was left open; what it was asked before, only if `again`."""
        sender = self._senders.find(connector)
        before: int | None = None
        while sender:
            page = await self._store.projector.read(
                lambda c, at=before: queries.read_drafts(c, status="uncertain", before=at, limit=100), GATE
            )
            for _, draft in page:
                if draft.connector == connector and (again or outgoing(draft).key not in self._asked):
                    await self._ask(sender, draft, str(draft.result.get("why", "the answer was lost")))
            if len(page) < 100:
                return
            before = page[-1][0]

    async def mark_lost(self, draft: Draft, why: str) -> None:
        """Its process is gone; nobody here knows whether it went out, and the service is asked where it can be."""
        await self._record(draft, "uncertain", UNSURE.format(why=why), {"why": why}, key="lost")
        if sender := self._senders.find(draft.connector):
            await self._ask(sender, replace(draft, status="uncertain"), why)

    async def _send(self, draft: Draft) -> None:
        if not await self._is_still_ours(draft):
            return
        sender = self._senders.find(draft.connector)
        if sender is None:
            await self._returned(draft, "connector not connected")
            return
        if len(draft.text) > sender.max_length:  # whoever approved it elsewhere could not know
            await self._returned(draft, too_long(draft.connector, draft.text, sender.max_length))
            return
        try:
            async with asyncio.timeout(LONGEST_SEND):
                delivered = await sender.send(outgoing(draft), self._teller(draft.id))
        except NotSent as error:
            await self._returned(draft, redact(str(error)), dict(error.data))
        except TimeoutError:
            await self._ask(sender, draft, "the service did not answer in time")
        except PrimeError as error:
            await self._ask(sender, draft, redact(error.message.rstrip(".")), dict(error.data))
        except Exception as error:  # whatever a connector raises, the draft must not stay `sending` for ever
            log.exception("sending %s failed", draft.id)
            await self._ask(sender, draft, type(error).__name__)
        else:
            await self.record_sent(draft, delivered)
        finally:
            self.going.pop(draft.id, None)

    async def _is_still_ours(self, draft: Draft) -> bool:
        """Whether nobody has given up on it: this process may have stood still since it was told to send."""
        now = await self._store.projector.read(lambda c: queries.read_draft(c, draft.id), GATE)
        return now is None or (now.status, now.holder, now.returns) == ("sending", draft.holder, draft.returns)

    async def _ask(self, sender: Sender, draft: Draft, why: str, facts: Mapping[str, object] | None = None) -> None:
        self._asked.add(outgoing(draft).key)
        try:
            async with asyncio.timeout(60):
                found = await sender.lookup(outgoing(draft))
        except (Unsure, PrimeError, TimeoutError):
            if draft.status != "uncertain":
                kept = {**(facts or {}), "why": why}
                await self._record(draft, "uncertain", UNSURE.format(why=why), kept, key="lost")
        except Exception:
            log.exception("asking about %s failed", draft.id)
            await self._record(draft, "uncertain", UNSURE.format(why=why), {"why": why}, key="lost")
        else:
            if found is None:
                await self._returned(draft, f"It was not sent: {why}.", facts)
            else:
                await self.record_sent(draft, found)

    async def record_sent(self, draft: Draft, delivered: Delivered, *, by_hand: bool = False, text: str = "") -> None:
        """Write down that it left, say it in its conversation, and learn its class when the owner approved it."""
        words = text or draft.text
        result: dict[str, object] = {"externalId": delivered.external_id, **delivered.facts}
        if delivered.url:
            result["url"] = delivered.url
        gone = _gate(
            draft,
            "sent",
            {"reason": draft.reason, "result": result, **({"byHand": True} if by_hand else {})},
            text=words if by_hand else "",
            key=f"{draft.id}/sent",
        )
        messages = [gone, _said(draft, words, delivered)]
        if by_hand or draft.decided_by == "owner":
            messages += [taught(draft, words)] if is_learnable(draft, words) else []
        await self._store.log.append(*messages)

    async def _returned(self, draft: Draft, reason: str, facts: Mapping[str, object] | None = None) -> None:
        await self._record(draft, "returned", reason, facts or {}, key="returned")

    async def _record(self, draft: Draft, op: str, reason: str, result: Mapping[str, object], key: str) -> None:
        body = {"reason": reason, "result": dict(result)}
        await self._store.log.append(_gate(draft, op, body, key=f"{draft.id}/{key}/{draft.returns}"))

    def _teller(self, draft_id: str) -> Progress:
        def tell(what: str, done: int, of: int) -> None:
            self.going[draft_id] = Going(what, done, of)
            if self.on_progress:
                self.on_progress(draft_id)

        return tell


async def _over() -> None:
    """A send that has ended already."""


def too_long(connector: str, text: str, most: int) -> str:
    return f"{connector} takes {most:,} characters, this has {len(text):,}."


def outgoing(draft: Draft) -> Outgoing:
    return Outgoing(
        draft_id=draft.id,
        key=f"{draft.id}-{draft.returns}",
        channel_id=draft.channel_id,
        text=draft.text,
        target=draft.target,
        title=draft.title,
        facts=draft.result,
    )


def _gate(draft: Draft, op: str, body: Mapping[str, object], *, text: str = "", key: str) -> NewMessage:
    return NewMessage(
        channel_id=draft.channel_id,
        actor_id=PRIME,
        kind="gate",
        audience="hub",
        text=text,
        body={"op": op, "draftId": draft.id, **body},
        sources=(draft.reply_to,) if draft.reply_to else (),
        idempotency_key=key,
    )


def _said(draft: Draft, words: str, delivered: Delivered) -> NewMessage:
    """What everyone in the conversation has now: the owner's words there, or the link to what was published."""
    publishes = draft.kind == "publish"
    link = (
        f"{draft.title or 'It'} is live: {delivered.url}" if delivered.url else f"{draft.title or 'It'} was published."
    )
    return NewMessage(
        channel_id=draft.channel_id,
        actor_id=PRIME if publishes else OWNER,
        kind="text",
        text=link if publishes else words,
        body={"draftId": draft.id, "connector": draft.connector, "externalId": delivered.external_id},
        sources=(draft.reply_to,) if draft.reply_to else (),
        idempotency_key=f"{draft.id}/said",
    )
