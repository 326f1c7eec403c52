"""The war room: the owner's words become a plan, the plan becomes channels with briefs.

The plan is logged first, with every id in it; what it asks for is then made from it under keys of its own. So a process
that died in between goes on where it stopped, and nothing is planned or made twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol, cast

from prime.core.clock import Clock
from prime.core.ids import new_id
from prime.hub.speaking import objects_of
from prime.hub.swarm.turns import usage_of
from prime.hub.underway import with_what_is_there
from prime.mind.jobs.judging import KnownQuestion
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import KnownAgent, Plan, PlannedChannel, PlanRequest
from prime.mind.protocol import Mind
from prime.rooms.briefs import Brief
from prime.rooms.questions import Questions
from prime.rooms.records import HUB, OWNER, PRIME, Actor, ChannelDraft
from prime.rooms.rooms import Rooms, actor_message, channel_message, plain_name
from prime.rooms.tier import TIERS, Tier, parse_tier
from prime.store.leases import Lease
from prime.store.message import Message, NewMessage
from prime.store.store import Store

REMOTE = "prime_message"
# What is left of a name whose words were erased.
UNNAMED = "Participant"
UNTITLED = "Conversation"
MOST_CHANNELS = 24
MOST_PARTICIPANTS = 12
AGENTS = 200


@dataclass(frozen=True, slots=True)
class Reachable:
    """An agent that can be brought in, and how far this instance's owner trusts it."""

    agent: KnownAgent
    tier: Tier


class Outside(Protocol):
    """The agents of the network."""

    async def agents(self, limit: int) -> Sequence[Reachable]: ...

    async def invite(self, agent_id: str, channel_id: str) -> str:
        """Make a channel a conversation with this agent; its actor's id. Twice is as good as once."""
        ...


