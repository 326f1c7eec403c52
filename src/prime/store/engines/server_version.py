"""Asking a PostgreSQL server who it is, without any of the parts that use it."""

from collections.abc import Awaitable, Callable
from typing import Protocol, cast

from prime.core.errors import Unavailable

SECONDS = 5.0


class _Connection(Protocol):
    """What is used of asyncpg's connection, which comes without types."""

    async def fetchval(self, query: str) -> str: ...
    async def close(self) -> None: ...


async def server_version(url: str) -> str:
    """The version of the server at this address; `Unavailable` says why it cannot be used."""
    import asyncpg

    connect = cast("Callable[..., Awaitable[_Connection]]", asyncpg.connect)
    try:
        connection = await connect(url, timeout=SECONDS)
        try:
            return await connection.fetchval("SHOW server_version")
        finally:
            await connection.close()
    except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:  # TimeoutError is an OSError
        why = str(error).splitlines()[0] if str(error) else "no answer in time"
        raise Unavailable(
            f"PostgreSQL cannot be used: {why}.", hint="Check PRIME_DATABASE_URL and that the server is running."
        ) from error
