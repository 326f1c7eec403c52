"""What Prime says to others: written to the log and the outbox at once, sent at least once, answered exactly once.

The log's message id goes along as the message's id, so that the receiver can tell a repetition; whichever way the answer
comes (at once, by callback, by asking), it is logged under one key, so that it cannot be doubled.
"""

import asyncio
import hashlib
import hmac
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from prime.core.canonical import JSON
from prime.core.clock import Clock
from prime.core.errors import InvalidInput, PrimeError, Unauthorized, Unavailable
from prime.core.http import Refused
from prime.core.visible import is_blank, visible
from prime.network.calls import queries
from prime.network.calls.queries import Call
from prime.network.directory.directory import Directory
from prime.network.peer import Outgoing, Peer, PeerAnswer, PeerRefused, Peers
from prime.network.queries import Thread
from prime.network.signatures import token_hash, verify
from prime.network.tasks import Card
from prime.network.threads import Threads
from prime.network.wire import MAX_TEXT
from prime.rooms.records import PRIME
from prime.store.message import Message, NewMessage
from prime.store.outbox import Item, Undeliverable
from prime.store.store import Store

CALLBACK_PATH = "/api/agent-callback"
_REMEMBERED = 1_000
# How many messages back an answer is looked for that says where the conversation stands over there.
_LOOKS_BACK = 30

# So often a message is sent in vain before somebody is told: a restart over there takes some seconds.
_TRIES_IN_SILENCE = 4

_UNREACHED = "It cannot be reached at the moment."

# Hears of an agent that cannot be reached: in which channel, which actor, and why.
OnSilence = Callable[[str, str, PrimeError], Awaitable[None]]

# A token that a peer gave this instance, if it did; by the peer's id in the directory.
Credentials = Callable[[str], Awaitable[str | None]]


@dataclass(frozen=True, slots=True)
class Me:
    """Who speaks: this instance's card, the key that its callback tokens are made with, and what others gave it."""

    card: Card
    key: bytes
    credentials: Credentials


@dataclass(frozen=True, slots=True)
class Delivered:
    """What became of a callback."""

    duplicate: bool


