"""Every request has a name: in the answer, in every line of the log that it causes, and counted when it is over."""

import contextvars
import logging
import time
from collections import Counter
from contextlib import nullcontext

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from prime.core.ids import new_id
from prime.store.projector import Tolerance, tolerating_stale

log = logging.getLogger("prime.requests")

# The name of the request that is being answered; the log's formatter puts it on each line.
request_id: contextvars.ContextVar[str | None] = contextvars.ContextVar("prime_request_id", default=None)

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class RequestCounts:
    """How many requests there were and how long they took, for `/metrics`."""

    def __init__(self) -> None:
        self.by_answer: Counter[tuple[str, int]] = Counter()
        self.under: Counter[float] = Counter()
        self.seconds = 0.0
        self.total = 0
        self.open = 0

    def add(self, method: str, status: int, seconds: float) -> None:
        self.by_answer[(method if method in _METHODS else "OTHER", status)] += 1
        self.total += 1
        self.seconds += seconds
        for bound in _BUCKETS:
            if seconds <= bound:
                self.under[bound] += 1
                break

    def lines(self) -> list[str]:
        """As Prometheus reads them."""
        out = ["# TYPE prime_http_requests_total counter"]
        for (method, status), count in sorted(self.by_answer.items()):
            out.append(f'prime_http_requests_total{{method="{method}",status="{status}"}} {count}')
        out.append("# TYPE prime_http_request_seconds histogram")
        below = 0
        for bound in _BUCKETS:
            below += self.under[bound]
            out.append(f'prime_http_request_seconds_bucket{{le="{bound}"}} {below}')
        out += [
            f'prime_http_request_seconds_bucket{{le="+Inf"}} {self.total}',
            f"prime_http_request_seconds_sum {self.seconds:.6f}",
            f"prime_http_request_seconds_count {self.total}",
            "# TYPE prime_http_requests_open gauge",
            f"prime_http_requests_open {self.open}",
        ]
        return out


# Counted and not written down: whoever makes noise would fill the disk with it.
_TURNED_AWAY = frozenset({401, 403, 404, 405, 429})

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class NamedRequests:
    """ASGI middleware around everything else."""

    def __init__(self, app: ASGIApp, counts: RequestCounts) -> None:
        self._app = app
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name, began, status = new_id("req"), time.perf_counter(), 500
        mark = request_id.set(name)
        # Who only looks is shown what there was when the disk is full; who wants something done hears that it is.
        looking = tolerating_stale() if scope["method"] in {"GET", "HEAD"} else nullcontext(Tolerance())

        async def named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                stale = [(b"x-prime-stale", b"1")] if tolerance.is_behind else []
                message["headers"] = [*message["headers"], (b"x-request-id", name.encode()), *stale]
            await send(message)

        self._counts.open += 1
        try:
            with looking as tolerance:
                await self._app(scope, receive, named)
        finally:
            took = time.perf_counter() - began
            self._counts.open -= 1
            self._counts.add(scope["method"], status, took)
            if status not in _TURNED_AWAY:
                # Without the query, which may hold a token; the path last, for what follows the name of a secret is redacted.
                log.info("%s %d %.1f ms %s", scope["method"], status, took * 1000, scope["path"])
            request_id.reset(mark)
