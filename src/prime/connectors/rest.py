"""One small REST client for all services: base URL, token, retries, rate limits, and errors that say what was sent.

Reading is tried again when the service stumbles. Writing is tried again only when it is certain that nothing happened:
the service said “too many”, or was never reached. Whatever else goes wrong with a write leaves it open whether it
happened, and the error says so: `NotSent` when nothing happened, `Unavailable` when nobody knows.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlencode

import httpcore2

from prime.core.canonical import JSON
from prime.core.clock import Clock
from prime.core.errors import InvalidInput, PrimeError, Unavailable
from prime.core.http import GuardedClient, Refused, Response
from prime.store.outbox import NotSent

MOST_TRIES = 4
FIRST_WAIT = 1.0
# A service that wants more patience than this is left alone for now.
LONGEST_WAIT = 60.0
SECONDS = 30.0
MAX_BYTES = 16 << 20
_READS = frozenset({"GET", "HEAD"})
_LATER = frozenset({500, 502, 503, 504})
_BACK_OFF = frozenset({429, 420})


class Denied(NotSent):
    """The service does not take the credentials, or they may not do this."""

    code = "service_denied"


class Limited(NotSent):
    """The service wants to be left alone for a while; `retryAfter` says how long."""

    code = "service_rate_limited"


@dataclass(frozen=True, slots=True)
class Rest:
    """Requests to one service. `name` is how people call it; `headers` go with every request."""

    client: GuardedClient
    clock: Clock
    name: str
    base: str
    headers: Mapping[str, str]

    def at(self, base: str, **headers: str) -> "Rest":
        return Rest(self.client, self.clock, self.name, base.rstrip("/"), {**self.headers, **headers})

    async def get(self, path: str, **query: object) -> JSON:
        return _json(await self.request("GET", path, query=query))

    async def post(self, path: str, json: JSON = None, *, repeatable: bool = False) -> JSON:
        return _json(await self.request("POST", path, json=json, repeatable=repeatable))

    async def request(  # noqa: PLR0913  (as many as a request has parts)
        self,
        method: str,
        path: str,
        *,
        json: JSON = None,
        content: bytes | None = None,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        # Whether sending it twice is the same as once.
        repeatable: bool = False,
        # Statuses that are answers to look at, beside 2xx.
        expect: frozenset[int] = frozenset(),
        seconds: float = SECONDS,
    ) -> Response:
        """The answer, 2xx or expected; else an error that says whether anything happened."""
        given = {k: str(v) for k, v in (query or {}).items() if v is not None}
        url = (path if "://" in path else self.base + path) + (f"?{urlencode(given)}" if given else "")
        safe = repeatable or method in _READS
        for attempt in range(1, MOST_TRIES + 1):
            last = attempt == MOST_TRIES
            try:
                answer = await self.client.request(
                    method,
                    url,
                    headers={**self.headers, **(headers or {})},
                    json=json,
                    content=content,
                    max_bytes=MAX_BYTES,
                    timeout=seconds,
                )
            except (Unavailable, Refused) as error:
                unsent = _never_reached(error)
                if (safe or unsent) and not last:
                    await self._pause(attempt)
                    continue
                raise self._unreached(error, unsent=unsent or method in _READS) from error
            if answer.ok or answer.status in expect:
                return answer
            wait = self._wait(answer, attempt)
            if not last and wait <= LONGEST_WAIT and (answer.status in _BACK_OFF or (safe and answer.status in _LATER)):
                await self.clock.sleep(wait)
                continue
            raise self._error(method, answer, wait)
        raise Unavailable(f"{self.name} does not answer.")

    async def _pause(self, attempt: int) -> None:
        await self.clock.sleep(FIRST_WAIT * 2 ** (attempt - 1))

    def _wait(self, answer: Response, attempt: int) -> float:
        """How long the service wants to be left alone, by whichever header it says so; else a growing pause."""
        after = answer.headers.get("retry-after", "")
        if re.fullmatch(r"\d{1,6}(\.\d+)?", after):
            return float(after)
        reset = answer.headers.get("x-rate-limit-reset") or answer.headers.get("x-ratelimit-reset") or ""
        spent = answer.status in _BACK_OFF or answer.headers.get("x-ratelimit-remaining") == "0"
        if spent and re.fullmatch(r"\d{9,11}", reset):
            return max(0.0, int(reset) - self.clock.now_ms() / 1000)
        asked = _retry_parameter(answer)
        return asked if asked is not None else FIRST_WAIT * 2 ** (attempt - 1)

    def _error(self, method: str, answer: Response, wait: float) -> PrimeError:
        said = explain(answer)
        status = answer.status
        if status in _BACK_OFF or (status == 403 and answer.headers.get("x-ratelimit-remaining") == "0"):
            return Limited(
                f"{self.name} wants to be left alone for {round(wait)} s: {said}", retryAfter=round(wait), status=status
            )
        if status in {401, 403}:
            return Denied(
                f"{self.name} refused the credentials: {said}", hint="Check them in the settings.", status=status
            )
        if status < 500:
            return NotSent(f"{self.name} did not take it: {said}", status=status)
        if method in _READS:
            return NotSent(f"{self.name} is in trouble: {said}", hint="Try again later.", status=status)
        return Unavailable(f"{self.name} failed ({status}) and may have done it: {said}", status=status)

    def _unreached(self, error: PrimeError, *, unsent: bool) -> PrimeError:
        if unsent:
            return NotSent(f"{self.name} cannot be reached.", hint=error.hint or "Try again later.")
        return Unavailable(f"{self.name} did not answer, and may have done it.")


def explain(answer: Response) -> str:
    """What the service itself said was wrong, in a line."""
    try:
        body = answer.json()
    except InvalidInput:
        return f"status {answer.status}"
    for key in ("description", "detail", "message", "title", "error_description", "error"):
        said = cast("dict[str, object]", body).get(key) if isinstance(body, dict) else None
        if isinstance(said, dict):
            said = cast("dict[str, object]", said).get("message")
        if isinstance(said, str) and said:
            return f"{' '.join(said.split())[:200]} ({answer.status})"
    return f"status {answer.status}"


def _never_reached(error: PrimeError) -> bool:
    """Whether the connection itself failed, so that nothing can have happened."""
    return isinstance(error.__cause__, httpcore2.ConnectError | httpcore2.ConnectTimeout)


def _retry_parameter(answer: Response) -> float | None:
    """Telegram says in the body how long to wait."""
    if answer.status not in _BACK_OFF:
        return None
    try:
        body = answer.json()
    except InvalidInput:
        return None
    parameters = body.get("parameters") if isinstance(body, dict) else None
    after = parameters.get("retry_after") if isinstance(parameters, dict) else None
    return float(after) if isinstance(after, int | float) and 0 <= after < 1_000_000 else None


def _json(answer: Response) -> JSON:
    try:
        return answer.json() if answer.body else None
    except InvalidInput:
        raise Unavailable("The service answered with something that is not JSON.") from None


def told(error: PrimeError) -> PrimeError:
    """A service's refusal, as whoever asked to connect is told it."""
    if not isinstance(error, NotSent):
        return error
    kind = InvalidInput if isinstance(error, Denied) else Unavailable
    return kind(error.message, code=error.error_code, hint=error.hint)