class Correspondence:
    def __init__(
        self,
        store: Store,
        directory: Directory,
        threads: Threads,
        peers: Peers,
        me: Me,
        clock: Clock,
        bell: asyncio.Event | None = None,
    ) -> None:
        self._clock = clock
        self._bell = bell or asyncio.Event()  # the outbox's
        self._store = store
        self._directory = directory
        self._threads = threads
        self._peers = peers
        self._me = me.card
        self._key = me.key
        self._credentials = me.credentials
        self._cards: dict[str, Peer] = {}
        # Called when what was said to an agent does not arrive, or its task cannot be asked for; it is tried again all the same.
        self.on_silence: list[OnSilence] = []

    # --- sending ---

    async def say(self, channel_id: str, text: str, *, actor_id: str = PRIME, key: str | None = None) -> Message:
        """Say something to the agent of a channel. It is on its way when this returns, and survives a restart."""
        if is_blank(text):
            raise InvalidInput("A message needs some text.", field="text")
        thread = await self._threads.by_channel(channel_id)
        words = NewMessage(
            channel_id=channel_id,
            actor_id=actor_id,
            kind="text",
            text=text,
            course=await self._threads.course(channel_id),
            idempotency_key=key,
        )
        call = self._call_of(words.id, thread)
        [said] = await self._store.log.append(words, also=lambda c: queries.send_call(c, call))
        self._bell.set()
        return said

    async def forward(self, message: Message) -> None:
        """Send something that is in the log already to the agent of its channel; once, however often this is asked."""
        thread = await self._threads.by_channel(message.channel_id)
        call = self._call_of(message.id, thread)
        await self._store.database.write(lambda c: queries.send_call(c, call))
        self._bell.set()

    async def reaches(self, channel_id: str) -> bool:
        """Whether a channel is a conversation with an agent whose address is known."""
        thread = await self._threads.of_channel(channel_id)
        return thread is not None and thread.agent_id is not None

    async def deliver(self, item: Item) -> None:
        """Send one message of the outbox."""
        message = await self._store.log.get(str(item.payload["messageId"]))
        thread = await self._threads.by_channel(message.channel_id)
        made = self._call_of(message.id, thread)
        call = await self._store.database.read(lambda c: queries.find_call(c, made.token_hash)) or made
        async with self._telling(call, item, after=_TRIES_IN_SILENCE):
            answer = await self._exchange(thread, message, call)
        await self._take(answer, call)

    async def _exchange(self, thread: Thread, message: Message, call: Call) -> PeerAnswer:
        peer, token = await self._peer_of(thread)
        key = token_hash(token) if token else None
        if key != call.signing_key:
            await self._store.database.write(lambda c: queries.set_signing_key(c, call.token_hash, key))
        # A Prime agent knows the conversation by its thread.
        task_id, context_id = (None, None) if peer.speaks == "prime" else await self._stands(thread, message)
        outgoing = Outgoing(
            message_id=message.id,
            text=message.text[:MAX_TEXT],
            thread_id=thread.channel_id,
            sender_id=self._me.id,
            sender_name=self._me.name,
            callback_url=f"{self._me.base_url}{CALLBACK_PATH}?token={self.callback_token(message.id)}",
            token=token,
            signing_key=self._directory.signing_key(thread.agent_id or ""),
            task_id=task_id,
            context_id=context_id,
        )
        with _final_refusals():
            return await self._peers.send(peer, outgoing)

    async def _stands(self, thread: Thread, message: Message) -> tuple[str | None, str | None]:
        """Where a conversation stands over there, by the agent's last answer: the task that asked, and the context."""
        before = await self._store.log.page(thread.channel_id, before=message.seq, limit=_LOOKS_BACK, kinds=("text",))
        for earlier in reversed(before):
            if "remoteContextId" in earlier.body:
                asked = earlier.body.get("remoteTaskId") if earlier.body.get("remoteAsks") else None
                context = earlier.body["remoteContextId"]
                return asked if isinstance(asked, str) else None, context if isinstance(context, str) else None
        return None, None

    async def poll(self, item: Item) -> None:
        """Ask how a task is doing; raises to be tried again while it is being worked on."""
        payload = item.payload
        thread = await self._threads.by_channel(str(payload["channelId"]))
        call = self._call_of(str(payload["messageId"]), thread)
        there = await self._store.database.read(lambda c: queries.find_call(c, call.token_hash))
        if there is None or there.used_at is not None:
            return  # its callback came first
        secret = payload.get("taskSecret")
        async with self._telling(call, item):
            peer, token = await self._peer_of(thread)
            with _final_refusals():
                answer = await self._peers.task(
                    peer, str(payload["taskId"]), secret if isinstance(secret, str) else None, token
                )
        if answer.state == "working":
            raise Unavailable("The task is still being worked on.")
        await self._log_answer(call, answer, delivery_id=item.id)

    async def _take(self, answer: PeerAnswer, call: Call) -> None:
        if answer.state != "working":
            await self._log_answer(call, answer, delivery_id="answer")
            return
        task_id, secret = answer.task_id or "", answer.task_secret
        await self._store.database.write(lambda c: queries.await_task(c, call, task_id, secret))

    # --- receiving answers ---

    async def callback(
        self, token: str, body: Mapping[str, JSON], *, raw: bytes, headers: Mapping[str, str]
    ) -> Delivered:
        """Take a pushed result. The token opens one task of one channel, once; the same delivery again changes nothing."""
        digest = token_hash(token)
        call = await self._store.database.read(lambda c: queries.find_call(c, digest))
        if call is None:
            raise _no_callback()
        delivery_id = headers.get("x-prime-delivery", "")[:200] or f"body:{hashlib.sha256(raw).hexdigest()}"
        self._check_signature(call, raw, headers.get("x-prime-signature"))
        if call.used_at is not None:
            if call.delivery_id == delivery_id:
                return Delivered(duplicate=True)
            raise _no_callback()
        task_id = body.get("taskId")
        if call.task_id is not None and task_id != call.task_id:
            raise _no_callback()
        answer = _pushed(body)
        logged = await self._log_answer(call, answer, delivery_id=delivery_id)
        return Delivered(duplicate=not logged)

    def _check_signature(self, call: Call, raw: bytes, signature: str | None) -> None:
        """Needed from a peer that gave this instance a token; from others checked when it is there."""
        known = call.signing_key or self._directory.signing_key(call.agent_id or "")
        if call.signing_key is not None or (signature is not None and known is not None):
            verify(known or "", signature, raw, self._clock.now_ms())

    async def _log_answer(self, call: Call, answer: PeerAnswer, *, delivery_id: str) -> bool:
        """Once per message, whichever way it came; False when it was there."""
        answered = answer.text is not None and answer.state in {"done", "input-required"}
        words = NewMessage(
            channel_id=call.channel_id,
            actor_id=call.actor_id if answered else PRIME,
            kind="text" if answered else "system",
            text=(answer.text or "") if answered else _failed(answer.error),
            audience="room" if answered else "hub",
            body=_stand(answer),
            course=await self._threads.course(call.channel_id),
            source_tag="network",
            sources=(call.message_id,),
        )
        try:
            await self._store.log.append(words, also=lambda c: queries.spend_call(c, call.token_hash, delivery_id))
        except queries.AlreadyAnswered:
            return False
        if answered and call.agent_id:
            self._directory.answered(call.agent_id)
        return True

    # --- inside ---

    @asynccontextmanager
    async def _telling(self, call: Call, item: Item, *, after: int = 1) -> AsyncGenerator[None]:
        """What goes wrong here is told once it has gone wrong so often, or for good."""
        try:
            yield
        except PrimeError as error:
            if item.attempts >= after or isinstance(error, Undeliverable):
                await self._tell(call, error)
            raise

    async def _tell(self, call: Call, error: PrimeError) -> None:
        # The guarded client says the same of every refusal; of an address that the owner knows, more can be said.
        told = (
            error if isinstance(error, Undeliverable) else Unavailable(_UNREACHED, hint="It is tried again by itself.")
        )
        for tell in self.on_silence:
            await tell(call.channel_id, call.actor_id, told)

    async def _peer_of(self, thread: Thread) -> tuple[Peer, str | None]:
        """How the agent of a conversation is spoken to, and the token it gave us, if it did."""
        if thread.agent_id is None:
            raise Undeliverable("This sender is not in the directory; there is no address to answer to.")
        entry = await self._directory.get(thread.agent_id)
        peer = self._cards.get(entry.endpoint)
        if peer is None:
            with _final_refusals():
                peer = await self._peers.probe(entry.endpoint)
            if peer.card_id == self._me.id or peer.base_url == self._me.base_url:
                raise Undeliverable("This address is this instance itself.")
            if len(self._cards) >= _REMEMBERED:
                self._cards.clear()
            self._cards[entry.endpoint] = peer
        return peer, await self._credentials(entry.id)

    def callback_token(self, message_id: str) -> str:
        """The single-use token of a message's callback; the same for every try to send it."""
        return hmac.new(self._key, f"callback:{message_id}".encode(), hashlib.sha256).hexdigest()

    def _call_of(self, message_id: str, thread: Thread) -> Call:
        return Call(
            token_hash=token_hash(self.callback_token(message_id)),
            message_id=message_id,
            channel_id=thread.channel_id,
            actor_id=thread.actor_id,
            agent_id=thread.agent_id,
        )


