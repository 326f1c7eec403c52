"""Agents in any language: a command that is run for every message, text in, text out."""

import asyncio
import os
import shlex

from prime.core.errors import InvalidInput, TimedOut, Unavailable
from prime.network.tasks import Inbound
from prime.network.wire import MAX_TEXT
from prime.sdk.agent import Agent, agent

SECONDS = 300.0


def command_agent(command: str, *, name: str = "Command", seconds: float = SECONDS) -> Agent:
    """An agent that answers with what the command prints. The message is its standard input; no shell is involved."""
    argv = shlex.split(command)
    if not argv:
        raise InvalidInput("The command is empty.", hint="For example --command 'python3 answer.py'.")

    @agent(name=name)
    async def reply(message: Inbound) -> str:
        return await _run(argv, message, seconds)

    return reply


async def _run(argv: list[str], message: Inbound, seconds: float) -> str:
    environment = os.environ | {
        "PRIME_MESSAGE_ID": _one_line(message.message_id),
        "PRIME_THREAD_ID": _one_line(message.thread_id),
        "PRIME_SENDER": _one_line(message.sender_name),
    }
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        raise Unavailable(f"{argv[0]} cannot be started: {error.strerror}.") from error
    try:
        out, _ = await asyncio.wait_for(process.communicate(message.text.encode()), seconds)
    except TimeoutError:
        raise TimedOut(f"The command did not answer within {seconds:.0f} s.") from None
    finally:
        if process.returncode is None:
            _end_group(process.pid)
            await process.wait()
    if process.returncode:
        raise Unavailable(f"The command ended with {process.returncode}.")
    text = out.decode("utf-8", "replace").strip()[:MAX_TEXT]
    if not text:
        raise Unavailable("The command printed nothing.")
    return text


def _end_group(pid: int) -> None:
    import contextlib
    import signal

    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _one_line(text: str) -> str:
    return "".join(char for char in text if char.isprintable())[:200]
