"""Drafts: proposed by connectors, decided by the owner or, as far as the owner allows, by the policy."""

import asyncio
import contextlib
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from prime.core.canonical import clean_text
from prime.core.errors import Conflict, Forbidden, InvalidInput, NotFound
from prime.core.ids import new_id
from prime.core.redaction import redact
from prime.core.visible import is_blank
from prime.hub.gate import queries
from prime.hub.gate.classes import Classes
from prime.hub.gate.policy import AutonomyPolicy
from prime.hub.gate.queries import GATE
from prime.hub.gate.records import MAX_TEXT, Delivered, Draft, DraftStatus, Proposal
from prime.hub.gate.senders import NotConnected, Senders
from prime.hub.gate.sending import Sending, too_long
from prime.rooms.clamp import Clamp
from prime.rooms.records import OWNER, PRIME
from prime.rooms.rooms import Rooms
from prime.store.message import NewMessage
from prime.store.store import Store

# What a draft's mirror in its conversation begins with.
PREFIX = "[Draft, not sent] "
# A click waits this long for the send it caused; a longer one goes on by itself.
PATIENCE = 20.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the policy makes of a proposal: let go, or waiting, and why."""

    goes: bool
    reason: str
    class_id: str | None = None


class Drafts:
    """The spine that all connectors of both kinds share. It knows none of them."""

    def __init__(
        self,
        store: Store,
        rooms: Rooms,
        policy: AutonomyPolicy,
        classes: Classes,
        senders: Senders,
        sending: Sending,
        clamp: Clamp,
    ) -> None:
        self._store = store
        self._rooms = rooms
        self._policy = policy
        self._classes = classes
        self._senders = senders
        self._sending = sending
        self._clamp = clamp
        # Hides every secret that Prime holds; plugged in by who knows them.
        self.hide: Callable[[str], Awaitable[str]] = _hide
        # Another process that can send by a connector which this one cannot; plugged in where there are several.
        self.elsewhere: Callable[[str], Awaitable[str | None]] = _nowhere

    # --- reading ---

    async def get(self, draft_id: str) -> Draft:
        found = await self._find(draft_id)
        if found is None:
            raise NotFound(f"There is no draft {draft_id}.", draftId=draft_id)
        return found

    async def page(
        self, *, status: DraftStatus | None = None, before: int | None = None, limit: int = 50
    ) -> list[tuple[int, Draft]]:
        """Newest first, each with its place for the next page."""
        return await self._store.projector.read(
            lambda c: queries.read_drafts(c, status=status, before=before, limit=limit), GATE
        )

    async def sent(self, *, before: int | None = None, limit: int = 50) -> list[tuple[int, Draft]]:
        """Everything that left as the owner, the latest first."""
        return await self._store.projector.read(lambda c: queries.read_sent(c, before=before, limit=limit), GATE)

    async def counts(self) -> dict[str, int]:
        return await self._store.projector.read(queries.count_drafts, GATE)

    async def _find(self, draft_id: str) -> Draft | None:
        return await self._store.projector.read(lambda c: queries.read_draft(c, draft_id), GATE)

    # --- proposing ---

    async def decide_and_draft_or_send(self, proposal: Proposal) -> Draft:
        """The one way out: queue what is proposed as a draft, or send it where the owner's policy says so."""
        if proposal.key and (known := await self._find(_draft_id(proposal))):
            return known
        proposal = replace(proposal, text=await self._fitting(proposal.text))
        channel = await self._rooms.channel(proposal.channel_id)
        await self._check_cold(proposal)
        verdict = await self._judge(proposal)
        if verdict.goes and self._clamp.apply(proposal.text, channel.tier).removed:
            verdict = Verdict(False, f"It says something that is not meant for {channel.tier}; please look at it.")
        draft_id = _draft_id(proposal)
        # Proposed and let go in one message: of two deliveries of the same proposal only one can be followed by a send.
        proposed = _proposed(proposal, draft_id, verdict, self._holder)
        appended = await self._store.log.append(proposed, *([] if verdict.goes else [_mirror(proposal, draft_id)]))
        draft = await self.get(draft_id)
        if appended[0].id != proposed.id or not verdict.goes:
            return draft  # proposed before, or waiting for the owner
        return await self._wait(draft, self._sending.begin(draft))

    async def _judge(self, proposal: Proposal) -> Verdict:
        policy = await self._policy.resolve()
        mode = policy.mode_of(proposal.connector)
        if proposal.needs_owner:
            return Verdict(False, proposal.needs_owner)
        if proposal.by_owner:
            return Verdict(False, "You wrote it; approve it to send it.")
        if mode == "draft":
            return Verdict(False, f"Everything on {proposal.connector} waits for your approval.")
        sender = self._senders.find(proposal.connector)
        if sender is None:
            return Verdict(False, "connector not connected")
        if len(proposal.text) > sender.max_length:
            return Verdict(False, f"It is longer than {proposal.connector} takes ({sender.max_length:,} characters).")
        if mode == "full":
            return Verdict(True, f"{proposal.connector} sends without asking.")
        found = await self._classes.find(
            proposal.text,
            connector=proposal.connector,
            scope=proposal.scope,
            trigger=proposal.trigger,
            names=proposal.names,
        )
        if found is None:
            return Verdict(False, "You have not approved a reply of this kind yet.")
        shared = ", ".join(sorted(found.match.shared))
        return Verdict(True, f"You approved this kind of reply before (in common: {shared}).", found.reply_class.id)

    async def _check_cold(self, proposal: Proposal) -> None:
        """Beginning a conversation needs the owner's leave; a reply in one that is there never asks for it."""
        if proposal.kind == "publish" or proposal.by_owner:
            return
        if proposal.reply_to is not None:
            answered = await self._store.log.get(proposal.reply_to)
            if answered.channel_id == proposal.channel_id and answered.actor_id not in {OWNER, PRIME}:
                return
        if not (await self._policy.resolve()).allow_cold:
            raise Forbidden(
                "Prime does not begin conversations with people.",
                code="cold_contact",
                hint="Write to them yourself, or allow cold contact in the autonomy policy.",
            )

    async def _fitting(self, text: str) -> str:
        cleaned = clean_text(await self.hide(text)).strip()
        return _checked_text(cleaned)

    @property
    def _holder(self) -> str:
        return self._store.leases.holder

    # --- deciding ---

    async def approve(self, draft_id: str, text: str | None = None) -> Draft:
        """The owner lets it go, with their own words if they edited it. Approving again changes nothing."""
        draft = await self.get(draft_id)
        if draft.status in {"sending", "sent"}:
            return await self._settled(draft)
        self._refuse_decided(draft)
        words = _checked_text(clean_text(text).strip()) if text is not None else draft.text
        if draft.target.get("copyOnly") is True:
            raise Conflict(
                f"{draft.connector} cannot send this for you.",
                code="copy_only",
                hint="Copy it, send it yourself, then choose “I sent it”.",
            )
        holder = await self._sender_of(draft, words)
        approved = self._decision(draft, "approved", {"holder": holder, "reason": "You approved it."}, words)
        [logged] = await self._store.log.append(approved)
        draft = await self.get(draft_id)
        if logged.id == approved.id and holder == self._holder:
            return await self._wait(draft, self._sending.begin(draft))
        if draft.status == "rejected":
            self._refuse_decided(draft)
        return await self._settled(draft)

    async def reject(self, draft_id: str) -> Draft:
        """The owner drops it; nothing is sent. Rejecting again changes nothing."""
        draft = await self.get(draft_id)
        if draft.status == "rejected":
            return draft
        self._refuse_decided(draft)
        await self._store.log.append(self._decision(draft, "rejected", {"reason": "You rejected it."}, ""))
        draft = await self.get(draft_id)
        if draft.status != "rejected":
            self._refuse_decided(draft)  # approved a moment before, in another tab
        return draft

    async def resolve(self, draft_id: str, *, sent: bool, text: str | None = None) -> Draft:
        """The owner says what became of one that is uncertain, or that they sent a copy by hand."""
        draft = await self.get(draft_id)
        if draft.status == "sent" and sent:
            return draft
        by_hand = draft.status == "pending" and sent
        if draft.status != "uncertain" and not by_hand:
            self._refuse_decided(draft)
            raise Conflict("This draft was not sent yet.", code="not_uncertain", hint="Approve or reject it.")
        if sent:
            words = _checked_text(clean_text(text).strip()) if text and by_hand else draft.text
            reason = "You sent it yourself." if by_hand else "You said that it was sent."
            await self._sending.record_sent(
                replace(draft, reason=reason), Delivered(facts=draft.result), by_hand=by_hand, text=words
            )
        else:
            body = {"reason": "You said that it was not sent.", "result": dict(draft.result)}
            key = f"{draft.id}/returned/{draft.returns}"
            await self._store.log.append(_gate(draft.channel_id, PRIME, "returned", draft.id, body, "", key))
        return await self.get(draft_id)

    async def supersede(self, channel_id: str, reason: str) -> int:
        """Drop what still waits in a conversation, because it is answered; how many there were."""
        waiting = await self._store.projector.read(lambda c: queries.read_open_for(c, channel_id), GATE)
        replies = [draft for draft in waiting if draft.kind == "reply"]
        if replies:
            await self._store.log.append(*(self._decision(d, "rejected", {"reason": reason}, "") for d in replies))
        return len(replies)

    async def record_undone(self, draft: Draft) -> Draft:
        """What it had put into the world was taken back, whole or half done."""
        body = {"reason": "You took it back."}
        key = f"{draft.id}/undone/{draft.returns}"
        notice = NewMessage(
            channel_id=draft.channel_id,
            actor_id=PRIME,
            kind="system",
            text=f"{draft.title or 'It'} was taken back.",
            idempotency_key=f"{key}/said",
        )
        await self._store.log.append(_gate(draft.channel_id, PRIME, "undone", draft.id, body, "", key), notice)
        return await self.get(draft.id)

    def _decision(self, draft: Draft, op: str, body: Mapping[str, object], text: str) -> NewMessage:
        # One key for both decisions: of two clicks in two tabs one is the decision, the other hears of it.
        key = f"{draft.id}/decided/{draft.returns}"
        return _gate(draft.channel_id, OWNER, op, draft.id, {"returns": draft.returns, **body}, text, key)

    async def _sender_of(self, draft: Draft, words: str) -> str:
        """The process that is to send it: this one, or another that is connected."""
        try:
            sender = self._senders.get(draft.connector)
        except NotConnected:
            if other := await self.elsewhere(draft.connector):
                return other
            if draft.reason != "connector not connected":
                body = {"reason": "connector not connected"}
                await self._store.log.append(_gate(draft.channel_id, PRIME, "noted", draft.id, body, "", None))
            raise
        if len(words) > sender.max_length:
            raise InvalidInput(
                too_long(draft.connector, words, sender.max_length), hint="Shorten it and approve again.", field="text"
            )
        return self._holder

    def _refuse_decided(self, draft: Draft) -> None:
        if draft.status == "uncertain":
            raise Conflict(
                "It is not known whether this was sent.",
                code="uncertain",
                hint="Look whether it arrived, and say so; then it can be sent again.",
                draftId=draft.id,
            )
        if draft.status != "pending":
            raise Conflict(
                f"This draft is {draft.status} already.",
                code="already_decided",
                draftId=draft.id,
                status=draft.status,
            )

    async def _settled(self, draft: Draft) -> Draft:
        if task := self._sending.task_of(draft.id):
            return await self._wait(draft, task)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while draft.status == "sending" and draft.holder != self._holder:
                    head = self._store.heads.head
                    draft = await self.get(draft.id)
                    if draft.status == "sending":
                        await self._store.heads.wait_beyond(head)
        return draft

    async def _wait(self, draft: Draft, task: "asyncio.Task[None]") -> Draft:
        await asyncio.wait({task}, timeout=PATIENCE)
        return await self.get(draft.id)


