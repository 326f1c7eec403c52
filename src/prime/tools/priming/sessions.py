"""Which sessions have primed Prime, and what becomes of a call in one that has not (D-DIR-1, D-DIR-3, D-DIR-4)."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping
from typing import Protocol

from prime.core.clock import Clock
from prime.core.errors import Forbidden, JsonValue
from prime.core.settings import PrimingMode
from prime.tools.priming.directive import DAY_S
from prime.tools.priming.own import own_directive
from prime.tools.priming.request import PrimeRequest

_REMEMBERED = 4096


class PrimeRequired(Forbidden):
    """The session has not called `prime` yet, or its answer has expired."""

    code = "prime_required"


class PrimedStore(Protocol):
    """Where primed sessions are kept, so that a restart does not forget them."""

    async def until(self, key: str) -> int | None:
        """The time up to which the session is primed; None for a session that never was."""
        ...

    async def put(self, key: str, until_ms: int) -> None: ...


class PrimedInMemory:
    """Primed sessions of this process only."""

    def __init__(self) -> None:
        self._until: dict[str, int] = {}

    async def until(self, key: str) -> int | None:
        return self._until.get(key)

    async def put(self, key: str, until_ms: int) -> None:
        self._until[key] = until_ms


class PrimedSessions:
    """The tool's side of the directive. A session is an (agent, session) pair, as the request names them."""

    def __init__(
        self, mode: PrimingMode, clock: Clock, kept: PrimedStore | None = None, *, lifetime_s: float = DAY_S
    ) -> None:
        self.mode: PrimingMode = mode
        self._clock = clock
        self._kept = kept or PrimedInMemory()
        self._lifetime_ms = round(lifetime_s * 1000)
        self._directive = own_directive(lambda: clock.now_ms() / 1000, lifetime_s)
        # Asked for at every call; the store only when it is not here.
        self._near: OrderedDict[tuple[str, str], int] = OrderedDict()

    async def prime(self, request: PrimeRequest) -> dict[str, JsonValue]:
        """Answer, and let the session call tools from now on. Again and again gives the same but for `expiresAt`."""
        session, until = (request.agent_id, request.session_id), self._clock.now_ms() + self._lifetime_ms
        await self._kept.put(_key(*session), until)
        self._remember(session, until)
        return self._directive.answer(request)

    async def ready(self, agent_id: str, session_id: str) -> Mapping[str, JsonValue] | None:
        """Nothing, when the session may go on; in mode `auto` the answer that it never asked for, once.

        Raises `PrimeRequired` in mode `strict`.
        """
        if self.mode == "off" or await self.is_primed(agent_id, session_id):
            return None
        if self.mode == "auto":
            return await self.prime(PrimeRequest(agent_id=agent_id, session_id=session_id))
        raise PrimeRequired(
            "This session has not been primed.",
            hint="Call the tool `prime`, POST /api/tools/prime, or run `prime prime --agent-id … --session-id …` "
            "with this agentId and sessionId; then repeat the call.",
            agentId=agent_id[:200],
            sessionId=session_id[:200],
        )

    async def is_primed(self, agent_id: str, session_id: str) -> bool:
        session, now = (agent_id, session_id), self._clock.now_ms()
        if self._near.get(session, 0) > now:
            return True
        until = await self._kept.until(_key(*session))
        if until is None or until <= now:
            return False
        self._remember(session, until)
        return True

    def _remember(self, session: tuple[str, str], until: int) -> None:
        self._near[session] = until
        self._near.move_to_end(session)
        if len(self._near) > _REMEMBERED:
            self._near.popitem(last=False)


def _key(agent_id: str, session_id: str) -> str:
    """Names come from outside and may be long or odd; their hash is neither."""
    return hashlib.sha256(json.dumps([agent_id, session_id]).encode()).hexdigest()
