"""Being in a directory: registering at the start, heartbeats, and registering again when the directory forgot."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from urllib.parse import urlsplit

from prime.core.canonical import JSON
from prime.core.clock import Clock
from prime.core.errors import PrimeError, Unavailable
from prime.core.http import GuardedClient
from prime.core.ids import new_secret
from prime.network.signatures import prove, token_hash
from prime.network.tasks import Card

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 60.0
RETRY_SECONDS = 5.0


class Membership:
    """One agent's place in one directory."""

    def __init__(
        self,
        client: GuardedClient,
        directory_url: str,
        card: Card,
        clock: Clock,
        on_token: Callable[[str], None],
    ) -> None:
        self._client = client
        self._url = directory_url.rstrip("/")
        self._card = card
        self._clock = clock
        self._on_token = on_token
        self._token: str | None = None
        self.agent_id: str | None = None
        self._proof_key: str | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._keep(), name="prime-membership")

    async def stop(self) -> None:
        if self._task:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    def prove(self, challenge: str) -> str | None:
        """While it registers: that it is itself. Bound to this directory, so that another cannot hand it on."""
        return prove(self._proof_key, challenge, urlsplit(self._url).netloc) if self._proof_key else None

    async def register(self) -> None:
        """Take a place. The directory asks the card for a challenge, which this agent's app answers with a proof."""
        self._proof_key = new_secret()
        try:
            await self._register(self._proof_key)
        finally:
            self._proof_key = None

    async def _register(self, proof_key: str) -> None:
        body: JSON = {
            "name": self._card.name,
            "kind": "custom",
            "capabilities": list(self._card.capabilities),
            "endpoint": self._card.base_url,
            "proofKey": proof_key,
            **({"owner": self._card.owner} if self._card.owner else {}),
        }
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        answer = await self._post("register", body, headers)
        agent_id, token = answer.get("agentId"), answer.get("token")
        if not isinstance(agent_id, str) or not isinstance(token, str):
            raise Unavailable("The directory's answer has no agentId and token.")
        self.agent_id, self._token = agent_id, token
        self._on_token(token_hash(token))

    async def join(self) -> None:
        """Take a place and be seen there at once: a card without a heartbeat is shown as offline."""
        await self.register()
        await self.heartbeat()

    async def heartbeat(self) -> bool:
        """False when the directory does not know this agent any more."""
        response = await self._client.request(
            "POST",
            f"{self._url}/api/directory/heartbeat",
            json={"agentId": self.agent_id, "token": self._token},
        )
        if response.status in {401, 404}:
            return False
        if not response.ok:
            raise Unavailable(f"The directory answered {response.status}.")
        return True

    async def _keep(self) -> None:
        away = False
        while True:
            wait = HEARTBEAT_SECONDS
            try:
                if self.agent_id is None or not await self.heartbeat():
                    await self.join()
                if away:
                    log.warning("the directory at %s answers now", self._url)
                away = False
            except PrimeError as error:
                wait, away = RETRY_SECONDS, True
                log.warning("the directory at %s: %s Trying again in %g s.", self._url, error.message, wait)
            await self._clock.sleep(wait)

    async def _post(self, what: str, body: JSON, headers: dict[str, str]) -> dict[str, JSON]:
        response = await self._client.request("POST", f"{self._url}/api/directory/{what}", json=body, headers=headers)
        answer = response.json()
        if not response.ok or not isinstance(answer, dict):
            raise Unavailable(f"The directory answered {response.status}: {response.text()[:200]}")
        return answer