class WarRoom:
    def __init__(
        self, store: Store, rooms: Rooms, questions: Questions, mind: Mind, outside: Outside, clock: Clock
    ) -> None:
        self._store = store
        self._rooms = rooms
        self._questions = questions
        self._mind = mind
        self._outside = outside
        self._clock = clock

    async def plan(self, said: Message, lines: Sequence[Line]) -> Plan:
        """Ask the mind what is to be done about the owner's words."""
        today = datetime.fromtimestamp(self._clock.now_ms() / 1000, UTC).date().isoformat()
        reachable = await self._outside.agents(AGENTS)
        request = PlanRequest(
            wish=said.text,
            lines=lines,
            agents=[each.agent for each in reachable],
            pending=[KnownQuestion(id=q.id, text=q.text) for q in await self._questions.waiting()],
            today=today,
        )
        request = await with_what_is_there(request, self._store, self._rooms)
        return sensible(await self._mind.plan(request), request, reachable)

    def message(self, said: Message, plan: Plan, words: str) -> NewMessage:
        """The plan as it is logged: everything that is to be made has its id already."""
        body: dict[str, object] = {
            "title": plan.title,
            "summary": plan.summary,
            "channels": [_channel_body(channel) for channel in plan.channels],
            "closing": list(plan.closing),
            "telling": [{"channelId": t.channel_id, "text": t.text, "facts": dict(t.facts)} for t in plan.telling],
            "reopening": list(plan.reopening),
            "aims": dict(plan.aims),
        }
        if plan.project is not None:
            body["project"] = plan.project
        if usage := usage_of(plan.usage):
            body["usage"] = usage
        return NewMessage(
            channel_id=HUB,
            actor_id=PRIME,
            kind="plan",
            text=words,
            body=body,
            sources=(said.id,),
            idempotency_key=f"answer/{said.id}",
        )

    async def carry_out(self, plan: Message, lease: Lease | None = None) -> None:
        """Make what a plan asks for, as far as it is not there yet."""
        messages: list[NewMessage] = []
        for channel in objects_of(plan.body.get("channels")):
            messages += await self._channel_messages(plan, channel)
        for channel_id in _texts(plan.body.get("closing")):
            messages.append(_closing(plan, channel_id))
        for channel_id in _texts(plan.body.get("reopening")):
            messages.append(_reopening(plan, channel_id))
        for told in objects_of(plan.body.get("telling")):
            messages += await self._told(plan, told)
        if messages:
            await self._store.log.append(*messages, lease=lease)

    async def _channel_messages(self, plan: Message, channel: Mapping[str, object]) -> list[NewMessage]:
        channel_id, tier = str(channel["channelId"]), parse_tier(str(channel["tier"]))
        members: list[str] = []
        messages: list[NewMessage] = []
        for participant in objects_of(channel.get("participants")):
            if participant["connector"] == REMOTE:
                members.append(await self._outside.invite(str(participant["agentId"]), channel_id))
                continue
            actor = Actor(
                id=str(participant["actorId"]),
                name=str(participant["name"]),
                kind="human" if participant["connector"] == "echo" else "agent",
                connector=str(participant["connector"]),
            )
            # The name comes second: it may be the owner's words, and is then forgotten with them.
            messages.append(actor_message(replace(actor, name=UNNAMED), key=f"plan/{plan.id}/{actor.id}"))
            named = actor_message(actor, key=f"plan/{plan.id}/{actor.id}/name")
            messages.append(replace(named, sources=(plan.id, *plan.sources)))
            members.append(actor.id)
        name = self._name(channel, tier)
        draft = ChannelDraft(
            id=channel_id, name=UNTITLED, kind="dm" if len(members) == 1 else "group", tier=tier, members=tuple(members)
        )
        brief = Brief(
            channel_id=channel_id,
            tier=tier,
            text=str(channel["brief"]),
            facts={str(k): str(v) for k, v in cast("dict[str, object]", channel["facts"]).items()},
            sources=(plan.id, *plan.sources),
            key=f"plan/{plan.id}",
        )
        told = self._rooms.briefs.tell(brief)
        briefs = told.messages
        if not told.text.strip() and (unnamed := self._rooms.briefs.tell(_unnamed(brief))).text.strip():
            # It was the name of the matter that the tier may not know; what the room is for can be said without it.
            briefs = (unnamed.messages[0], *briefs)
        elif not told.text.strip():
            # Everything was held back; that there is a conversation is not a secret in it.
            briefs = (*self._rooms.briefs.tell(replace(brief, text="", about=name, facts={})).messages, *briefs)
        made = channel_message(draft, key=f"plan/{plan.id}")
        return [*messages, made, _titled(plan, channel_id, name), *briefs]

    async def _told(self, plan: Message, told: Mapping[str, object]) -> Sequence[NewMessage]:
        """What has changed, as far as this channel may know it."""
        channel = await self._rooms.channel(str(told["channelId"]))
        facts = cast("dict[str, object]", told.get("facts") or {})
        brief = Brief(
            channel_id=channel.id,
            tier=channel.tier,
            text=str(told["text"]),
            facts={str(name): str(value) for name, value in facts.items()},
            sources=(plan.id, *plan.sources),
            key=f"plan/{plan.id}/told",
            course=channel.course,
        )
        return self._rooms.briefs.tell(brief).messages

    def _name(self, channel: Mapping[str, object], tier: Tier) -> str:
        """The channel's name as far as those in it may see it."""
        name = str(channel["name"])
        if not self._rooms.briefs.clamp.apply(name, tier).removed:
            return name
        people = ", ".join(str(each["name"]) for each in objects_of(channel.get("participants")))
        return _named(people or "Conversation")


def sensible(plan: Plan, asked: PlanRequest, agents: Sequence[Reachable]) -> Plan:
    """The plan without what cannot be: keys that are taken, agents nobody knows, channels that are not open."""
    open_keys, closed = {c.id: c.key for c in asked.channels}, {c.id for c in asked.closed}
    known: dict[str, Tier] = {each.agent.id: each.tier for each in agents}
    kept: dict[str, PlannedChannel] = {}
    for channel in plan.channels:
        for each in _one_remote_each(channel, known):
            if each.key and each.key not in open_keys.values() and each.key not in kept and len(kept) < MOST_CHANNELS:
                kept[each.key] = each
    closing = tuple(dict.fromkeys(each for each in plan.closing if each in open_keys))
    reopening = tuple(dict.fromkeys(each for each in plan.reopening if each in closed))
    heard = {*open_keys, *reopening}.difference(closing)
    return replace(
        plan,
        title=plan.title[:200],
        channels=tuple(kept.values()),
        closing=closing,
        reopening=reopening,
        project=plan.project if plan.project in {"", *(each.id for each in asked.projects)} else None,
        telling=tuple(told for told in plan.telling if told.channel_id in heard),
    )


