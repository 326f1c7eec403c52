"""The drop-in agent: an async function becomes an agent on the network.

    from prime.sdk import agent

    @agent(name="Echo", capabilities=["echo"])
    async def reply(message):
        return message.text

`prime agent run module:reply` serves it. Imports core and network only, and the web server when it starts, so that the
import stays light.
"""

from prime.network.signatures import verify
from prime.network.tasks import Inbound as Message
from prime.network.tasks import Later as Task
from prime.network.tasks import NeedsInput
from prime.sdk.agent import Agent, agent

__all__ = ["Agent", "Message", "NeedsInput", "Task", "agent", "verify"]
