"""The ASGI app: routes behind the session gate, the body guard and the safe headers, and the page behind the routes."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import FastAPI, Header
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from prime import __version__
from prime.core.errors import NotFound
from prime.hub.feed import feed_item_of
from prime.hub.swarm.turns import Words
from prime.network.a2a.rpc import too_large
from prime.store.message import Message
from prime.web.bodies import BodyGuard
from prime.web.cookies import Cookies
from prime.web.errors import add_error_handlers
from prime.web.events import Broadcaster, EventStream, last_seq
from prime.web.gate import Behind, GatePolicy, SessionGate
from prime.web.guest import create_guest_routes
from prime.web.mcp_models import ServerShown
from prime.web.models import MessageShown, QuestionShown
from prime.web.often import OftenFirst
from prime.web.page import PageFiles, SafeHeaders, find_page
from prime.web.parts import Parts
from prime.web.requests import NamedRequests
from prime.web.routes import (
    actors,
    admin,
    attachments,
    auth,
    autonomy,
    brain,
    channels,
    connectors,
    dialogs,
    directory,
    drafts,
    feed,
    hub,
    invites,
    mcp,
    mcp_admin,
    metrics,
    mind,
    moving,
    network,
    operations,
    policy,
    priming,
    publish,
    push,
    questions,
    rules,
    secrets,
    settings,
    status,
    telegram,
    tools,
)

ROUTES = (
    directory,
    network,
    status,
    channels,
    dialogs,
    priming,
    questions,
    feed,
    brain,
    attachments,
    settings,
    secrets,
    tools,
    auth,
    admin,
    actors,
    hub,
    metrics,
    mind,
    rules,
    mcp,
    mcp_admin,
    invites,
    push,
    operations,
    autonomy,
    drafts,
    connectors,
    publish,
    telegram,
    policy,
    moving,
)


OFTEN = {
    "/api/directory/heartbeat": directory.heartbeat,
    "/prime/message": network.prime_message,
}


class WebApp:
    """Everything that answers on a port or a socket, as one ASGI app."""

    def __init__(self, parts: Parts, policy: GatePolicy) -> None:
        self.events = Broadcaster(parts.store.log, parts.store.heads, _renderer(parts), parts.clock)
        parts.hub.listeners.append(self._tell_words)
        self._gateway = parts.gateway
        parts.turns.listen(lambda event: self._tell_turn(event.as_json()))
        parts.hub.watchers.append(lambda event: self._tell_turn(event.as_json()))
        # What a turn in another replica is saying.
        self._whispers = parts.store.whispers
        self._whispers.listen("turn", lambda shown: self.events.tell("turn", dict(shown)))
        parts.gateway.servers.listen(self._tell_server)
        self.routes = create_routes(parts, self.events)
        self._progress = _Progress(parts, self.events)
        often = OftenFirst(mcp.McpFirst(self.routes, parts), parts, OFTEN)
        guarded = BodyGuard(often, {parts.base_url}, {"/a2a": too_large})
        guests = BodyGuard(create_guest_routes(parts), {parts.base_url})
        behind = Behind(guarded, guests, self._is_routed, parts.base_url)
        gate = SessionGate(behind, policy, parts.accounts, Cookies(parts.base_url), parts.clock)
        self._app = NamedRequests(SafeHeaders(gate, https=parts.base_url.startswith("https://")), parts.requests)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    def _tell_words(self, words: Words) -> None:
        self._tell_turn({"channelId": words.channel_id, "actorId": words.actor_id, "text": words.text})

    def _tell_turn(self, shown: dict[str, object]) -> None:
        """To whoever listens here, and to the other replicas for whoever listens there."""
        self.events.tell("turn", shown)
        self._whispers.tell(f"turn/{shown['channelId']}/{shown['actorId']}", shown)

    def _tell_server(self, name: str, method: str, _params: object) -> None:
        """How the servers behind the gateway are doing: the one that it is about, or all when the tools are others."""
        if method not in {"state", "tools"}:
            return
        servers = self._gateway.servers
        for server in servers.servers():
            if method == "tools" or server.config.name == name:
                self.events.tell("server", ServerShown.of(server, servers).model_dump(mode="json", by_alias=True))

    def end_streams(self) -> None:
        """Let every listener of `/events` go: Prime is about to stop, and they come back by themselves."""
        self.events.end()
        self._gateway.end_streams()

    def _is_routed(self, scope: Scope) -> bool:
        return any(route.matches(scope)[0] is not Match.NONE for route in self.routes.router.routes)


class _Progress:
    """Tells listeners how far a long send has come; one word at a time for each draft, the latest."""

    def __init__(self, parts: Parts, events: Broadcaster) -> None:
        self._parts = parts
        self._events = events
        self._telling: dict[str, asyncio.Task[None]] = {}
        parts.gate.sending.on_progress = self._on_progress

    def _on_progress(self, draft_id: str) -> None:
        if draft_id not in self._telling:
            task = asyncio.create_task(self._tell(draft_id), name="prime-progress")
            self._telling[draft_id] = task
            task.add_done_callback(lambda _: self._telling.pop(draft_id, None))

    async def _tell(self, draft_id: str) -> None:
        with contextlib.suppress(NotFound):
            draft = await self._parts.gate.drafts.get(draft_id)
            self._events.tell("draft", drafts.shown(self._parts, draft).model_dump(mode="json", by_alias=True))


def create_routes(parts: Parts, events: Broadcaster) -> FastAPI:
    """The routes alone, for documents and tests that look at them."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        events.start()
        parts.gateway.start()
        yield
        await events.stop()

    app = FastAPI(
        title="Prime",
        version=__version__,
        description="One chat for its owner, and behind it every agent and every tool.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # a redirect would be built from the Host header
        # Not by `include_router`, which makes every route anew for each app: a second of work, spread over first requests.
        routes=[route for module in ROUTES for route in module.router.routes],
    )
    app.state.parts = parts
    add_error_handlers(app)

    @app.get("/events", tags=["events"], response_class=EventStream, status_code=200)
    async def get_events(last_event_id: Annotated[str | None, Header(max_length=20)] = None) -> EventStream:
        """Server-sent events: `message`, `feed`, `question`, `draft`, `status`, `turn`, `server`; resumes by `Last-Event-ID`."""
        return EventStream(events.listen(last_seq(last_event_id)))

    app.router.default = PageFiles(find_page())
    app.openapi = lambda: _openapi(app)
    return app


