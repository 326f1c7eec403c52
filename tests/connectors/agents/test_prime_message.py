"""The connector over a real agent on a port."""

import asyncio
import socket

import uvicorn

from prime.connectors.agents.prime_message import Context, PrimeMessageConnector
from prime.core.clock import SystemClock
from prime.core.http import GuardedClient, NetworkPolicy
from prime.network.peer import Peers
from prime.network.tasks import Card
from prime.sdk import Message, agent
from prime.sdk.running import Place, open_agent


@agent(name="Echo", capabilities=["echo"])
async def echo(message: Message) -> str:
    return f"{message.sender_name}: {message.text}"


async def test_a_remote_agent_is_a_participant_like_any_other() -> None:
    door = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{door.getsockname()[1]}"
    client = GuardedClient(NetworkPolicy(allow_private=True))
    async with open_agent(echo, Place(), url) as running, client:
        server = uvicorn.Server(uvicorn.Config(running.app, lifespan="off", log_config=None, ws="none"))
        serving = asyncio.create_task(server.serve(sockets=[door]))
        while not server.started:  # noqa: ASYNC110  (uvicorn has no event for it)
            await asyncio.sleep(0.005)
        peers = Peers(client, client, SystemClock())
        connector = await PrimeMessageConnector.open(peers, f"{url}/", Card(id="me", name="Prime"))
        assert connector.identity().name == "Echo"
        assert connector.identity().capabilities == ("echo",)
        answer = await connector.reply(Context(text="Hello", thread_id="t"))
        assert (answer.state, answer.text) == ("done", "Prime: Hello")
        server.should_exit = True
        await serving
