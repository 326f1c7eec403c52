"""The directory over HTTP."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

from fastapi import APIRouter, Query, Request
from pydantic import Field, JsonValue
from starlette.responses import JSONResponse

from prime.core.canonical import parse_json
from prime.core.errors import Forbidden, InvalidInput
from prime.core.http.addresses import is_loopback
from prime.network.directory.directory import Claim
from prime.network.directory.entry import Entry, Registration
from prime.network.network import bearer
from prime.network.tasks import Caller
from prime.rooms.tier import Tier
from prime.web.cursor import decode_cursor, encode_cursor
from prime.web.identity import identity_of
from prime.web.models import ErrorAnswer, Given, Ok, Shown
from prime.web.parts import Parts, PartsNeeded

router = APIRouter(
    prefix="/api/directory",
    tags=["directory"],
    responses={429: {"model": ErrorAnswer, "description": "Too often."}},
)

Limit = Annotated[int, Query(ge=1, le=1000)]
Cursor = Annotated[str | None, Query(max_length=64)]
AgentId = Annotated[str, Field(min_length=1, max_length=120)]
Token = Annotated[str, Field(min_length=1, max_length=200)]


class RegistrationGiven(Given):
    name: Annotated[str, Field(max_length=400)]
    kind: Literal["openclaw", "hermes", "prime", "custom"] = "custom"
    capabilities: Annotated[list[Annotated[str, Field(max_length=400)]], Field(max_length=10)] = Field(
        default_factory=list[str]
    )
    endpoint: Annotated[str, Field(min_length=1, max_length=512)]
    owner: Annotated[str, Field(max_length=400)] | None = None
    # Made up for this registration; its card makes the proof with it.
    proof_key: Annotated[str, Field(min_length=16, max_length=200)] | None = None


class Registered(Shown):
    ok: Literal[True] = True
    agent_id: str
    # Shown only here.
    token: str


class Beaten(Shown):
    ok: Literal[True] = True
    online: bool


class MoveGiven(Given):
    agent_id: AgentId
    token: Token
    endpoint: Annotated[str, Field(min_length=1, max_length=512)]


class LeaveGiven(Given):
    agent_id: AgentId
    # The owner needs none.
    token: Token | None = None


class ContactGiven(Given):
    agent_id: AgentId
    tier: Tier | None = None


class ConnectGiven(Given):
    url: Annotated[str, Field(min_length=1, max_length=2048)]
    tier: Tier = "team"


class Contacted(Shown):
    ok: Literal[True] = True
    agent_id: str
    channel_id: str


class Listed(Shown):
    count: int
    items: list[dict[str, JsonValue]]
    next_cursor: str | None = None


@router.post("/register")
async def register(given: RegistrationGiven, parts: PartsNeeded, request: Request) -> Registered:
    """Store a card. An endpoint that is registered needs its token, or proof that it is itself: beside the challenge its
    card shows as `proof` the HMAC-SHA256, with `proofKey`, of the challenge, a line feed and this directory's host."""
    parts.network.limits.check("register", _anyone(request))
    wanted = Registration.checked(
        name=given.name, kind=given.kind, capabilities=given.capabilities, endpoint=given.endpoint, owner=given.owner
    )
    claim = Claim(given.proof_key, _places(parts, request)) if given.proof_key else None
    entry, token = await parts.network.directory.register(
        wanted, bearer(request.headers.get("authorization")), claim=claim
    )
    return Registered(agent_id=entry.id, token=token)


@router.post(
    "/heartbeat",
    response_model=Beaten,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/LeaveGiven"}}},
        }
    },
)
async def heartbeat(parts: PartsNeeded, request: Request) -> JSONResponse:
    """A sign of life; online means one within the last three minutes."""
    # The one request that comes in thousands a second: read by hand, which is several times quicker.
    given = parse_json(await request.body())
    agent_id, token = (given.get("agentId"), given.get("token")) if isinstance(given, dict) else (None, None)
    if not isinstance(agent_id, str) or not isinstance(token, str) or len(token) > 200:
        raise InvalidInput("A heartbeat is {agentId, token}.", field="agentId")
    parts.network.limits.check("heartbeat", _anyone(request))
    parts.network.directory.heartbeat(agent_id, token)
    return JSONResponse({"ok": True, "online": True})


