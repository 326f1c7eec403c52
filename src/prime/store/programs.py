"""Programs that a backup is made with: run to their end, and ended with whoever waits for them."""

import asyncio
from collections.abc import Mapping, Sequence


async def run_program(command: Sequence[str], environment: Mapping[str, str] | None = None) -> list[str] | None:
    """None when it did well, else what it said on stderr, by lines."""
    process = await asyncio.create_subprocess_exec(
        *command,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, said = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    if not process.returncode:
        return None
    return said.decode("utf-8", "replace").strip().splitlines() or [f"exit code {process.returncode}"]
