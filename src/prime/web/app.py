"""The ASGI app: routes behind the session gate, the body guard and the safe headers, and the page behind the routes."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import FastAPI, Header
from starlette.types import ASGIApp

from prime import __version__
from prime.core.errors import InvalidInput, NotFound
from prime.hub.feed import feed_item_of
from prime.store.message import Message
from prime.web.bodies import BodyGuard
from prime.web.errors import add_error_handlers
from prime.web.events import Broadcaster, EventStream
from prime.web.gate import GatePolicy, SessionGate
from prime.web.models import ErrorAnswer, MessageShown, QuestionShown
from prime.web.page import PageFiles, SafeHeaders, find_page
from prime.web.parts import Parts
from prime.web.routes import admin, attachments, auth, channels, feed, questions, secrets, settings, status, tools


def make_events(parts: Parts) -> Broadcaster:
    return Broadcaster(parts.store.log, parts.store.heads, _renderer(parts), parts.clock)


def create_app(parts: Parts, policy: GatePolicy, events: Broadcaster) -> ASGIApp:
    """Everything that answers on a port or a socket."""
    routes = create_routes(parts, events)
    return SafeHeaders(SessionGate(BodyGuard(routes, {parts.base_url}), policy, parts.accounts))


def create_routes(parts: Parts, events: Broadcaster) -> FastAPI:
    """The routes alone, for documents and tests that look at them."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        events.start()
        yield
        await events.stop()

    app = FastAPI(
        title="Prime",
        version=__version__,
        description="One chat for its owner, and behind it every agent and every tool.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        responses={
            400: {"model": ErrorAnswer, "description": "Something in the request is wrong."},
            401: {"model": ErrorAnswer, "description": "Nobody is signed in."},
            403: {"model": ErrorAnswer, "description": "This may not be done from here."},
            404: {"model": ErrorAnswer, "description": "There is no such thing."},
            409: {"model": ErrorAnswer, "description": "It contradicts what is there."},
            413: {"model": ErrorAnswer, "description": "It is too large."},
            415: {"model": ErrorAnswer, "description": "Bodies are application/json, uploads multipart."},
        },
    )
    app.state.parts = parts
    add_error_handlers(app)
    for module in (status, channels, questions, feed, attachments, settings, secrets, tools, auth, admin):
        app.include_router(module.router)

    @app.get("/events", tags=["events"], response_class=EventStream)
    async def get_events(last_event_id: Annotated[str | None, Header(max_length=20)] = None) -> EventStream:
        """Server-sent events: `message`, `feed`, `question`, `draft`, `status`; resumes behind `Last-Event-ID`."""
        return EventStream(events.listen(_last_seq(last_event_id)))

    @app.api_route("/api/{path:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False)
    async def unknown(path: str) -> None:
        raise NotFound(f"There is nothing at /api/{path}.", hint="/openapi.json lists what there is.")

    app.mount("/", PageFiles(find_page()))
    app.openapi = lambda: _openapi(app)
    return app


def _openapi(app: FastAPI) -> dict[str, object]:
    """FastAPI's document, without the 422 that it promises and Prime never sends."""
    if not app.openapi_schema:
        document = FastAPI.openapi(app)
        for operations in document["paths"].values():
            for operation in operations.values():
                operation["responses"].pop("422", None)
        for name in ("HTTPValidationError", "ValidationError"):
            document.get("components", {}).get("schemas", {}).pop(name, None)
        app.openapi_schema = document
    return app.openapi_schema


def _last_seq(last_event_id: str | None) -> int | None:
    if last_event_id is None:
        return None
    if last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) <= 18:
        return int(last_event_id)
    raise InvalidInput("Last-Event-ID must be a number that came with an event.", field="Last-Event-ID")


def _renderer(parts: Parts):  # noqa: ANN202  (the type is `events.Render`, inferred)
    async def render(name: str, message: Message) -> object:
        if name == "question" and "questionId" in message.body:
            question = await parts.questions.get(str(message.body["questionId"]))
            return QuestionShown.of(question).model_dump(mode="json", by_alias=True)
        if name == "status":
            return (await status.status(parts)).model_dump(mode="json", by_alias=True)
        if name == "feed":
            item = feed_item_of(message)
            return (await feed.shown(parts, item)).model_dump(mode="json", by_alias=True) if item else None
        return MessageShown.of(message).model_dump(mode="json", by_alias=True)

    return render
