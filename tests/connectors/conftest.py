"""Services on loopback, over real HTTP and sockets: the Bot API, X v2, GitHub, Netlify, Google; and a Prime that uses them."""

import asyncio
import base64
import hashlib
import json
import socket
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs

import httpx2
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from prime.app import Prime, open_prime
from prime.core.settings import Settings
from prime.web.server import quiet_server


@dataclass
class Fake:
    """A service. `trouble` maps a path's ending to answers that come before the real one; `after` ones come after it worked."""

    trouble: dict[str, list[Response]] = field(default_factory=lambda: defaultdict(list))
    after: dict[str, list[Response]] = field(default_factory=lambda: defaultdict(list))
    seen: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    token: str = "good-token"
    url: str = ""

    def app(self) -> Starlette:
        async def handle(request: Request) -> Response:
            self.seen.append((request.method, request.url.path))
            stumble = self._next(self.trouble, request.url.path)
            if stumble:
                return stumble
            answer = await self.answer(request, request.url.path, await request.body())
            return self._next(self.after, request.url.path) or answer

        return Starlette(routes=[Route("/{path:path}", handle, methods=["GET", "POST", "PUT", "PATCH", "DELETE"])])

    def _next(self, kept: dict[str, list[Response]], path: str) -> Response | None:
        for ending, answers in kept.items():
            if path.endswith(ending) and answers:
                return answers.pop(0)
        return None

    async def answer(self, request: Request, path: str, body: bytes) -> Response:
        raise NotImplementedError

    def allowed(self, request: Request) -> bool:
        return request.headers.get("authorization") == f"Bearer {self.token}"


def refused(status: int, message: str = "no", **headers: str) -> Response:
    return JSONResponse({"message": message, "description": message, "ok": False}, status, headers=headers)


@dataclass
class BotApi(Fake):
    sent: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    updates: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    webhook: dict[str, object] = field(default_factory=dict[str, object])

    async def answer(self, request: Request, path: str, body: bytes) -> Response:
        if path.startswith("/file/"):
            return Response(b"\x89PNG fake", media_type="image/png")
        if f"/bot{self.token}/" not in path:
            return JSONResponse({"ok": False, "error_code": 401, "description": "Unauthorized"}, 401)
        method = path.rsplit("/", 1)[-1]
        result: object = True
        if method == "getMe":
            result = {"id": 1, "is_bot": True, "username": "helper_bot"}
        elif method == "sendMessage":
            self.sent.append(json.loads(body))
            result = {"message_id": 1000 + len(self.sent)}
        elif method == "setWebhook":
            self.webhook = json.loads(body)
        elif method == "getFile":
            result = {"file_path": "photos/1.png"}
        elif method == "getUpdates":
            offset = int(request.query_params.get("offset", 0))
            fresh = [u for u in self.updates if int(str(u["update_id"])) >= offset]
            if not fresh:
                await asyncio.sleep(0.05)
            result = fresh
        return JSONResponse({"ok": True, "result": result})


@dataclass
class XService(Fake):
    mentions: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    dms: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    posts: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    hides_new: bool = False

    async def answer(self, request: Request, path: str, body: bytes) -> Response:
        if not self.allowed(request):
            return JSONResponse({"title": "Unauthorized", "status": 401}, 401)
        users = {"users": [{"id": "7", "name": "Noor", "username": "noor"}, {"id": "1", "name": "Me"}]}
        if path == "/2/users/me":
            return JSONResponse({"data": {"id": "1", "username": "me"}})
        if path.endswith("/mentions"):
            since = int(request.query_params.get("since_id", 0))
            fresh = [m for m in self.mentions if int(str(m["id"])) > since]
            return JSONResponse({"data": list(reversed(fresh)), "includes": users})
        if path == "/2/dm_events":
            return JSONResponse({"data": list(reversed(self.dms)), "includes": users})
        if path.endswith("/tweets") and request.method == "GET":
            return JSONResponse({"data": [] if self.hides_new else list(reversed(self.posts))})
        given = json.loads(body)
        number = str(5000 + len(self.posts) + len(self.dms))
        if path == "/2/tweets":
            self.posts.append({"id": number, "author_id": "1", "text": given["text"], "given": given})
            return JSONResponse({"data": {"id": number}}, 201)
        thread = path.split("/")[3]
        self.dms.append({"id": number, "sender_id": "1", "dm_conversation_id": thread, "text": given["text"]})
        return JSONResponse({"data": {"dm_event_id": number}}, 201)