async def _nowhere(_connector: str) -> str | None:
    return None


async def _hide(text: str) -> str:
    return redact(text)


def _checked_text(text: str) -> str:
    if is_blank(text):
        raise InvalidInput("A draft needs some text.", field="text")
    if len(text) > MAX_TEXT:
        raise InvalidInput(f"A draft may have {MAX_TEXT:,} characters.", hint="Shorten it.", field="text")
    return text


def _draft_id(proposal: Proposal) -> str:
    """The same for the same proposal, so that a second delivery of one message makes no second draft."""
    if proposal.key is None:
        return new_id("drf")
    digest = hashlib.sha256(f"{proposal.channel_id}\x00{proposal.connector}\x00{proposal.key}".encode())
    return f"drf_{digest.hexdigest()[:20]}"


def _proposed(proposal: Proposal, draft_id: str, verdict: Verdict, holder: str) -> NewMessage:
    body: dict[str, object] = {
        "connector": proposal.connector,
        "kind": proposal.kind,
        "reason": verdict.reason,
        "trigger": proposal.trigger[:2000],
        "names": list(proposal.names),
        "target": dict(proposal.target),
        "scope": proposal.scope,
        "title": proposal.title,
        "needsOwner": proposal.needs_owner,
    }
    if verdict.goes:
        body["released"] = {"classId": verdict.class_id, "holder": holder}
        body["status"] = "sending"  # so that nobody is called to decide
    if proposal.reply_to:
        body["replyTo"] = proposal.reply_to
    made = _gate(proposal.channel_id, PRIME, "proposed", draft_id, body, proposal.text, f"{draft_id}/proposed")
    return replace(made, sources=(proposal.reply_to,) if proposal.reply_to else ())


def _mirror(proposal: Proposal, draft_id: str) -> NewMessage:
    """The proposal as it stands in the conversation, for the owner's eyes alone."""
    return NewMessage(
        channel_id=proposal.channel_id,
        actor_id=PRIME,
        kind="text",
        audience="hub",
        text=f"{PREFIX}{proposal.text}",
        body={"draftId": draft_id, "proposal": True},
        sources=(proposal.reply_to,) if proposal.reply_to else (),
        idempotency_key=f"{draft_id}/mirror",
    )


def _gate(
    channel_id: str, actor_id: str, op: str, draft_id: str, body: Mapping[str, object], text: str, key: str | None
) -> NewMessage:
    return NewMessage(
        channel_id=channel_id,
        actor_id=actor_id,
        kind="gate",
        audience="hub",
        text=text,
        body={"op": op, "draftId": draft_id, **body},
        idempotency_key=key,
    )
