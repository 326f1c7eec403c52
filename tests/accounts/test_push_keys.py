"""The keys for notifications after a restore without the key that sealed them: Prime comes up, and nothing is lost."""

from collections.abc import Awaitable, Callable

from prime.accounts.push.keys import open_keys
from prime.core.clock import FakeClock
from prime.core.secret_box import SecretBox
from prime.store.secrets import Secrets
from prime.store.store import Store


async def test_another_key_makes_another_pair_and_the_old_one_waits(
    open_store: Callable[..., Awaitable[Store]],
) -> None:
    store = await open_store()
    first, second = (Secrets(store.database, SecretBox.from_value(letter * 32), FakeClock()) for letter in ("a", "b"))
    made = await open_keys(None, None, first)
    other = await open_keys(None, None, second)
    assert other.public != made.public
    assert (await open_keys(None, None, second)).public == other.public
    assert (await open_keys(None, None, first)).public == made.public


async def test_what_nobody_can_open_needs_no_redaction(open_store: Callable[..., Awaitable[Store]]) -> None:
    store = await open_store()
    first, second = (Secrets(store.database, SecretBox.from_value(letter * 32), FakeClock()) for letter in ("a", "b"))
    await first.put("token", "s3cr3t-value")
    await second.put("other", "an0ther-value")
    assert set(await second.values()) == {"an0ther-value"}
