"""What people call things: commands print a channel's or an actor's name where the API gives its id."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import cast

from prime.cli.client import Client, Refused
from prime.cli.output import one_line

Shown = dict[str, object]


class Names:
    """Ids and what they are called; what has no name is shown by its id."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = known

    def __getitem__(self, wanted: str) -> str:
        return one_line(self._known.get(wanted) or wanted)


async def names_of(client: Client, channels: Iterable[str]) -> Names:
    """The names of these channels and of all actors."""
    actors, *found = await asyncio.gather(client.get("/api/actors"), *(_channel(client, one) for one in set(channels)))
    people = cast("list[Shown]", actors["items"])
    return Names({str(one["id"]): str(one["name"]) for one in (*people, *found) if one})


async def _channel(client: Client, channel_id: str) -> Shown:
    try:
        return await client.get(f"/api/channels/{channel_id}")
    except Refused:
        return {}  # a result may outlive its channel
