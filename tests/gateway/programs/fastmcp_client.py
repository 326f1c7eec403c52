"""FastMCP's own client, in an environment of its own: what it sees of a gateway, as JSON.

    fastmcp_client.py http|sse URL
    fastmcp_client.py stdio COMMAND ARGUMENT…
"""

import asyncio
import json
import os
import sys
from typing import Any

from fastmcp import Client  # pyright: ignore[reportMissingImports]
from fastmcp.client.transports import (  # pyright: ignore[reportMissingImports]
    SSETransport,
    StdioTransport,
    StreamableHttpTransport,
)


def transport(kind: str, words: list[str]) -> Any:
    if kind == "stdio":
        return StdioTransport(command=words[0], args=words[1:], env=dict(os.environ))
    return SSETransport(words[0]) if kind == "sse" else StreamableHttpTransport(words[0])


async def look() -> dict[str, object]:
    heard: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)

    client: Any = Client(transport(sys.argv[1], sys.argv[2:]), progress_handler=note)
    async with client:
        tools = [tool.name for tool in await client.list_tools()]
        before = await client.call_tool("echo__echo", {"text": "too early"}, raise_on_error=False)
        primed = await client.call_tool("prime", {"agentId": "fastmcp", "sessionId": "s"})
        said = await client.call_tool("echo__echo", {"text": "grüß dich"})
        slow = await client.call_tool("echo__slow", {"seconds": 0.2})
        failed = await client.call_tool("echo__misbehave", {"how": "error"}, raise_on_error=False)
        return {
            "tools": tools,
            "before": [before.is_error, before.content[0].text],
            "primed": primed.is_error,
            "said": said.content[0].text,
            "slow": slow.content[0].text,
            "failed": [failed.is_error, failed.content[0].text],
            "progress": heard,
            "prompts": [prompt.name for prompt in await client.list_prompts()],
            "read": [one.text for one in await client.read_resource("prime://feed")],
        }


print(json.dumps(asyncio.run(look())))
