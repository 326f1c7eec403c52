"""A remote agent behind the one contract of all participants: who it is, and what it replies.

Its answer comes by the outbox: what it is sent survives a restart, and whichever way its answer takes (at once, by
callback, by asking) it stands in the channel once.
"""

from prime.core.errors import NotFound
from prime.hub.connector import Answer, Context, Identity
from prime.network.correspondence import Correspondence
from prime.network.directory.directory import Directory
from prime.rooms.records import OWNER, PRIME, Actor

NAME = "prime_message"


class RemoteAgent:
    def __init__(self, actor: Actor, correspondence: Correspondence, directory: Directory) -> None:
        self._actor = actor
        self._correspondence = correspondence
        self._directory = directory

    def identity(self) -> Identity:
        online = self._directory.online(self._actor.id.removeprefix("act_"))
        return Identity(name=self._actor.name, kind="agent", connector=NAME, online=online)

    async def reply(self, context: Context) -> Answer:
        """Send it what was said to it last; its answer follows by itself."""
        last = context.last
        if last is None or last.actor_id not in {PRIME, OWNER}:
            return Answer()
        if not await self._correspondence.reaches(context.channel_id):
            raise NotFound(f"The address of {self._actor.name} is not known.", hint="Connect to it again.")
        await self._correspondence.forward(last)
        return Answer(later=True)
