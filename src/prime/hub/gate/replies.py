"""What people write to the owner's accounts: it becomes a message of its channel, and a mind drafts one answer to it.

Whatever such a message says, it is text: it is quoted to the mind, and all that can come of it is one draft in its own
conversation, which the gate holds or lets go.
"""

import asyncio
import hashlib
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from prime.core.clock import Clock, is_due
from prime.core.errors import InvalidInput, PrimeError
from prime.hub.feed import card_message
from prime.hub.gate import queries
from prime.hub.gate.drafts import Drafts
from prime.hub.gate.queries import GATE
from prime.hub.gate.records import Draft, Proposal, nothing
from prime.hub.gate.style import Style
from prime.mind.jobs.keeping import DraftRequest
from prime.mind.jobs.lines import Line
from prime.mind.protocol import Mind
from prime.rooms.records import OWNER, PRIME, ChannelDraft
from prime.rooms.rooms import MAX_NAME, Rooms
from prime.rooms.tier import Tier
from prime.rooms.views import View, observed_by, observer
from prime.store.message import Message, NewMessage
from prime.store.store import Store

log = logging.getLogger(__name__)

LINES = 40
AT_ONCE = 4
RESUMED = 200
MAX_INCOMING = 16_000
# How long a mind that could not draft is waited for before it is asked again.
WAITS = (30.0, 120.0, 600.0, 3_600.0, 3_600.0)
_PLAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,39}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """A file that came with a message."""

    name: str
    mime_type: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """One message as a connector saw it.

    `conversation` and `external_id` are the service's own ids; `target` is what the connector's sender needs to answer.
    `own` says that the owner wrote it on another device; `answer` that a draft is wanted (not for history); `edited` that it
    replaces what had the same `external_id`.
    """

    connector: str
    prefix: str
    conversation: str
    person: str
    external_id: str
    text: str
    target: Mapping[str, object] = field(default_factory=nothing)
    own: bool = False
    answer: bool = True
    edited: bool = False
    media: Sequence[Media] = ()
    reply_to: str | None = None
    tier: Tier = "external"
    # Why a draft for it must wait for the owner in every mode.
    needs_owner: str = ""


