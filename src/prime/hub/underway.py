"""What is under way when the owner says something: projects, their rooms and what was said there, and what was closed last."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from prime.core.words import terms
from prime.hub import queries
from prime.hub.directive.queries import DIRECTIVE
from prime.hub.projects.queries import Project, read_projects
from prime.hub.queries import FEED
from prime.hub.speaking import line_of, texts_of
from prime.hub.swarm.queries import SWARM, read_at_work
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import OpenChannel, OpenProject, PlanRequest
from prime.rooms.records import HUB, OWNER, PRIME, Channel
from prime.rooms.rooms import Rooms
from prime.store.store import Store

# Rooms that one question of the owner's is answered from, and how far back.
MOST_NAMED = 4
HEARD = 20
# How far back a plan is looked for whose closing can be taken back.
LATELY = 200


async def with_what_is_there(request: PlanRequest, store: Store, rooms: Rooms) -> PlanRequest:
    """The request with what the log knows of the owner's projects."""
    keys = await store.projector.read(queries.read_planned, FEED)
    there = [c for c in await rooms.all_channels() if c.id in keys]
    closed = await _closed_last(store, rooms, keys)
    projects = await store.projector.read(read_projects, DIRECTIVE)
    at_work = await store.projector.read(read_at_work, SWARM)
    heard = await _heard_in(request.wish, there, store, rooms)
    of = {channel_id: project.id for project in projects for channel_id in project.channels}

    def shown(channel: Channel) -> OpenChannel:
        return OpenChannel(
            id=channel.id,
            key=keys[channel.id],
            name=channel.name,
            tier=channel.tier,
            heard=heard.get(channel.id, ()),
            project=of.get(channel.id, ""),
            at_work=channel.id in at_work,
        )

    known = {of.get(channel.id) for channel in (*there, *closed)}
    return replace(
        request,
        channels=[shown(channel) for channel in there],
        closed=[shown(channel) for channel in closed],
        projects=[await _open_project(store, project) for project in projects if project.id in known],
        aims=projects[-1].aims if projects else {},
    )


async def _open_project(store: Store, project: Project) -> OpenProject:
    # The log keeps the owner's words only as long as the owner does.
    wish = (await store.log.get(project.wish_id)).text if project.wish_id else ""
    return OpenProject(id=project.id, title=project.title, wish=wish, aims=project.aims)


async def _closed_last(store: Store, rooms: Rooms, keys: Mapping[str, str]) -> list[Channel]:
    """What the last plan that closed anything has closed, as far as it is closed still."""
    plans = await store.log.page(HUB, limit=LATELY, kinds=("plan",))
    endings = [ids for plan in plans if (ids := texts_of(plan.body.get("closing")))]
    last: Sequence[str] = endings[-1] if endings else ()
    found = [await rooms.channel(channel_id) for channel_id in last if channel_id in keys]
    return [channel for channel in found if channel.closed]


async def _heard_in(wish: str, channels: Sequence[Channel], store: Store, rooms: Rooms) -> dict[str, list[Line]]:
    """What was said last in the rooms that the owner's words name, by their own name or by somebody's in them."""
    names = {actor.id: actor.name for actor in await rooms.actors()}
    wanted = set(terms(wish))
    named = [c for c in channels if wanted & set(terms(" ".join([c.name, *_others(c, names)])))]
    heard: dict[str, list[Line]] = {}
    for channel in named[:MOST_NAMED]:
        page = await store.log.page(channel.id, limit=HEARD)
        said = [m for m in page if m.kind == "text" and m.actor_id not in {PRIME, OWNER}]
        heard[channel.id] = [line_of(message, names, PRIME) for message in said]
    return heard


def _others(channel: Channel, names: Mapping[str, str]) -> list[str]:
    return [names[each] for each in channel.members if each in names and each not in {PRIME, OWNER}]
