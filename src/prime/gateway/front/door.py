"""The way in for whoever serves HTTP: light to import, and the rest comes with the first client."""

from typing import Literal

from starlette.types import Receive, Scope, Send

from prime.gateway.gateway import Gateway

DoorName = Literal["http", "sse", "websocket"]


async def serve(gateway: Gateway, name: DoorName, scope: Scope, receive: Receive, send: Send, *, owner: bool) -> None:
    """`owner`: the caller may act as the owner; else a token is needed."""
    doors = (await gateway.front()).doors
    entry = {"http": doors.http, "sse": doors.sse, "websocket": doors.websocket}[name]
    await entry(scope, receive, send, owner=owner)
