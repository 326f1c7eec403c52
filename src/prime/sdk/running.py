"""An agent as a process: serves its two protocols, keeps its place in a directory, and stops cleanly."""

import asyncio
import inspect
import os
import socket
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from prime.core.clock import Clock, SystemClock
from prime.core.errors import InvalidInput
from prime.core.event_loop import run_loop
from prime.core.http import GuardedClient, NetworkPolicy
from prime.core.http.addresses import is_loopback
from prime.core.ids import new_id
from prime.core.references import CannotLoad, load_reference
from prime.network.desk import PATIENCE_SECONDS, Desk
from prime.network.memory import MemoryTasks
from prime.network.tasks import Task
from prime.sdk.agent import Agent, Reply
from prime.sdk.agent import agent as make
from prime.sdk.membership import Membership
from prime.sdk.pushing import Pusher
from prime.sdk.serving import AgentApp

if TYPE_CHECKING:
    import uvicorn

DEFAULT_PORT = 9000
GRACE_SECONDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an agent serves, and which directory it belongs to."""

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    public_url: str | None = None
    directory_url: str | None = None
    patience: float = PATIENCE_SECONDS

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] | None = None) -> "Place":
        given = os.environ if environment is None else environment
        port = given.get("AGENT_PORT", "").strip() or str(DEFAULT_PORT)
        if not (port.isascii() and port.isdigit() and int(port[:6]) < 65536):
            raise InvalidInput(f"AGENT_PORT is {port!r}.", hint="It is a number from 0 to 65535.")
        return cls(
            host=given.get("AGENT_HOST", "").strip() or "127.0.0.1",
            port=int(port),
            public_url=given.get("AGENT_PUBLIC_URL", "").strip().rstrip("/") or None,
            directory_url=given.get("PRIME_DIRECTORY_URL", "").strip().rstrip("/") or None,
        )


def named_by_environment(agent: Agent, environment: Mapping[str, str] | None = None) -> Agent:
    """AGENT_NAME, AGENT_CAPABILITIES (by commas) and AGENT_OWNER win over what the code says."""
    given = os.environ if environment is None else environment
    capabilities = [c.strip() for c in given.get("AGENT_CAPABILITIES", "").split(",") if c.strip()]
    return agent.renamed(given.get("AGENT_NAME", "").strip(), capabilities, given.get("AGENT_OWNER", "").strip())


@dataclass(frozen=True, slots=True)
class Running:
    """An agent's parts while it serves."""

    app: AgentApp
    membership: Membership | None
    desk: Desk
    url: str


@asynccontextmanager
async def open_agent(agent: Agent, place: Place, url: str, clock: Clock | None = None) -> AsyncGenerator[Running]:
    """The agent put together; `url` is where others reach it. Joining the directory is the caller's next step."""
    clock = clock or SystemClock()
    client = GuardedClient(_policy(place), clock=clock, user_agent="prime-agent")
    pusher = Pusher(client, clock)
    card = replace(agent.card, base_url=url)
    desk = Desk(MemoryTasks(clock, push=_push_with(pusher)), agent, patience=place.patience)
    app = AgentApp(card, desk, clock)
    membership: Membership | None = None
    if place.directory_url:

        def keep(key: str) -> None:
            app.signing_key = key

        membership = Membership(client, place.directory_url, card, clock, keep)
        app.prove = membership.prove
    try:
        yield Running(app, membership, desk, url)
    finally:
        if membership:
            await membership.stop()
        await desk.stop()
        await pusher.stop()
        await client.aclose()


def run(agent: Agent, place: Place) -> None:
    """Serve until a signal ends it."""
    run_loop(_serve(agent, place))


async def _serve(agent: Agent, place: Place) -> None:
    import uvicorn

    door = _bind(place)
    url = place.public_url or f"http://{place.host}:{door.getsockname()[1]}"
    async with open_agent(agent, place, url) as running:
        config = uvicorn.Config(
            running.app,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=GRACE_SECONDS,
            ws="none",
        )
        server = running_server(config)
        serving = asyncio.create_task(server.serve(sockets=[door]))
        while not server.started and not serving.done():  # noqa: ASYNC110  (uvicorn has no event for it)
            await asyncio.sleep(0.01)
        print(f"{agent.card.name} is at {url}", flush=True)  # noqa: T201  (where it is, for whoever started it)
        if running.membership:
            running.membership.start()
        await serving


def running_server(config: "uvicorn.Config") -> "uvicorn.Server":
    """A server that a signal ends, and nothing else: what comes after it is still done."""
    import uvicorn

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Generator[None]:
            # uvicorn raises the signal again once it has stopped serving: the process would end by it before the agent
            # has left its directory and let go of its tasks. `prime.web.server` has the same, and neither may import
            # the other.
            with super().capture_signals():
                try:
                    yield
                finally:
                    self._captured_signals.clear()

    return Server(config)


def _bind(place: Place) -> socket.socket:
    try:
        return socket.create_server((place.host, place.port), backlog=2048)
    except OSError as error:
        raise InvalidInput(
            f"Cannot listen on {place.host}:{place.port}: {error.strerror or error}.",
            hint="Choose another with AGENT_PORT.",
        ) from error


def _policy(place: Place) -> NetworkPolicy:
    """The directory is named by whoever runs the agent; callbacks by strangers, so they get the usual care."""
    named = urlsplit(place.directory_url or "")
    return NetworkPolicy(allow_private=is_loopback(place.host), allow=[named.netloc] if named.netloc else [])


def _push_with(pusher: Pusher):  # noqa: ANN202  (it is `memory.Push`)
    def push(task: Task, url: str, key: str | None) -> None:
        pusher.push(task, url, key, new_id("dlv"))

    return push


def load_agent(reference: str) -> Agent:
    """`module:function` as an agent; a plain async function is one, too."""
    module_name, _, attribute = reference.partition(":")
    if not module_name or not attribute:
        raise InvalidInput(f"{reference!r} is not module:function.", hint="For example echo_agent:reply.")
    try:
        found = load_reference(module_name, attribute)
    except CannotLoad as error:
        raise InvalidInput(f"Cannot load {reference}: {error}.", hint="Run it in the module's folder.") from error
    if isinstance(found, Agent):
        return found
    if not inspect.iscoroutinefunction(found):
        raise InvalidInput(f"{reference} is no async function.", hint="Put @agent on an async function.")
    return make(name=attribute.replace("_", " "))(cast("Reply", found))