@dataclass
class GitHub(Fake):
    repos: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    gists: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    blobs: dict[str, bytes] = field(default_factory=dict[str, bytes])
    trees: dict[str, list[dict[str, str]]] = field(default_factory=dict[str, "list[dict[str, str]]"])
    commits: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])

    async def answer(self, request: Request, path: str, body: bytes) -> Response:
        if not self.allowed(request):
            return JSONResponse({"message": "Bad credentials"}, 401)
        given: dict[str, str] = json.loads(body) if body else {}
        if path == "/user":
            return JSONResponse({"login": "owner"})
        if path == "/user/repos":
            self.repos[given["name"]] = {"head": "c0", "pages": False}
            self.commits["c0"] = {"message": "Initial commit", "tree": "", "parents": []}
            return JSONResponse({"full_name": f"owner/{given['name']}"}, 201)
        if path == "/gists":
            self.gists.append(dict(given))
            return JSONResponse(
                {"id": f"g{len(self.gists)}", "html_url": f"https://gist.github.com/g{len(self.gists)}"}, 201
            )
        if path.startswith("/gists/"):
            self.gists.clear()
            return Response(status_code=204)
        _, _, _, name, *rest = path.split("/")
        if name not in self.repos:
            return JSONResponse({"message": "Not Found"}, 404)
        return self._repo(request.method, self.repos[name], name, "/".join(rest), dict(given))

    def _repo(self, method: str, repo: dict[str, object], name: str, rest: str, given: dict[str, object]) -> Response:
        if rest == "":
            if method == "DELETE":
                del self.repos[name]
                return Response(status_code=204)
            return JSONResponse({"full_name": f"owner/{name}"})
        digest = hashlib.sha1(json.dumps(given, sort_keys=True).encode()).hexdigest()
        if rest == "git/blobs":
            self.blobs[digest] = base64.b64decode(str(given["content"]))
        elif rest == "git/trees":
            self.trees[digest] = given["tree"]  # pyright: ignore[reportArgumentType]
        elif rest == "git/commits":
            self.commits[digest] = given
        elif rest.startswith("git/refs/"):
            repo["head"] = given["sha"]
        elif rest.startswith("git/ref/"):
            return JSONResponse({"object": {"sha": repo["head"]}})
        elif rest.startswith("commits/"):
            return JSONResponse({"commit": self.commits[str(repo["head"])]})
        elif rest == "pages":
            if method == "POST" and repo["pages"]:
                return JSONResponse({"message": "exists"}, 409)
            repo["pages"] = True
            return JSONResponse({"html_url": f"https://owner.github.io/{name}/"}, 201 if method == "POST" else 200)
        return JSONResponse({"sha": digest}, 201)

    def files(self, name: str) -> dict[str, bytes]:
        tree = self.trees[str(self.commits[str(self.repos[name]["head"])]["tree"])]
        return {entry["path"]: self.blobs[entry["sha"]] for entry in tree}


