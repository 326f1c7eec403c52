"""Feed, questions, rules, counters and the swarm's state are the same after `prime rebuild`, on both databases."""

from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from tests.hub.conftest import House

from prime.hub.directive.queries import DirectiveProjection
from prime.hub.learning import OwnersAnswer
from prime.hub.metrics.queries import MetricsProjection
from prime.hub.queries import FeedProjection
from prime.hub.swarm.queries import SwarmProjection
from prime.mind.jobs.judging import Judgement
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import Plan, PlannedChannel
from prime.rooms.queries import RoomsProjection
from prime.rooms.records import HUB, OWNER, PRIME
from prime.store.message import Kind, NewMessage
from prime.store.store import Store

PROJECTIONS = (RoomsProjection(), FeedProjection(), DirectiveProjection(), SwarmProjection(), MetricsProjection())
CHANNELS = (HUB, "ch_a", "ch_b", "ch_pp_x_1")
ACTORS = (OWNER, PRIME, "act_x", "act_y")
IDS = st.sampled_from(["q_1", "q_2", "rule_1", "rule_2", "msg_1", "act_x"])
_value = st.one_of(
    IDS, st.integers(-5, 10**13), st.booleans(), st.none(), st.text(max_size=4), st.lists(IDS, max_size=2)
)
_KEYS = [
    "op", "outcome", "decision", "questionId", "ruleId", "heldId", "upTo", "retryAt", "kind", "status", "answers", "asking",
    "actorId", "until", "after", "because", "code", "aims", "channels", "members", "closed", "course", "usage", "text",
    "question", "fromQuestionId", "title", "removed", "reason", "necessity", "actor", "dialog", "project", "reopening",
]  # fmt: skip
_OPS = ["created", "joined", "left", "paused", "resumed", "passed", "failed", "asked", "rested", "learned", "edited",
        "revoked", "restored", "actor"]  # fmt: skip
_OUTCOMES = ["surfaced", "auto_resolved", "asked", "joined", "held", "silent", "failed"]


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, object]:
    body = draw(st.dictionaries(st.sampled_from(_KEYS), _value, max_size=4))
    body |= draw(st.fixed_dictionaries({}, optional={"op": st.sampled_from(_OPS), "questionId": IDS, "ruleId": IDS}))
    body |= draw(
        st.fixed_dictionaries({}, optional={"outcome": st.sampled_from(_OUTCOMES), "kind": st.just("decision")})
    )
    more: dict[str, st.SearchStrategy[object]] = {
        "upTo": st.integers(0, 60), "heldId": IDS, "decision": st.just("ask"), "asking": st.just({"line": "x"}),
        "aims": st.sampled_from([{"budget": "9"}, {"thing": "a fair"}]), "usage": st.just({"calls": 1, "microDollars": 5}),
        "members": st.lists(st.sampled_from(ACTORS), max_size=3), "actorId": st.sampled_from(ACTORS),
        "channels": st.just([{"key": "k", "channelId": "ch_a"}]), "tier": st.just("team"), "name": st.just("n"),
        "project": st.sampled_from(["", "msg_1"]),
    }  # fmt: skip
    return body | draw(st.fixed_dictionaries({}, optional=more))


@st.composite
def messages(draw: st.DrawFn) -> NewMessage:
    kinds: list[Kind] = [
        "text", "brief", "channel", "membership", "decision", "question", "answer", "rule", "system", "plan", "thought",
    ]  # fmt: skip
    return NewMessage(
        channel_id=draw(st.sampled_from(CHANNELS)),
        actor_id=draw(st.sampled_from(ACTORS)),
        kind=draw(st.sampled_from(kinds)),
        audience=draw(st.sampled_from(["room", "hub"])),
        text=draw(st.sampled_from(["", "Thanks!", "Shall we paint the door?", "The price is 5,000."])),
        body=draw(bodies()),
        sources=draw(st.lists(IDS, max_size=2)),
    )


async def everything(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables, in an order of their own."""

    def job(connection: object) -> dict[str, list[tuple[object, ...]]]:
        execute = cast("Callable[..., Sequence[Sequence[object]]]", connection.execute)  # pyright: ignore[reportAttributeAccessIssue]
        tables = [table for projection in PROJECTIONS for table in projection.tables]
        return {t.name: sorted((tuple(row) for row in execute(select(t))), key=repr) for t in tables}

    return await store.projector.read(job, *(p.name for p in PROJECTIONS))


OpenStore = Callable[..., Awaitable[Store]]


@pytest.fixture
async def growing(open_store: OpenStore) -> Store:
    """One log for all examples: each is written behind the ones before it."""
    return await open_store(PROJECTIONS)


@given(log=st.lists(messages(), max_size=40), cuts=st.lists(st.integers(0, 40), max_size=4))
@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
async def test_any_log_folds_the_same_however_it_is_cut(growing: Store, log: list[NewMessage], cuts: list[int]) -> None:
    store = growing
    places = [0, *sorted(cuts), len(log)]
    for begin, end in pairwise(places):
        if log[begin:end]:
            await store.log.append(*log[begin:end])
        await store.projector.read(lambda _: None, *(p.name for p in PROJECTIONS))
    piecemeal = await everything(store)
    await store.projector.rebuild()
    assert await everything(store) == piecemeal


# --- a real run ---


async def test_a_run_is_the_same_after_a_rebuild(
    open_house: Callable[..., Awaitable[House]],
    database_url: str | None,
    partner: PlannedChannel,
    plan_of: Callable[..., Plan],
    ask: Callable[..., Callable[[Line], Judgement | None]],
) -> None:
    house = await open_house(url=database_url)
    house.mind.plans = [plan_of(partner, aims={"budget": "9,000"})]
    house.mind.verdicts = ask()
    house.mind.lines = {
        "Prime": ["Hello", "Good.", "Fine."],
        "Maria": ["Shall I reserve the corner stand?", "Shall I reserve a second corner stand?", "Thanks!"],
    }
    await house.say("Organise the fair")
    for _ in range(2):
        await house.turn()
    [question] = await house.questions.waiting()
    await house.hub.answer(question.id, OwnersAnswer(text="Yes.", make_rule=True))
    for _ in range(5):
        await house.turn()
    before = await everything(house.store)
    assert before["feed_item"]
    assert before["rule"]
    assert before["metric"]
    shown = (await house.hub.feed(), await house.hub.learning.rules(), await house.hub.counters())
    await house.store.projector.rebuild()
    assert await everything(house.store) == before
    assert (await house.hub.feed(), await house.hub.learning.rules(), await house.hub.counters()) == shown