@router.get("/search")
async def search(
    parts: PartsNeeded,
    request: Request,
    capability: Annotated[str, Query(max_length=100)] = "",
    q: Annotated[str, Query(max_length=100)] = "",
    host: Annotated[str, Query(max_length=253)] = "",
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed:
    """Cards by capability (exact, whatever the case), by text in name, owner or capabilities, or by host."""
    parts.network.limits.check("search", _anyone(request))
    directory = parts.network.directory
    if host:
        found = await directory.on_host(host)
        return _listed(parts, found, len(found), None)
    found = await directory.search(capability=capability, q=q, after=decode_cursor(cursor) or 0, limit=limit)
    return _listed(parts, found, len(found), limit)


@router.get("/agents")
async def agents(parts: PartsNeeded, request: Request, limit: Limit = 1000, cursor: Cursor = None) -> Listed:
    """The full list, in pages of a thousand; `count` is how many there are in all."""
    parts.network.limits.check("search", _anyone(request))
    count, found = await parts.network.directory.page(after=decode_cursor(cursor) or 0, limit=limit)
    return _listed(parts, found, count, limit)


@router.post("/contact")
async def contact(given: ContactGiven, parts: PartsNeeded, request: Request) -> Contacted:
    """The chat with an agent, made at the first contact. The owner may name its tier; anyone else's is external."""
    made = await parts.network.contacts.contact(given.agent_id, _anyone(request), given.tier)
    return Contacted(agent_id=made.agent_id, channel_id=made.channel_id)


@router.post("/connect")
async def connect(given: ConnectGiven, parts: PartsNeeded, request: Request) -> Contacted:
    """Look who is at an address, take them in as your agent, and open the chat. For the owner only."""
    if identity_of(request).role != "owner":
        raise Forbidden("Only the owner connects agents.", hint="Sign in first.")
    made = await parts.network.contacts.connect(given.url, given.tier)
    return Contacted(agent_id=made.agent_id, channel_id=made.channel_id)


@router.post("/move")
async def move(given: MoveGiven, parts: PartsNeeded, request: Request) -> Ok:
    """An agent changes its own endpoint."""
    parts.network.limits.check("register", _anyone(request))
    await parts.network.directory.move(given.agent_id, given.token, given.endpoint)
    return Ok()


@router.post("/deregister")
async def deregister(given: LeaveGiven, parts: PartsNeeded, request: Request) -> Ok:
    """An agent leaves the directory; the owner may remove any."""
    caller = _anyone(request)
    parts.network.limits.check("register", caller)
    by_owner = caller.is_owner and given.token is None
    await parts.network.directory.deregister(given.agent_id, given.token, by_owner=by_owner)
    return Ok()


def _places(parts: Parts, request: Request) -> frozenset[str]:
    """The names that this directory goes by: its address, the one that the request came in at, and this machine's own.

    Not whatever the request names: whoever has an agent's key from another directory would name that one.
    """
    places = {urlsplit(parts.network.card.base_url).netloc}
    if server := request.scope.get("server"):
        host, port = server
        places.add(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
    named = request.headers.get("host", "")
    if is_loopback(named.rpartition(":")[0] or named):
        places.add(named)
    return frozenset(places)


def _anyone(request: Request) -> Caller:
    address = request.client.host if request.client else "local"
    return Caller(address=address, is_owner=identity_of(request).role == "owner")


def _listed(parts: Parts, found: list[Entry], count: int, limit: int | None) -> Listed:
    now = parts.clock.now_ms()
    # Straight from the directory, which holds nothing else: no need to check it field by field again.
    return Listed.model_construct(
        count=count,
        items=[entry.shown(now) for entry in found],
        next_cursor=encode_cursor(found[-1].number) if found and len(found) == limit else None,
    )