@dataclass
class Netlify(Fake):
    sites: dict[str, str] = field(default_factory=dict[str, str])
    stored: dict[str, bytes] = field(default_factory=dict[str, bytes])
    deploys: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    uploads: int = 0

    async def answer(self, request: Request, path: str, body: bytes) -> Response:
        if not self.allowed(request):
            return JSONResponse({"message": "Access Denied"}, 401)
        parts = path.removeprefix("/api/v1/").split("/")
        if parts == ["user"]:
            return JSONResponse({"email": "owner@example.com"})
        if parts == ["sites"] and request.method == "POST":
            name = json.loads(body)["name"]
            self.sites[name] = f"site-{name}"
            return JSONResponse({"id": self.sites[name], "name": name}, 201)
        if parts == ["sites"]:
            return JSONResponse([{"id": i, "name": n} for n, i in self.sites.items()])
        if parts[0] == "sites" and request.method == "DELETE":
            self.sites = {n: i for n, i in self.sites.items() if i != parts[1]}
            return Response(status_code=204)
        if parts[0] == "sites" and request.method == "GET":
            return JSONResponse(list(self.deploys.values()))
        if parts[0] == "sites":
            given = json.loads(body)
            required = sorted({d for d in given["files"].values() if d not in self.stored})
            made: dict[str, object] = {
                "id": f"d{len(self.deploys)}",
                "required": required,
                "state": "uploading",
                "title": given["title"],
            }
            self.deploys[str(made["id"])] = made | {
                "files": given["files"],
                "ssl_url": f"https://{parts[1]}.netlify.app",
            }
            return JSONResponse(made)
        if len(parts) > 2 and parts[2] == "files":
            self.stored[hashlib.sha1(body).hexdigest()] = body
            self.uploads += 1
            return JSONResponse({"ok": True})
        deploy = self.deploys[parts[1]]
        if all(d in self.stored for d in deploy["files"].values()):  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
            deploy["state"] = "ready"
        return JSONResponse(deploy)


@dataclass
class Google(Fake):
    files: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    content: dict[str, bytes] = field(default_factory=lambda: defaultdict(bytes))
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    issued: int = 0
    drop_at: int | None = None

    async def answer(self, request: Request, path: str, body: bytes) -> Response:
        if path in {"/token", "/revoke"}:
            return self._grant(path, {k: v[0] for k, v in parse_qs(body.decode()).items()})
        if not self.allowed(request):
            return JSONResponse({"error": {"message": "Invalid Credentials"}}, 401)
        if path == "/drive/v3/about":
            return JSONResponse({"user": {"emailAddress": "owner@example.com"}})
        if path.endswith("/generateIds"):
            count = int(request.query_params["count"])
            return JSONResponse({"ids": [f"file{len(self.files)}x{i}" for i in range(count)]})
        if path == "/upload/drive/v3/files":
            given = json.loads(body)
            if given["id"] in self.files:
                return JSONResponse({"error": {"message": "exists"}}, 409)
            self.sizes[given["id"]] = int(request.headers["x-upload-content-length"])
            self.content["name:" + given["id"]] = given["name"].encode()
            return Response(status_code=200, headers={"location": f"{self.url}/session/{given['id']}"})
        if path.startswith("/session/"):
            return self._chunk(path.rsplit("/", 1)[-1], request.headers["content-range"], body)
        if path == "/drive/v3/files":
            given = json.loads(body)
            self.files[given["id"]] = {"name": given["name"]}
            return JSONResponse({"id": given["id"]})
        file_id = path.split("/")[4]
        if request.method == "DELETE":
            self.files.pop(file_id, None)
            return Response(status_code=204)
        if path.endswith("/permissions"):
            self.files[file_id]["shared"] = True
            return JSONResponse({"id": "anyoneWithLink"})
        if file_id not in self.files:
            return JSONResponse({"error": {"message": "not found"}}, 404)
        link = f"https://drive.google.com/file/d/{file_id}/view"
        return JSONResponse({"id": file_id, "webViewLink": link, "shared": self.files[file_id].get("shared", False)})

    def _grant(self, path: str, given: dict[str, str]) -> Response:
        if path == "/revoke":
            self.token = "revoked"
            return JSONResponse({})
        if given.get("code", "right") != "right" or given.get("refresh_token", "refresh-1") != "refresh-1":
            return JSONResponse({"error": "invalid_grant"}, 400)
        self.issued += 1
        self.token = f"access-{self.issued}"
        answer = {"access_token": self.token, "expires_in": 3600}
        return JSONResponse(answer | ({"refresh_token": "refresh-1"} if "code" in given else {}))

    def _chunk(self, file_id: str, span: str, body: bytes) -> Response:
        if self.drop_at is not None and len(self.content[file_id]) >= self.drop_at and body:
            self.drop_at = None
            self.content[file_id] += body[:100]
            return Response(status_code=503)
        self.content[file_id] += body
        if len(self.content[file_id]) < self.sizes[file_id]:
            received = len(self.content[file_id])
            return Response(status_code=308, headers={"range": f"bytes=0-{received - 1}"} if received else {})
        self.files[file_id] = {"name": self.content["name:" + file_id].decode()}
        return JSONResponse({"id": file_id})


