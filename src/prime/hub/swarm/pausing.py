"""Pausing one channel while the others go on. Logged for the hub alone: who talks there learns nothing of it."""

from prime.core.errors import Conflict
from prime.hub.swarm.queries import SWARM, read_swarm_channel, read_switches
from prime.hub.swarm.swarm import Swarm
from prime.rooms.records import OWNER
from prime.store.message import NewMessage
from prime.store.store import Store


async def channel_switches(store: Store) -> dict[str, bool]:
    """The channels that can be paused alone, and whether they are. A dialog is not among them: nobody speaks there unasked."""
    return await store.projector.read(read_switches, SWARM)


async def pause_channel(store: Store, swarm: Swarm, channel_id: str) -> None:
    """Stop one channel at once, until it is resumed; the owner's words there do not wake it."""
    await _switch(store, channel_id, paused=True)
    swarm.drop(channel_id)


async def resume_channel(store: Store, swarm: Swarm, channel_id: str) -> None:
    """Let it go on where it stopped, as far as the swarm runs."""
    await _switch(store, channel_id, paused=False)
    swarm.wake()


async def _switch(store: Store, channel_id: str, *, paused: bool) -> None:
    state = await store.projector.read(lambda c: read_swarm_channel(c, channel_id), SWARM)
    if state is None or state.closed:
        raise Conflict(
            "Nobody speaks by itself in this channel.",
            code="not_driven",
            hint="Pause a channel of a war room, or stop an answer that is being written.",
            channelId=channel_id,
        )
    if state.paused is paused:
        return
    switched = NewMessage(
        channel_id=channel_id,
        actor_id=OWNER,
        kind="system",
        audience="hub",
        text="Paused by you." if paused else "Goes on.",
        body={"op": "paused" if paused else "resumed"},
    )
    await store.log.append(switched)
