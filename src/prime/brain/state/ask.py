"""State as others ask for it: the owner for any channel, a channel's participant for their own."""

from prime.brain.state.queries import STATE, State, read_state
from prime.core.clock import iso
from prime.rooms.views import View, observer
from prime.store.store import Store

_LINKED = 40


async def state(store: Store, channel_id: str, version: int | None = None) -> State | None:
    return await store.projector.read(lambda c: read_state(c, channel_id, version), STATE)


@observer
async def state_from(view: View) -> State | None:
    """The summary of the view's own channel, which is made of what can be seen there."""
    return await view.read(lambda c: read_state(c, view.channel.id), STATE)


def as_markdown(found: State, name: str) -> str:
    """The summary with links to the messages that its newest version took in."""
    links = [f"- [{source}](/c/{found.channel_id}/{source})" for source in found.sources[-_LINKED:]]
    head = f"# {name}\n\n*Version {found.version}, {iso(found.ts)[:16].replace('T', ' ')} UTC*\n\n"
    return "\n".join([head + found.text, "", "## Sources", "", *links, ""])
