"""What runs out, what was taken away and what was never made opens nothing, whichever of two looks at it comes first."""

from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import insert

from prime.accounts import queries
from prime.accounts.guest import queries as guest_queries
from prime.accounts.guest.queries import GuestRow
from prime.accounts.links import LINK_MS, Links
from prime.accounts.queries import SessionRow
from prime.accounts.tables import ACCOUNTS_MIGRATIONS, session_token
from prime.accounts.tokens import Tokens, hashed
from prime.core.clock import FakeClock
from prime.core.errors import Unauthorized
from prime.store.store import Store

OpenStore = Callable[..., Awaitable[Store]]


@pytest.fixture
async def kept(open_store: OpenStore) -> Store:
    return await open_store(migrations=ACCOUNTS_MIGRATIONS)


async def test_a_link_runs_out_between_the_look_at_it_and_its_use(kept: Store) -> None:
    clock = FakeClock()
    digest = hashed(await Links(kept.database, clock, Tokens(b"k")).make())
    good, late = clock.now_ms() + LINK_MS - 1, clock.now_ms() + LINK_MS
    assert await kept.database.read(lambda c: queries.read_link(c, digest, good))
    assert await kept.database.read(lambda c: queries.read_link(c, digest, late)) is None
    assert not await kept.database.write(lambda c: queries.use_link(c, digest, late))
    assert await kept.database.write(lambda c: queries.use_link(c, digest, good))


async def test_an_invitation_runs_out_between_the_look_at_it_and_its_use(kept: Store) -> None:
    row = GuestRow("gst_1", "Ana", None, "act_1", False, 0, None, 10, ("ch_a",))
    await kept.database.write(lambda c: guest_queries.add_guest(c, row, "digest"))
    assert await kept.database.read(lambda c: guest_queries.read_invited(c, "digest", 9))
    assert await kept.database.read(lambda c: guest_queries.read_invited(c, "digest", 10)) is None
    assert not await kept.database.write(lambda c: guest_queries.use_invite(c, "digest", 10))
    assert await kept.database.write(lambda c: guest_queries.use_invite(c, "digest", 9))


async def test_no_token_outlives_its_session(kept: Store) -> None:
    row = SessionRow("ses_1", None, created_at=0, expires_at=10, seen_at=0, device="")
    longer = {"token_hash": "later", "session_id": "ses_1", "made_at": 0, "ends_at": 1000, "used": True}
    await kept.database.write(lambda c: queries.add_session(c, row, "first"))
    await kept.database.write(lambda c: c.execute(insert(session_token).values(longer)) and None)

    async def opens(digest: str, now: int) -> bool:
        return await kept.database.read(lambda c: queries.read_token(c, digest, now)) is not None

    assert [await opens(digest, now) for digest in ("first", "later") for now in (9, 10)] == [True, False] * 2


async def test_a_made_up_link_costs_no_look_at_the_database(kept: Store) -> None:
    links = Links(kept.database, FakeClock(), Tokens(b"k"))
    await kept.close()
    for made_up in ("x" * 65, Tokens(b"other").make("link"), Tokens(b"k").make("session")):
        with pytest.raises(Unauthorized) as refusal:
            await links.use(made_up, None)
        assert refusal.value.error_code == "link_spent"
