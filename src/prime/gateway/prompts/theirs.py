"""Prompts of the servers behind, each under a name of its own: `server__prompt`."""

import asyncio
from collections.abc import Collection, Mapping
from typing import cast

from prime.core.errors import InvalidInput, JsonValue, PrimeError
from prime.gateway.behind.definitions import seen
from prime.gateway.behind.pool import Servers
from prime.gateway.behind.rpc import RpcError
from prime.gateway.behind.server import Server, completed, pages
from prime.gateway.resources.theirs import address_of
from prime.tools.atip.names import NameTable

Shown = dict[str, JsonValue]
Place = tuple[str, str]  # a server, and the name that a prompt has there
_MOST = 1000
_WITHIN_S = 5.0
_INVALID_PARAMS = -32602
_ROLES = ("user", "assistant")


class ServerPrompts:
    """`taken` are names of prompts that are nobody else's."""

    def __init__(self, servers: Servers, taken: Collection[str]) -> None:
        self._servers = servers
        self._taken = frozenset(taken)
        self._places: dict[str, Place] = {}

    async def listed(self) -> list[Shown]:
        """What every server that is there offers now; one that does not answer hides its own, and nobody else's."""
        ready = [s for s in self._servers.servers() if s.state == "ready" and "prompts" in s.capabilities]
        lists = await asyncio.gather(*(_of(server) for server in ready))
        found = {(s.config.name, "", str(e["name"])): e for s, es in zip(ready, lists, strict=True) for e in es}
        names = NameTable(found, self._taken)
        self._places = {names.name_of(path): (path[0], path[2]) for path in found}
        return [{**entry, "name": names.name_of(path)} for path, entry in found.items()]

    async def place(self, name: str) -> Place | None:
        """Which server has the prompt of this name, and what it is called there."""
        if name not in self._places:
            await self.listed()
        return self._places.get(name)

    async def get(self, place: Place, arguments: Mapping[str, JsonValue]) -> Shown:
        """The prompt as its server fills it in."""
        server = self._servers.server(place[0])
        try:
            said = await server.request("prompts/get", {"name": place[1], "arguments": dict(arguments)})
        except RpcError as error:
            if error.number != _INVALID_PARAMS:
                raise
            raise InvalidInput(f"{place[0]}: {error.message}", field="arguments") from None
        given, words = said.get("messages"), said.get("description")
        messages = [
            _relayed(server, cast("Shown", one))
            for one in (cast("list[JsonValue]", given) if isinstance(given, list) else [])
            if _is_message(one)
        ]
        return {"description": words if isinstance(words, str) else "", "messages": cast("JsonValue", messages)}

    async def complete(self, place: Place, argument: Mapping[str, JsonValue]) -> list[str]:
        """What its server would have an argument be."""
        ref: Shown = {"type": "ref/prompt", "name": place[1]}
        return await completed(self._servers.server(place[0]), ref, argument)


async def _of(server: Server) -> list[Shown]:
    try:
        items = await pages(server, "prompts/list", "prompts", _MOST, within_s=_WITHIN_S)
    except PrimeError:
        return []
    given = [seen(cast("Shown", one)) for one in items[:_MOST] if isinstance(one, dict)]
    return [_entry(one) for one in given if isinstance(one.get("name"), str) and one["name"]]


def _entry(given: Shown) -> Shown:
    kept: Shown = {key: given[key] for key in ("name", "title", "description") if isinstance(given.get(key), str)}
    arguments = given.get("arguments")
    named = [
        {key: one[key] for key in ("name", "title", "description", "required") if key in one}
        for one in map(_object, cast("list[JsonValue]", arguments) if isinstance(arguments, list) else [])
        if isinstance(one.get("name"), str)
    ]
    return kept | {"arguments": cast("JsonValue", named)}


def _object(value: JsonValue) -> Shown:
    return cast("Shown", value) if isinstance(value, dict) else {}


def _is_message(one: JsonValue) -> bool:
    given = _object(one)
    return given.get("role") in _ROLES and isinstance(given.get("content"), dict)


def _relayed(server: Server, message: Shown) -> Shown:
    """The message with its resources under the addresses that they have here."""
    content = cast("Shown", message["content"])
    inner = _object(content.get("resource"))
    if isinstance(inner.get("uri"), str):
        content = {**content, "resource": {**inner, "uri": address_of(server, str(inner["uri"]))}}
    elif content.get("type") == "resource_link" and isinstance(content.get("uri"), str):
        content = {**content, "uri": address_of(server, str(content["uri"]))}
    return {**message, "content": content}