_ERROR = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorAnswer"}}}
_ANY_ROUTE = {
    "400": "Something in the request is wrong.",
    "401": "Nobody is signed in.",
    "403": "This may not be done from here.",
    "404": "There is no such thing.",
    "409": "It contradicts what is there.",
    "413": "It is too large.",
    "415": "Bodies are application/json, uploads multipart.",
    "503": "The database does not answer.",
}


def _openapi(app: FastAPI) -> dict[str, object]:
    """FastAPI's document, without the 422 that it promises and Prime never sends, and with errors that are always JSON."""
    if not app.openapi_schema:
        document = FastAPI.openapi(app)
        for operations in document["paths"].values():
            for operation in operations.values():
                responses = {status: {"description": text} for status, text in _ANY_ROUTE.items()} | operation[
                    "responses"
                ]
                responses.pop("422", None)
                for status, response in responses.items():
                    if status >= "400":
                        response["content"] = _ERROR
                operation["responses"] = responses
        for name in ("HTTPValidationError", "ValidationError"):
            document.get("components", {}).get("schemas", {}).pop(name, None)
        app.openapi_schema = document
    return app.openapi_schema


def _renderer(parts: Parts):  # noqa: ANN202  (the type is `events.Render`, inferred)
    async def render(name: str, message: Message) -> object:
        if name == "question" and "questionId" in message.body:
            # What was erased is no question any more; the message about it still is one.
            with contextlib.suppress(NotFound):
                question = await parts.questions.get(str(message.body["questionId"]))
                return QuestionShown.of(question).model_dump(mode="json", by_alias=True)
        if name == "draft" and "draftId" in message.body:
            with contextlib.suppress(NotFound):
                draft = await parts.gate.drafts.get(str(message.body["draftId"]))
                return drafts.shown(parts, draft).model_dump(mode="json", by_alias=True)
        if name == "status":
            return (await status.status(parts)).model_dump(mode="json", by_alias=True)
        if name == "feed":
            item = feed_item_of(message)
            return (await feed.shown(parts, item)).model_dump(mode="json", by_alias=True) if item else None
        return MessageShown.of(message).model_dump(mode="json", by_alias=True)

    return render
