"""The network as the war room needs it."""

from collections.abc import Sequence

from prime.hub.warroom import Reachable
from prime.mind.jobs.planning import KnownAgent
from prime.network.network import Network


class NetworkOutside:
    """The `Outside` of a hub that is in the network."""

    def __init__(self, network: Network) -> None:
        self._network = network

    async def agents(self, limit: int) -> Sequence[Reachable]:
        _, entries = await self._network.directory.page(limit=limit)
        return [
            Reachable(KnownAgent(id=entry.id, name=entry.name, capabilities=entry.capabilities), entry.tier)
            for entry in entries
        ]

    async def invite(self, agent_id: str, channel_id: str) -> str:
        return await self._network.contacts.invite(agent_id, channel_id)