def _one_remote_each(channel: PlannedChannel, known: Mapping[str, Tier]) -> list[PlannedChannel]:
    """A conversation with a remote agent is with that one: further ones get a channel of their own.

    A plan may trust an agent less than the owner does, never more.
    """
    local = [p for p in channel.participants if p.connector != REMOTE][:MOST_PARTICIPANTS]
    remote = [p for p in channel.participants if p.connector == REMOTE and p.agent_id in known]
    plain = replace(channel, name=_named(channel.name), tier=parse_tier(channel.tier))
    first = replace(plain, participants=(*local, *remote[:1]))
    others = [
        replace(plain, key=f"{channel.key}/{p.agent_id}", name=_named(f"{channel.name}: {p.name}"), participants=(p,))
        for p in remote[1:]
    ]
    return [_trusted(each, known) for each in (first, *others)]


def _trusted(channel: PlannedChannel, known: Mapping[str, Tier]) -> PlannedChannel:
    tiers = [known[p.agent_id] for p in channel.participants if p.connector == REMOTE and p.agent_id]
    return replace(channel, tier=TIERS[min(map(TIERS.index, (channel.tier, *tiers)))])


def _channel_body(channel: PlannedChannel) -> dict[str, object]:
    return {
        "key": channel.key,
        "channelId": new_id("ch"),
        "name": channel.name,
        "tier": channel.tier,
        "brief": channel.brief,
        "facts": _facts(channel),
        "participants": [
            {
                "actorId": new_id("act"),
                "name": _named(each.name),
                "role": each.role,
                "connector": each.connector,
                "agentId": each.agent_id,
            }
            for each in channel.participants
        ],
    }


def _facts(channel: PlannedChannel) -> dict[str, str]:
    """The channel's facts, and who plays which part where there are several."""
    facts = {str(name): str(value) for name, value in channel.facts.items()}
    if len(channel.participants) == 1:
        facts.setdefault("role", channel.participants[0].role)
    elif channel.participants:
        facts |= {f"role:{_named(each.name)}": each.role for each in channel.participants}
    return {name: value for name, value in facts.items() if value}


def _unnamed(brief: Brief) -> Brief:
    """The same brief with the matter called only that."""
    matter = "这件事" if any("\u4e00" <= c <= "\u9fff" for c in brief.text) else "this matter"
    text, facts = brief.text, dict(brief.facts)
    for name in ("project", "thing"):
        if called := facts.pop(name, ""):
            text = text.replace(called, matter)
    return replace(brief, text=text, facts=facts)


def _titled(plan: Message, channel_id: str, name: str) -> NewMessage:
    """The channel's name as a message of its own, which can be forgotten with the words that it was made of."""
    return NewMessage(
        channel_id=channel_id,
        actor_id=OWNER,
        kind="channel",
        audience="hub",
        body={"op": "renamed", "name": name},
        sources=(plan.id, *plan.sources),
        idempotency_key=f"plan/{plan.id}/name",
    )


def _closing(plan: Message, channel_id: str) -> NewMessage:
    return NewMessage(
        channel_id=channel_id,
        actor_id=OWNER,
        kind="channel",
        audience="hub",
        body={"op": "closed", "closed": True},
        sources=(plan.id,),
        idempotency_key=f"plan/{plan.id}/closed",
    )


def _reopening(plan: Message, channel_id: str) -> NewMessage:
    return NewMessage(
        channel_id=channel_id,
        actor_id=OWNER,
        kind="channel",
        audience="hub",
        body={"op": "reopened", "closed": False},
        sources=(plan.id,),
        idempotency_key=f"plan/{plan.id}/reopened",
    )


def _named(name: str) -> str:
    shown = " ".join("".join(c if c.isprintable() else " " for c in name).split())[:120]
    return plain_name(shown or "Somebody")


def _texts(value: object) -> list[str]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [item for item in items if isinstance(item, str)]