@dataclass
class Services:
    bot: BotApi
    x: XService
    github: GitHub
    netlify: Netlify
    google: Google


@dataclass
class Instance:
    """A Prime on loopback, with a browser at it."""

    prime: Prime
    http: httpx2.AsyncClient

    async def connect(self, name: str, **settings: str) -> dict[str, object]:
        if settings:
            answer = await self.http.put(f"/api/connectors/{name}", json={"settings": settings})
            assert answer.status_code == 200, answer.text
        answer = await self.http.post(f"/api/connectors/{name}/connect")
        assert answer.status_code == 200, answer.text
        return answer.json()["status"]

    async def drafts(self, count: int, status: str | None = None) -> list[dict[str, object]]:
        """Newest first, once there are as many."""
        query = {"status": status} if status else {}
        async with asyncio.timeout(20):
            while True:
                head = await self.prime.parts.store.log.head()
                found = (await self.http.get("/api/drafts", params=query)).json()["items"]
                if len(found) >= count:
                    return found
                await self.prime.parts.store.heads.wait_beyond(head)

    async def approve(self, draft_id: object, **body: str) -> dict[str, object]:
        answer = await self.http.post(f"/api/drafts/{draft_id}/approve", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def mode(self, **modes: str) -> None:
        assert (await self.http.post("/api/autonomy/policy", json={"perConnector": modes})).status_code == 200


@pytest.fixture
async def services() -> AsyncIterator[Services]:
    made = Services(BotApi(), XService(), GitHub(), Netlify(), Google())
    async with served(made.bot, made.x, made.github, made.netlify, made.google):
        yield made


@asynccontextmanager
async def served(*fakes: Fake) -> AsyncGenerator[None]:
    """Every service on a port of its own."""
    servers: list[uvicorn.Server] = []
    serving: list[asyncio.Task[None]] = []
    for fake in fakes:
        door = socket.create_server(("127.0.0.1", 0))
        server = quiet_server(fake.app())  # of several that listen to signals, one that ended would stay in charge
        serving.append(asyncio.create_task(server.serve(sockets=[door])))
        while not server.started:  # noqa: ASYNC110  (uvicorn has no event for it)
            await asyncio.sleep(0.001)
        fake.url = f"http://127.0.0.1:{door.getsockname()[1]}"
        servers.append(server)
    yield
    # All at once: each looks only ten times a second whether it shall end.
    for server in servers:
        server.should_exit = server.force_exit = True
    await asyncio.gather(*serving, return_exceptions=True)


OpenInstance = Callable[..., Awaitable[Instance]]


@pytest.fixture
async def open_instance(tmp_path: Path, services: Services) -> AsyncIterator[OpenInstance]:
    """Opens a Prime that knows the services, as often as a test likes, over the same data."""
    async with AsyncExitStack() as stack:

        async def open_one(**variables: str) -> Instance:
            settings = Settings.load(
                {
                    "PRIME_DATA": str(tmp_path / "data"),
                    "TELEGRAM_API_BASE": services.bot.url,
                    "X_API_BASE": services.x.url,
                    **variables,
                }
            )
            prime = await stack.enter_async_context(open_prime(settings))
            transport = httpx2.ASGITransport(app=prime.app, raise_app_exceptions=False)
            client = httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787", timeout=60)
            return Instance(prime, await stack.enter_async_context(client))

        yield open_one


@pytest.fixture
async def instance(open_instance: OpenInstance) -> Instance:
    return await open_instance()
