import asyncio
from collections.abc import Awaitable, Callable

import pytest

from prime.core.errors import InvalidInput
from prime.store.store import Store


async def test_set_read_change_and_unset(store: Store) -> None:
    settings = store.live_settings
    assert await settings.get("autonomy") is None
    await settings.put("autonomy", {"mode": "full", "list": [1, 2.5, None, "四"]})
    await settings.put("autonomy", {"mode": "draft"})
    await settings.put("gap", 0)
    await settings.put("off", False)
    assert await settings.all() == {"autonomy": {"mode": "draft"}, "gap": 0, "off": False}
    await settings.put("autonomy", None)
    await settings.put("autonomy", None)
    assert await settings.all() == {"gap": 0, "off": False}


async def test_what_is_not_json_is_refused(store: Store) -> None:
    with pytest.raises(InvalidInput):
        await store.live_settings.put("x", {1, 2})
    with pytest.raises(InvalidInput):
        await store.live_settings.put("x", float("inf"))


async def test_they_stay_and_replicas_do_not_collide(open_store: Callable[..., Awaitable[Store]], store: Store) -> None:
    """On PostgreSQL from four replicas at once; on SQLite, where there is one owner, from many tasks."""
    replicated = store.database.engine_name == "postgresql"
    stores = [store, *[await open_store() for _ in range(3)]] if replicated else [store] * 4
    for round_ in range(5):
        await asyncio.gather(*(s.live_settings.put(f"k{round_}", n) for n, s in enumerate(stores)))
    for s in stores:
        await s.close()
    again = await open_store()
    assert {key: value in range(4) for key, value in (await again.live_settings.all()).items()} == {
        f"k{n}": True for n in range(5)
    }
