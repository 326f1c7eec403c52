"""A remote agent behind the one contract of all participants: who it is, and what it replies."""

from dataclasses import dataclass

from prime.core.ids import new_id
from prime.network.peer import Outgoing, Peer, PeerAnswer, Peers
from prime.network.tasks import Card

NAME = "prime_message"


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What the agent is asked, in which conversation."""

    text: str
    thread_id: str
    # The same for every try, so that the agent can tell a repetition.
    message_id: str = ""
    task_id: str | None = None
    callback_url: str | None = None


class PrimeMessageConnector:
    """One remote agent: a Prime agent when its card says so, else A2A of the newest generation that both speak.

    Made by `open`, which reads the card through the guarded client. For messages that must survive a restart use
    `prime.network.correspondence`, which sends from the outbox.
    """

    def __init__(self, peers: Peers, peer: Peer, me: Card, token: str | None = None) -> None:
        self._peers = peers
        self._peer = peer
        self._me = me
        self._token = token

    @classmethod
    async def open(cls, peers: Peers, url: str, me: Card, token: str | None = None) -> "PrimeMessageConnector":
        return cls(peers, await peers.probe(url), me, token)

    def identity(self) -> Card:
        """What its card claims."""
        return Card(
            id=self._peer.card_id or self._peer.base_url,
            name=self._peer.name,
            kind=self._peer.kind,
            capabilities=self._peer.capabilities,
            base_url=self._peer.base_url,
        )

    async def reply(self, context: Context) -> PeerAnswer:
        """Its reply, or the task that will bring it."""
        outgoing = Outgoing(
            message_id=context.message_id or new_id("msg"),
            text=context.text,
            thread_id=context.thread_id,
            sender_id=self._me.id,
            sender_name=self._me.name,
            callback_url=context.callback_url,
            token=self._token,
            task_id=context.task_id,
        )
        return await self._peers.send(self._peer, outgoing)

    async def task(self, task_id: str, secret: str | None = None) -> PeerAnswer:
        """How a task is doing."""
        return await self._peers.task(self._peer, task_id, secret, self._token)
