"""NI-2: two runs that differ only outside a channel's view give the channel the same transcript, declared releases aside.

The hub as a whole runs here: war room, swarm, engine. What differs is a second channel that the first must not learn
of: what is said there, its brief, its questions. Timing is not promised, so one transcript may be ahead of the other.
"""

import hashlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prime.app import MIGRATIONS, PROJECTIONS
from prime.connectors.agents import echo, llm_generic
from prime.core.clock import FakeClock
from prime.hub.connector import Connectors
from prime.hub.house import HubSetup, build_hub
from prime.hub.pace import Pace, fixed
from prime.hub.warroom import Reachable
from prime.mind.jobs.judging import Judgement, Judgements, JudgeRequest
from prime.mind.jobs.planning import Plan, PlannedChannel, PlannedParticipant, PlanRequest
from prime.mind.jobs.speaking import Reply, ReplyRequest
from prime.mind.offline import OfflineMind
from prime.mind.protocol import Mind
from prime.mind.spend import Caps, SpendGuard
from prime.rooms.questions import Questions
from prime.rooms.rooms import Rooms
from prime.rooms.tier import Tier
from prime.store.folder import DataFolder
from prime.store.store import Store

SECRETS = ["the margin is 40 percent", "we would pay 90,000", "the rival offers less", "底价是五万", "hello"]
FIGURES = {"the margin is 40 percent", "we would pay 90,000", "底价是五万"}
WORDS = ["We like it.", "It is ready.", "Shall we go on?", "What is the price?", "Thanks!", "The lamp weighs 2 kg."]


@dataclass(frozen=True)
class Hidden:
    """What the two runs differ in."""

    brief: str
    lines: tuple[str, ...]


class Recording(OfflineMind):
    """A model as far as its callers can tell: everything it is shown changes what it says. It keeps what it was shown."""

    name = "recording"

    def __init__(self, hidden: Hidden, tier: Tier) -> None:
        self._hidden = hidden
        self._tier: Tier = tier
        self.shown: list[str] = []

    async def plan(self, request: PlanRequest) -> Plan:
        team = PlannedChannel(
            key="team", name="Team", tier="team", participants=(_somebody("Tess"),), brief=self._hidden.brief
        )
        other = PlannedChannel(
            key="other",
            name="Other",
            tier=self._tier,
            participants=(_somebody("Olga"),),
            brief="Sell the lamp.",
        )
        return Plan(title="t", summary="s", words="On it.", channels=(team, other))

    async def reply(self, request: ReplyRequest) -> Reply:
        if request.speaker == "Tess":
            said = sum(line.own for line in request.lines)
            return Reply(text=self._hidden.lines[said] if said < len(self._hidden.lines) else "")
        if len(request.lines) > 9:
            return Reply(text="")
        shown = repr((request.speaker, request.channel_name, request.tier, request.brief, sorted(request.facts.items()),
                      [(line.speaker, line.text, line.own, line.quoted) for line in request.lines], request.seed))  # fmt: skip
        if request.channel_name == "Other":
            self.shown.append(shown)
        digest = hashlib.sha256(shown.encode()).digest()
        return Reply(text=f"{WORDS[digest[0] % len(WORDS)]} {digest[1]}")

    async def judge(self, request: JudgeRequest) -> Judgements:
        """Looks at everything, also at what is said elsewhere, as a real one does."""
        elsewhere = repr([line.text for line in request.elsewhere])
        weight = hashlib.sha256(elsewhere.encode()).digest()[0] / 255
        return Judgements(
            items=tuple(
                Judgement(
                    message_id=line.message_id,
                    decision="ask" if "?" in line.text else "surface",
                    necessity=weight,
                    reason=elsewhere,
                    text=f"{line.text} {elsewhere}",
                    self_answer=f"Know that {elsewhere}." if "?" in line.text else None,
                )
                for line in request.lines
                if not line.own
            )
        )


def _somebody(name: str) -> PlannedParticipant:
    return PlannedParticipant(name=name, role="seller")


class _Nobody:
    async def agents(self, limit: int) -> Sequence[Reachable]:
        return ()

    async def invite(self, agent_id: str, channel_id: str) -> str:
        raise AssertionError


