"""An agent: a function that answers, and the card that says what it can do."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from prime.core.errors import InvalidInput
from prime.network.names import plain_capabilities, plain_name
from prime.network.tasks import Answer, Card, Inbound

Reply = Callable[[Inbound], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Agent:
    """Made by `@agent`. Calling it calls the function."""

    card: Card
    reply: Reply

    async def __call__(self, message: Inbound) -> Answer:
        return await self.reply(message)

    async def answer(self, inbound: Inbound) -> Answer:
        """The network's contract for whoever answers."""
        return await self.reply(inbound)

    def renamed(self, name: str | None, capabilities: Sequence[str] | None, owner: str | None) -> "Agent":
        """The same agent with what the environment says about it."""
        card = replace(
            self.card,
            name=plain_name(name, "name") if name else self.card.name,
            capabilities=plain_capabilities(capabilities) if capabilities else self.card.capabilities,
            owner=plain_name(owner, "owner") if owner else self.card.owner,
        )
        return Agent(card, self.reply)


def agent(
    *, name: str, capabilities: Sequence[str] = (), description: str = "", owner: str = ""
) -> Callable[[Reply], Agent]:
    """Make an agent of `async def reply(message) -> str | Task`."""
    card = Card(
        id=_id_of(name),
        name=plain_name(name, "name"),
        capabilities=plain_capabilities(capabilities),
        description=description,
        owner=plain_name(owner, "owner") if owner else "",
    )

    def make(reply: Reply) -> Agent:
        if not callable(reply):
            raise InvalidInput("@agent goes on top of an async function.", hint="async def reply(message): …")
        return Agent(card, reply)

    return make


def _id_of(name: str) -> str:
    plain = "".join(char if char.isalnum() and char.isascii() else "-" for char in name.lower())
    return "-".join(part for part in plain.split("-") if part)[:60] or "agent"
