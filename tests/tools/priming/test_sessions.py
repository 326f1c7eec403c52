"""Which session is primed, what happens in one that is not, and that priming twice changes nothing."""

import json
import random
from typing import Any

import pytest

from prime.core.clock import FakeClock
from prime.tools.pipeline.stored import StoredPrimed
from prime.tools.priming import PrimeRequest
from prime.tools.priming.sessions import PrimedSessions, PrimeRequired
from prime.tools.tables import TOOLS_MIGRATIONS


def _without_expiry(answer: Any) -> str:
    answer["session"].pop("expiresAt")
    return json.dumps(answer)


@pytest.mark.holds("D-DIR-3")
async def test_a_thousand_requests_are_answered_the_same_but_for_the_expiry(clock: FakeClock) -> None:
    sessions = PrimedSessions("strict", clock)
    chance = random.Random(4)
    first: dict[tuple[str, str], str] = {}
    for _ in range(1000):
        agent, session = f"agent-{chance.randrange(10)}", f"session-{chance.randrange(20)}"
        request = PrimeRequest(
            agent_id=agent,
            session_id=session,
            locale=chance.choice([None, "en-US", "zh-CN"]),
            user_role=chance.choice(["end_user", "admin", "system"]),
            metadata=chance.choice([None, {"n": chance.random()}]),
        )
        clock.advance(chance.random())
        answer = _without_expiry(await sessions.prime(request))
        assert first.setdefault((agent, session), answer) == answer
    assert len(first) > 150


@pytest.mark.holds("D-DIR-1")
async def test_strict_refuses_and_says_how_to_go_on(clock: FakeClock) -> None:
    sessions = PrimedSessions("strict", clock)
    with pytest.raises(PrimeRequired) as caught:
        await sessions.ready("a", "s")
    assert caught.value.error_code == "prime_required"
    assert "/api/tools/prime" in str(caught.value.hint)
    await sessions.prime(PrimeRequest(agent_id="a", session_id="s"))
    assert await sessions.ready("a", "s") is None


@pytest.mark.holds("D-DIR-4")
async def test_a_session_is_an_agent_and_a_session_together(clock: FakeClock) -> None:
    sessions = PrimedSessions("strict", clock)
    await sessions.prime(PrimeRequest(agent_id="a", session_id="s"))
    assert await sessions.is_primed("a", "s")
    assert not await sessions.is_primed("b", "s")
    assert not await sessions.is_primed("a", "t")
    assert not await sessions.is_primed("as", "")


async def test_auto_gives_the_directives_once_and_off_never(clock: FakeClock) -> None:
    auto = PrimedSessions("auto", clock)
    directives = await auto.ready("a", "s")
    assert directives is not None
    assert directives["toolName"] == "prime"
    assert await auto.ready("a", "s") is None
    assert await PrimedSessions("off", clock).ready("a", "s") is None


async def test_priming_expires(clock: FakeClock) -> None:
    sessions = PrimedSessions("strict", clock, lifetime_s=60)
    await sessions.prime(PrimeRequest(agent_id="a", session_id="s"))
    clock.advance(59)
    assert await sessions.is_primed("a", "s")
    clock.advance(2)
    assert not await sessions.is_primed("a", "s")


async def test_a_restart_forgets_no_session(open_store: Any, clock: FakeClock) -> None:
    store = await open_store(migrations=TOOLS_MIGRATIONS)
    await PrimedSessions("strict", clock, StoredPrimed(store, clock)).prime(
        PrimeRequest(agent_id="a\0", session_id="s")
    )
    await store.close()
    store = await open_store(migrations=TOOLS_MIGRATIONS)
    again = PrimedSessions("strict", clock, StoredPrimed(store, clock))
    assert await again.is_primed("a\0", "s")
    clock.advance(25 * 3600)
    assert not await again.is_primed("a\0", "s")
