"""Who takes part: people, models, builders, remote companies. Adding one is joining it to a channel."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field, JsonValue

from prime.core.errors import InvalidInput
from prime.rooms.records import Actor, ActorKind
from prime.rooms.views import Card
from prime.web.models import Given, Id, Name, Page, Shown
from prime.web.parts import Parts, PartsNeeded

router = APIRouter(prefix="/api", tags=["actors"])


class ActorShown(Shown):
    id: str
    name: str
    kind: ActorKind
    connector: str
    online: bool

    @classmethod
    def of_card(cls, card: Card) -> "ActorShown":
        """As others in a channel may know them."""
        kind: ActorKind = "human" if card.kind == "human" else "agent"
        return cls(id=card.id, name=card.name, kind=kind, connector="", online=True)


class NewActor(Given):
    id: Annotated[str, Field(pattern=r"^act_[A-Za-z0-9_-]{1,60}$")] | None = None
    name: Name
    kind: ActorKind
    connector: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")] = "echo"
    settings: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])


class MemberGiven(Given):
    actor_id: Id


@router.get("/actors")
async def list_actors(parts: PartsNeeded) -> Page[ActorShown]:
    return Page(items=[_shown(parts, actor) for actor in await parts.rooms.actors()])


@router.post("/actors", status_code=201)
async def add_actor(given: NewActor, parts: PartsNeeded) -> ActorShown:
    """Make a person or an agent known, so that they can join channels. `settings` are the connector's."""
    if given.connector not in parts.hub.connectors.names:
        known = ", ".join(parts.hub.connectors.names)
        raise InvalidInput(f"There is no connector {given.connector}.", hint=f"There are: {known}.", field="connector")
    # Settings that the connector cannot be opened with are refused now, not at its first turn.
    parts.hub.connectors.of(
        Actor(
            id=given.id or "",
            name=given.name,
            kind=given.kind,
            connector=given.connector,
            settings=dict(given.settings),
        )
    )
    actor = await parts.rooms.add_actor(
        given.name, given.kind, given.connector, actor_id=given.id, settings=dict(given.settings)
    )
    return _shown(parts, actor)


@router.get("/actors/connectors")
async def list_connectors(parts: PartsNeeded) -> Page[str]:
    """The names of the agent connectors that are installed."""
    return Page(items=parts.hub.connectors.names)


@router.post("/channels/{channel_id}/members", status_code=201)
async def join(channel_id: str, given: MemberGiven, parts: PartsNeeded) -> Page[str]:
    """Let an actor join a channel; the channel's members."""
    await parts.rooms.join(channel_id, given.actor_id)
    parts.hub.swarm.wake()
    return Page(items=list((await parts.rooms.channel(channel_id)).members))


@router.delete("/channels/{channel_id}/members/{actor_id}")
async def leave(channel_id: str, actor_id: str, parts: PartsNeeded) -> Page[str]:
    """Let an actor leave a channel; the channel's members."""
    await parts.rooms.leave(channel_id, actor_id)
    return Page(items=list((await parts.rooms.channel(channel_id)).members))


def _shown(parts: Parts, actor: Actor) -> ActorShown:
    try:
        online = parts.hub.connectors.of(actor).identity().online
    except (Exception, SystemExit):  # noqa: BLE001  (not installed, wrongly set, or somebody else's and broken)
        online = False
    return ActorShown(
        id=actor.id,
        name=actor.name,
        kind=actor.kind,
        connector=actor.connector,
        # Of people nobody can know; they are there as far as Prime is concerned.
        online=online is not False,
    )
