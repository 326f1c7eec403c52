"""A participant that says nothing by itself: a placeholder, or a real person who is modelled as a contact."""

from prime.hub.connector import Answer, Context, Identity
from prime.rooms.records import Actor

NAME = "echo"


class Echo:
    def __init__(self, actor: Actor) -> None:
        self._actor = actor

    def identity(self) -> Identity:
        return Identity(name=self._actor.name, kind=self._actor.kind, connector=NAME, online=None)

    async def reply(self, context: Context) -> Answer:
        return Answer()
