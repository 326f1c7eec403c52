"""Pushing a result: signed, with a delivery id, to an address that somebody else chose."""

from prime.core.canonical import canonical_json
from prime.core.clock import Clock
from prime.core.errors import PrimeError, Unavailable
from prime.core.http import GuardedClient
from prime.network.signatures import DELIVERY_HEADER, HEADER, sign
from prime.network.tasks import Task
from prime.network.wire import task_json

# The receiver says that it will never take it.
_FINAL = frozenset({400, 401, 403, 404, 405, 410, 413, 415, 422})


class NotTaken(PrimeError):
    """Trying again cannot help."""

    code = "not_taken"


async def push(client: GuardedClient, clock: Clock, task: Task, *, url: str, key: str | None, delivery_id: str) -> None:
    """Raises `NotTaken` when it is refused for good, `Unavailable` or the client's `Refused` otherwise."""
    body = canonical_json({"type": "result", **task_json(task)}).encode()
    headers = {"Content-Type": "application/json", DELIVERY_HEADER: delivery_id}
    if key is not None:
        headers[HEADER] = sign(key, body, clock.now_ms())
    response = await client.request("POST", url, headers=headers, content=body, max_bytes=64 * 1024)
    if response.status in _FINAL:
        raise NotTaken(f"The receiver answered {response.status}.")
    if not response.ok:
        raise Unavailable(f"The receiver answered {response.status}.")