async def run(mind: Mind, wish: str, turns: int) -> list[tuple[str, str]]:
    """The transcript of `Other`: (kind, text)."""
    clock = FakeClock()
    with tempfile.TemporaryDirectory() as folder:
        store = await Store.open(DataFolder(Path(folder)), None, clock, projections=PROJECTIONS, migrations=MIGRATIONS)
        try:
            rooms = Rooms(store)
            await rooms.open()
            setup = HubSetup(
                store=store,
                rooms=rooms,
                questions=Questions(store, clock),
                mind=mind,
                connectors=Connectors(
                    {"llm_generic": lambda actor: llm_generic.LlmGeneric(actor, mind), "echo": echo.Echo}
                ),
                outside=_Nobody(),
                spend=SpendGuard(store.database, Caps(10_000, 1)),
                clock=clock,
                pace=fixed(Pace(autostop_ms=0)),
            )
            hub = build_hub(setup)
            await hub.say(wish)
            await hub.settle()
            for _ in range(turns):
                await hub.swarm.tick()
                clock.advance(10)
                await hub.engine.run()
            channel = next(c for _, c in await rooms.channels() if c.name == "Other")
            visible = await store.log.page(channel.id, limit=500, kinds=["text", "brief"], audience="room")
            return [(m.kind, m.text) for m in visible]
        finally:
            await store.close()


def until_release(transcript: list[tuple[str, str]]) -> list[str]:
    """What was said before the second brief: from there on a declared release may make a difference."""
    said: list[str] = []
    briefs = 0
    for kind, text in transcript:
        briefs += kind == "brief"
        if briefs > 1:
            break
        said.append(text)
    return said


def same_so_far(one: list[str], two: list[str]) -> bool:
    shared = min(len(one), len(two))
    return one[:shared] == two[:shared]


LOWER: st.SearchStrategy[Tier] = st.sampled_from(("external", "business_relation"))
hidden = st.builds(
    Hidden, st.sampled_from(SECRETS), st.lists(st.sampled_from(SECRETS), max_size=3, unique=True).map(tuple)
)


@given(one=hidden, two=hidden, tier=LOWER)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
async def test_two_runs_give_the_channel_the_same_transcript(one: Hidden, two: Hidden, tier: Tier) -> None:
    minds = Recording(one, tier), Recording(two, tier)
    first, second = [await run(mind, "Go", 7) for mind in minds]
    assert len(first) > 1, "the run must say something"
    assert same_so_far(until_release(first), until_release(second))


@given(one=hidden, tier=LOWER)
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
async def test_nothing_hidden_is_shown_to_a_mind_that_speaks_there(one: Hidden, tier: Tier) -> None:
    mind = Recording(one, tier)
    transcript = await run(mind, "Go", 7)
    released = [text for kind, text in transcript if kind == "brief"]
    for secret in {one.brief, *one.lines} - {"hello"}:
        leaked = [shown for shown in mind.shown if secret in shown]
        # What a self-answer took from elsewhere went down as a brief, through the clamp, and nothing else did.
        assert not leaked or any(secret in text for text in released)
        # And no figure did: a mind may have been talked into telling it.
        assert secret not in FIGURES or not any(secret in text for text in [*mind.shown, *released])


async def test_the_harness_notices_a_mind_that_is_shown_more() -> None:
    class Leaky(Recording):
        async def reply(self, request: ReplyRequest) -> Reply:
            if request.channel_name == "Other" and request.speaker == "Olga":
                return Reply(text=f"I heard that {self._hidden.brief}.")
            return await super().reply(request)

    one, two = Hidden("a secret", ()), Hidden("another secret", ())
    first, second = await run(Leaky(one, "external"), "Go", 5), await run(Leaky(two, "external"), "Go", 5)
    assert not same_so_far(until_release(first), until_release(second))


async def test_the_offline_mind_gives_the_same_transcript_whatever_the_owner_knows() -> None:
    class Offline(OfflineMind):
        """The offline engine speaks; only the plan is fixed, so that there are two rooms."""

        def __init__(self, secret: str) -> None:
            super().__init__()
            self._secret = secret

        async def plan(self, request: PlanRequest) -> Plan:
            return await Recording(Hidden(self._secret, ()), "external").plan(request)

    first = await run(Offline("Our margin is 40 percent."), "Go", 6)
    second = await run(Offline("Pay up to 90,000."), "Go", 6)
    assert same_so_far(until_release(first), until_release(second))
