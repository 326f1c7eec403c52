# ruff: noqa: INP001
"""An agent in ten lines. Run it in this folder: prime agent run echo_agent:reply"""

from prime.sdk import Message, agent


@agent(name="Echo", capabilities=["echo"])
async def reply(message: Message) -> str:
    return f"You said: {message.text}"
