"""A process killed between the send and its record: shown as uncertain, and never sent again."""

import asyncio
import json
import os
import signal
import socket
from collections.abc import Callable
from typing import Protocol

import httpx2
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


class Serving(Protocol):
    process: "object"
    url: str


@pytest.mark.holds("D-HUB-23")
async def test_kill_9_between_send_and_record(serve: Callable[..., Serving]) -> None:
    sent: list[str] = []
    arrived = asyncio.Event()

    async def bot_api(request: Request) -> Response:
        method = request.url.path.rsplit("/", 1)[-1]
        if method == "getMe":
            return JSONResponse({"ok": True, "result": {"id": 1, "username": "helper_bot"}})
        if method == "sendMessage":
            sent.append(json.loads(await request.body())["text"])
            arrived.set()
            await asyncio.Event().wait()  # it has arrived, and the answer never comes
        if method == "getUpdates" and "offset" not in request.query_params:
            person = {"id": 5, "is_bot": False, "first_name": "Ana"}
            message = {
                "message_id": 1,
                "chat": {"id": 5, "type": "private"},
                "from": person,
                "text": "Where is the invoice?",
            }
            return JSONResponse({"ok": True, "result": [{"update_id": 1, "message": message}]})
        await asyncio.sleep(0.1)
        return JSONResponse({"ok": True, "result": []})

    door = socket.create_server(("127.0.0.1", 0))
    routes = [Route("/{path:path}", bot_api, methods=["GET", "POST"])]
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), lifespan="off", log_config=None, ws="none"))
    serving = asyncio.create_task(server.serve(sockets=[door]))
    base = f"http://127.0.0.1:{door.getsockname()[1]}"

    first = await asyncio.to_thread(serve, TELEGRAM_API_BASE=base)
    async with httpx2.AsyncClient(base_url=first.url, timeout=60) as http:
        await http.put("/api/connectors/telegram_bot", json={"settings": {"token": "1:abc"}})
        assert (await http.post("/api/connectors/telegram_bot/connect")).json()["status"]["state"] == "connected"
        drafts: list[dict[str, object]] = []
        async with asyncio.timeout(30):
            while not drafts:
                drafts = (await http.get("/api/drafts")).json()["items"]
        click = asyncio.create_task(http.post(f"/api/drafts/{drafts[0]['id']}/approve", json={}))
        await asyncio.wait_for(arrived.wait(), 30)
        os.kill(first.process.pid, signal.SIGKILL)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]
        await asyncio.gather(click, return_exceptions=True)

    second = await asyncio.to_thread(serve, TELEGRAM_API_BASE=base)
    async with httpx2.AsyncClient(base_url=second.url, timeout=60) as http:
        [draft] = (await http.get("/api/drafts")).json()["items"]
        assert draft["status"] == "uncertain"
        assert (await http.post(f"/api/drafts/{draft['id']}/approve", json={})).status_code == 409
        back = await http.post(f"/api/drafts/{draft['id']}/resolve", json={"outcome": "sent"})
        assert back.json()["status"] == "sent"
    assert len(sent) == 1
    server.should_exit = server.force_exit = True
    await serving