class Replies:
    """Receives messages from connectors and has answers drafted, one for each."""

    def __init__(
        self, store: Store, rooms: Rooms, drafts: Drafts, style: Style, mind: Callable[[], Mind], clock: Clock
    ) -> None:
        self._store = store
        self._rooms = rooms
        self._drafts = drafts
        self._style = style
        self._mind = mind
        self._clock = clock
        # Whether the owner knows that nothing can be drafted at the moment.
        self._told = False
        self._known: set[str] = set()
        self._opening = asyncio.Lock()
        self._room = asyncio.Semaphore(AT_ONCE)
        self._tasks: set[asyncio.Task[Draft | None]] = set()
        # What this process has begun to draft and not ended: it is told, and tried again here.
        self._begun: set[str] = set()
        # Those that wait for a mind to be well again.
        self._waiting: set[asyncio.Task[None]] = set()

    async def receive(self, incoming: Incoming) -> Message | None:
        """Write it down once, however often it is delivered; an answer is drafted by itself. None when it is our own."""
        channel_id = channel_of(incoming)
        if incoming.own and await self._is_ours(channel_id, incoming):
            return None
        await self._open(channel_id, incoming)
        if incoming.edited:
            return await self._edit(channel_id, incoming)
        message = await self._say(channel_id, incoming)
        if message is None:
            return None
        if incoming.own:
            await self._drafts.supersede(channel_id, "You answered it yourself.")
        elif incoming.answer:
            self.draft_soon(message.id)
        return message

    def draft_soon(self, message_id: str) -> None:
        self._begun.add(message_id)
        task = asyncio.create_task(self._draft(message_id), name=f"prime-draft-{message_id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def resume(self, *, left_for_ms: int = 0) -> None:
        """Draft what was received and not drafted, because its process ended in between. What came lately may be in the
        hands of another that lives: that is left alone for so long."""
        waiting = await self._store.projector.read(
            lambda c: queries.read_waiting_inbound(c, after=0, limit=RESUMED), GATE
        )
        left = [message_id for message_id, _ in waiting if message_id not in self._begun]
        for message_id in left:
            # Asked last: it may have been begun while its age was looked at.
            if await self._is_left(message_id, left_for_ms) and message_id not in self._begun:
                self.draft_soon(message_id)

    async def _is_left(self, message_id: str, left_for_ms: int) -> bool:
        if not left_for_ms:
            return True
        received = (await self._store.log.get(message_id)).ts
        return is_due(received + left_for_ms, self._clock.now_ms(), left_for_ms)

    async def settled(self) -> None:
        """Wait until everything that was received has its draft."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def stop(self) -> None:
        for task in (*self._tasks, *self._waiting):
            task.cancel()
        await asyncio.gather(*self._tasks, *self._waiting, return_exceptions=True)
        self._begun.clear()

    async def read_up_to(self, channel_id: str, external_id: str) -> None:
        """The owner has read it on another device."""
        message_id = await self._store.projector.read(
            lambda c: queries.read_inbound_id(c, channel_id, external_id), GATE
        )
        if message_id:
            await self._rooms.mark_read(channel_id, message_id)

    # --- writing it down ---

    async def _is_ours(self, channel_id: str, incoming: Incoming) -> bool:
        return await self._store.projector.read(
            lambda c: queries.is_ours(c, channel_id, incoming.external_id, incoming.text), GATE
        )

    async def _open(self, channel_id: str, incoming: Incoming) -> None:
        """The person as a passive contact, and the channel with them; once."""
        async with self._opening:
            if channel_id in self._known:
                return
            known = {actor.id: actor for actor in await self._rooms.actors()}
            person = _name(incoming.person)
            if actor_of(incoming) not in known or (not incoming.own and known[actor_of(incoming)].name != person):
                await self._rooms.add_actor(person, "human", "echo", actor_id=actor_of(incoming))
            draft = ChannelDraft(
                id=channel_id, name=person, kind="dm", tier=incoming.tier, members=(actor_of(incoming),)
            )
            try:
                await self._rooms.channel(channel_id)
            except PrimeError:
                await self._rooms.open_channel(draft)
            self._known.add(channel_id)

    async def _say(self, channel_id: str, incoming: Incoming) -> Message | None:
        attachments = [await self._store.attachments.put(m.name, m.mime_type, m.content) for m in incoming.media]
        text = incoming.text.strip() or ", ".join(f"[{a.name}]" for a in attachments)
        if not text:
            return None
        body: dict[str, object] = {"inbound": _origin(incoming), "target": dict(incoming.target)}
        if incoming.needs_owner:
            body["needsOwner"] = incoming.needs_owner
        if attachments:
            body["attachmentIds"] = [a.id for a in attachments]
        said = NewMessage(
            channel_id=channel_id,
            actor_id=OWNER if incoming.own else actor_of(incoming),
            kind="text",
            text=text[:MAX_INCOMING],
            body=body,
            idempotency_key=f"{incoming.connector}/{incoming.external_id}",
        )
        [message] = await self._store.log.append(said)
        return message if message.id == said.id else None  # delivered twice

    async def _edit(self, channel_id: str, incoming: Incoming) -> Message | None:
        original = await self._store.projector.read(
            lambda c: queries.read_inbound_id(c, channel_id, incoming.external_id), GATE
        )
        if original is None:
            return await self.receive(replace(incoming, edited=False))
        digest = hashlib.sha256(incoming.text.encode()).hexdigest()[:16]
        edit = NewMessage(
            channel_id=channel_id,
            actor_id=OWNER if incoming.own else actor_of(incoming),
            kind="edit",
            text=incoming.text[:MAX_INCOMING],
            body={"edits": original},
            sources=(original,),
            idempotency_key=f"{incoming.connector}/{incoming.external_id}/edit/{digest}",
        )
        [logged] = await self._store.log.append(edit)
        if logged.id != edit.id:
            return None
        draft = await self._store.projector.read(lambda c: queries.read_reply(c, original), GATE)
        if draft and draft.status == "pending":
            # The one answer that it gets is to what it says now.
            await self._drafts.supersede(channel_id, "What it answers was changed.")
            await self._draft(original, version=digest)
        return logged

    # --- drafting ---

    async def _draft(self, message_id: str, version: str = "", tries: int = 0) -> Draft | None:
        async with self._room:
            message = await self._store.log.get(message_id)
            try:
                drafted = await self._drafted(message, version)
            except PrimeError as error:
                log.warning("no draft for %s: %s", message_id, error)
                failed = error
            except Exception:  # a mind's mistake must not leave a message without a word about it
                log.exception("no draft for %s", message_id)
                failed = PrimeError("Something went wrong here.")
            else:
                self._told = False
                self._begun.discard(message_id)
                return drafted
        await self._put_off(message, version, failed, tries)
        return None

    async def _put_off(self, message: Message, version: str, error: PrimeError, tries: int) -> None:
        """Tell the owner, once for all that wait for the same mind, and try again where that may help."""
        again = not isinstance(error, InvalidInput) and tries < len(WAITS)
        told = [_failed(message, error)] if tries == 0 else []
        if told and not self._told:
            text = f"{error} It is tried again by itself." if again else str(error)
            told.append(card_message(message.channel_id, "No answer could be drafted", text, (message.id,)))
        if told:
            await self._store.log.append(*told)
            self._told = True
        if again:
            task = asyncio.create_task(self._again(message, version, tries), name=f"prime-draft-again-{message.id}")
            self._waiting.add(task)
            task.add_done_callback(self._waiting.discard)

    async def _again(self, message: Message, version: str, tries: int) -> None:
        await self._clock.sleep(WAITS[tries])
        since = await self._store.log.page(message.channel_id, after=message.seq, limit=LINES)
        if any(each.actor_id == OWNER and each.kind == "text" for each in since):
            await self._pass(message)  # the owner has answered it meanwhile
        else:
            await self._draft(message.id, version, tries + 1)

    async def _drafted(self, message: Message, version: str) -> Draft | None:
        view = await View.of(self._store, message.channel_id)
        origin = message.body.get("inbound")
        if not isinstance(origin, dict) or view.channel.closed:
            await self._pass(message)
            return None
        connector = str(origin.get("connector"))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
        request = await draft_request(view)
        style = (await self._style.get(connector)).text()
        written = await self._mind().draft(replace(request, style=style, lines=_up_to(request.lines, message.id)))
        if not written.text.strip():
            await self._pass(message)
            return None
        target, needs_owner = message.body.get("target"), message.body.get("needsOwner")
        trigger = next((line.text for line in request.lines if line.message_id == message.id), message.text)
        return await self._drafts.decide_and_draft_or_send(
            Proposal(
                connector=connector,
                channel_id=message.channel_id,
                text=written.text,
                target=target if isinstance(target, dict) else {},  # pyright: ignore[reportUnknownArgumentType]
                reply_to=message.id,
                trigger=trigger,
                names=[card.name for card in await view.cards()],
                needs_owner=needs_owner if isinstance(needs_owner, str) else "",
                key=f"reply/{message.id}/{version}",
            )
        )

    async def _pass(self, message: Message) -> None:
        body = {"op": "passed", "messageId": message.id}
        key = f"passed/{message.id}"
        await self._store.log.append(
            NewMessage(
                channel_id=message.channel_id,
                actor_id=PRIME,
                kind="gate",
                audience="hub",
                body=body,
                idempotency_key=key,
            )
        )


@observer
async def shown_for_draft(view: View) -> DraftRequest:
    """What a draft in this conversation can depend on."""
    return await draft_request(view)


@observed_by("prime.hub.gate.replies.shown_for_draft")
async def draft_request(view: View) -> DraftRequest:
    """What a mind is shown to answer as the owner: this conversation and nothing else."""
    names = {card.id: card.name for card in await view.cards()}
    messages = await view.messages(limit=LINES)
    edits = {str(m.body.get("edits")): m.text for m in messages if m.kind == "edit"}
    said = [m for m in messages if m.kind in {"text", "note"} and m.actor_id != PRIME]
    lines = [
        Line(
            message_id=m.id,
            speaker="You" if m.actor_id == OWNER else names.get(m.actor_id, "Someone"),
            text=edits.get(m.id, m.text),
            own=m.actor_id == OWNER,
            quoted=m.actor_id != OWNER,
            ts=m.ts,
        )
        for m in said
    ]
    person = next((name for actor, name in names.items() if actor not in {OWNER, PRIME}), "")
    return DraftRequest(lines=lines, person=person)


def channel_of(incoming: Incoming) -> str:
    return f"{incoming.prefix}{_plain(incoming.conversation)}"


def actor_of(incoming: Incoming) -> str:
    return f"act_{incoming.prefix.removeprefix('ch_')}{_plain(incoming.conversation)}"


def _plain(external: str) -> str:
    """An id that is safe in ids and addresses; odd ones become their hash."""
    return external if _PLAIN_ID.fullmatch(external) else hashlib.sha256(external.encode()).hexdigest()[:20]


def _name(given: str) -> str:
    plain = " ".join("".join(c if c.isprintable() else " " for c in given).split())
    return plain[:MAX_NAME] or "Someone"


def _origin(incoming: Incoming) -> dict[str, object]:
    origin: dict[str, object] = {
        "connector": incoming.connector,
        "externalId": incoming.external_id,
        "conversation": incoming.conversation,
        "answer": incoming.answer and not incoming.own,
    }
    return origin | ({"replyTo": incoming.reply_to} if incoming.reply_to else {})


def _up_to(lines: Sequence[Line], message_id: str) -> list[Line]:
    """The conversation as it was when the message came: what came after it has a draft of its own."""
    at = next((i for i, line in enumerate(lines) if line.message_id == message_id), len(lines) - 1)
    return list(lines[: at + 1])


def _failed(message: Message, error: PrimeError) -> NewMessage:
    return NewMessage(
        channel_id=message.channel_id,
        actor_id=PRIME,
        kind="system",
        audience="hub",
        text=f"No answer could be drafted: {error}",
        sources=(message.id,),
    )
