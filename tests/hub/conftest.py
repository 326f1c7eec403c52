"""A hub over a real store, with a mind that does what a test says."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from prime.app import MIGRATIONS, PROJECTIONS
from prime.connectors.agents import echo, llm_generic
from prime.core.clock import FakeClock
from prime.hub.connector import Connectors, Opener
from prime.hub.house import HubSetup, build_hub
from prime.hub.hub import Hub
from prime.hub.pace import Pace, PaceSource, fixed
from prime.hub.warroom import Reachable
from prime.mind.jobs.judging import Judgement, Judgements, JudgeRequest, RuleRequest
from prime.mind.jobs.keeping import Written
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import Plan, PlannedChannel, PlannedParticipant, PlanRequest
from prime.mind.jobs.speaking import Reply, ReplyRequest
from prime.mind.offline import OfflineMind
from prime.mind.spend import Caps, SpendGuard
from prime.rooms.questions import Questions
from prime.rooms.records import HUB, Channel
from prime.rooms.rooms import Rooms
from prime.store.folder import DataFolder
from prime.store.message import Kind, Message
from prime.store.store import Store


class ScriptedMind(OfflineMind):
    """Says what it is told to say; what is not told is quiet."""

    name = "scripted"

    def __init__(self) -> None:
        self.plans: list[Plan] = []
        self.lines: dict[str, list[str]] = {}
        self.replies: list[ReplyRequest] = []
        self.requests: list[JudgeRequest] = []
        self.planned: list[PlanRequest] = []
        self.verdicts: Callable[[Line], Judgement | None] = lambda _: None
        self.answering: Callable[[ReplyRequest], str] | None = None

    async def plan(self, request: PlanRequest) -> Plan:
        self.planned.append(request)
        return self.plans.pop(0) if self.plans else Plan(title="", summary="", words="Noted.")

    async def reply(self, request: ReplyRequest) -> Reply:
        self.replies.append(request)
        if self.answering:
            return Reply(text=self.answering(request))
        left = self.lines.get(request.speaker, [])
        return Reply(text=left.pop(0) if left else "")

    async def judge(self, request: JudgeRequest) -> Judgements:
        self.requests.append(request)
        found = [self.verdicts(line) for line in request.lines if not line.own]
        return Judgements(items=tuple(each for each in found if each))

    async def distill_rule(self, request: RuleRequest) -> Written:
        return Written(text=f"{request.question.rstrip('?')}: {request.answer}")


class NobodyOutside:
    """No network."""

    def __init__(self) -> None:
        self.known: list[Reachable] = []

    async def agents(self, limit: int) -> Sequence[Reachable]:
        return self.known[:limit]

    async def invite(self, agent_id: str, channel_id: str) -> str:
        raise AssertionError


@dataclass
class House:
    """A hub with everything a test looks at."""

    store: Store
    rooms: Rooms
    questions: Questions
    hub: Hub
    mind: ScriptedMind
    clock: FakeClock
    spend: SpendGuard
    extra: dict[str, Opener] = field(default_factory=dict[str, Opener])

    async def say(self, text: str) -> Message:
        said = await self.hub.say(text)
        await self.hub.settle()
        return said

    async def channel(self, name: str) -> Channel:
        return next(c for _, c in await self.rooms.channels() if c.name == name)

    async def log(self, channel_id: str = HUB, *kinds: Kind) -> list[Message]:
        return await self.store.log.page(channel_id, limit=500, kinds=kinds or None)

    async def spoken(self, channel_id: str) -> list[str]:
        return [m.text for m in await self.log(channel_id, "text")]

    async def turn(self, seconds: float = 10) -> None:
        """A tick, and what the engine makes of it."""
        await self.hub.swarm.tick()
        self.clock.advance(seconds)
        await self.hub.engine.run()


OpenHouse = Callable[..., Awaitable[House]]
PlanOf = Callable[..., Plan]
Ask = Callable[..., Callable[[Line], Judgement | None]]


async def make_house(
    store: Store, clock: FakeClock, mind: ScriptedMind, pace: PaceSource, openers: dict[str, Opener], caps: Caps
) -> House:
    rooms = Rooms(store)
    await rooms.open()
    questions = Questions(store, clock)
    spend = SpendGuard(store.database, caps, clock)
    own: dict[str, Opener] = {
        "llm_generic": lambda actor: llm_generic.LlmGeneric(actor, mind),
        "echo": echo.Echo,
        **openers,
    }
    hub = build_hub(
        HubSetup(
            store=store,
            rooms=rooms,
            questions=questions,
            mind=mind,
            connectors=Connectors(own),
            outside=NobodyOutside(),
            spend=spend,
            clock=clock,
            pace=pace,
        )
    )
    return House(store, rooms, questions, hub, mind, clock, spend)


@pytest.fixture
async def open_house(tmp_path: Path, clock: FakeClock) -> AsyncIterator[OpenHouse]:
    """Opens hubs over the same folder, as often as a test likes."""
    async with AsyncExitStack() as stack:

        async def open_one(
            pace: Pace | PaceSource | None = None,
            mind: ScriptedMind | None = None,
            url: str | None = None,
            cap: int = 400,
            dollars: float = 0,
            **openers: Opener,
        ) -> House:
            store = await Store.open(
                DataFolder(tmp_path / "data"), url, clock, projections=PROJECTIONS, migrations=MIGRATIONS
            )
            stack.push_async_callback(store.close)
            source = fixed(pace or Pace(autostop_ms=0)) if pace is None or isinstance(pace, Pace) else pace
            return await make_house(store, clock, mind or ScriptedMind(), source, openers, Caps(cap, 14, dollars))

        yield open_one


@pytest.fixture
async def house(open_house: OpenHouse) -> House:
    return await open_house()


def planned(*channels: PlannedChannel, words: str = "On it.", **more: object) -> Plan:
    return Plan(title="A fair", summary="s", words=words, channels=channels, **more)  # pyright: ignore[reportArgumentType]


@pytest.fixture
def plan_of() -> Callable[..., Plan]:
    return planned


@pytest.fixture
def partner() -> PlannedChannel:
    """A business conversation with one counterpart."""
    return PlannedChannel(
        key="partner",
        name="Partner",
        tier="business_relation",
        participants=(PlannedParticipant(name="Maria", role="supplier"),),
        brief="Agree on a stand. Our budget is 9,000.",
        facts={"archetype": "event", "budget": "9,000"},
    )


@pytest.fixture
def ask() -> Callable[..., Callable[[Line], Judgement | None]]:
    """Judges lines with a question mark as questions."""

    def make(
        necessity: float = 0.9, self_answer: str | None = None, rule_id: str | None = None
    ) -> Callable[[Line], Judgement | None]:
        def verdict(line: Line) -> Judgement | None:
            if "?" not in line.text:
                return None
            return Judgement(
                message_id=line.message_id,
                decision="ask",
                necessity=necessity,
                reason="a direct question",
                text=line.text,
                self_answer=self_answer,
                rule_id=rule_id,
            )

        return verdict

    return make