@contextmanager
def _final_refusals() -> Generator[None]:
    """What trying again cannot mend becomes `Undeliverable`."""
    try:
        yield
    except PeerRefused as error:
        raise Undeliverable(str(error)) from error
    except Refused as error:
        if error.passing:
            raise
        raise Undeliverable(str(error)) from error


def _failed(error: str | None) -> str:
    """Prime's own word about it. What the agent says is its own, and told as that."""
    said = " ".join(visible(error or "").split())
    return f"The agent did not manage it. It says: “{said}”" if said else "The agent did not manage it."


def _stand(answer: PeerAnswer) -> dict[str, JSON]:
    """What is kept of an answer beside its words, to go on from it."""
    kept: dict[str, JSON] = {"remoteTaskId": answer.task_id} if answer.task_id else {}
    if answer.context_id:
        kept |= {"remoteContextId": answer.context_id, "remoteAsks": answer.state == "input-required"}
    return kept


def _pushed(body: Mapping[str, JSON]) -> PeerAnswer:
    text, error, task_id, state = (body.get(name) for name in ("text", "error", "taskId", "state"))
    if state not in {"done", "failed", "expired", "input-required", None}:
        raise InvalidInput("A result is pushed when the task is done, failed, expired or needs input.", field="state")
    failed = state in {"failed", "expired"}
    if not failed and (not isinstance(text, str) or not text.strip()):
        raise InvalidInput("A result needs a text.", field="text")
    return PeerAnswer(
        state="failed" if failed else "done",
        text=text[:MAX_TEXT] if isinstance(text, str) else None,
        task_id=task_id[:200] if isinstance(task_id, str) else None,
        error=error[:1000] if isinstance(error, str) else None,
    )


def _no_callback() -> PrimeError:
    return Unauthorized("This callback is unknown or has been used.", code="callback_refused")
