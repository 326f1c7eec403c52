"""Resources of the servers behind: `prime://server/NAME/…`, with the server's own address behind the name."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import cast
from urllib.parse import quote, unquote

from prime.core.errors import InvalidInput, JsonValue, NotFound, PrimeError
from prime.gateway.behind.definitions import seen
from prime.gateway.behind.pool import Servers
from prime.gateway.behind.server import Server, completed, pages

THEIRS = "prime://server/"
_MOST = 1000
_WITHIN_S = 5.0
Shown = dict[str, JsonValue]


class ServerResources:
    begins = THEIRS

    def __init__(self, servers: Servers) -> None:
        self._servers = servers

    async def listed(self) -> list[Shown]:
        return await self._all("resources/list", "resources", "uri")

    async def templates(self) -> list[Shown]:
        return await self._all("resources/templates/list", "resourceTemplates", "uriTemplate")

    async def contents(self, uri: str) -> list[Shown]:
        server, own = self._theirs(uri)
        said = await server.request("resources/read", {"uri": own})
        contents = said.get("contents")
        given = cast("list[JsonValue]", contents) if isinstance(contents, list) else []
        found = [cast("Shown", one) for one in given if isinstance(one, dict)]
        return [
            {**one, "uri": uri if one.get("uri") == own else address_of(server, str(one["uri"]))}
            for one in found
            if _is_content(one)
        ]

    async def watch(self, uri: str) -> None:
        """Let the server tell of changes, where it can."""
        server, own = self._theirs(uri)
        able = server.capabilities.get("resources")
        if not (isinstance(able, dict) and cast("Shown", able).get("subscribe")):
            raise InvalidInput(f"{server.config.name} does not tell of changes.", field="uri")
        await server.request("resources/subscribe", {"uri": own})

    async def complete(self, template: str, argument: Mapping[str, JsonValue]) -> list[str]:
        """What a server would have a variable of one of its templates be."""
        server, own = self._theirs(template)
        return await completed(server, {"type": "ref/resource", "uri": own}, argument)

    async def _all(self, method: str, list_key: str, uri_key: str) -> list[Shown]:
        ready = [s for s in self._servers.servers() if s.state == "ready" and "resources" in s.capabilities]
        lists = await asyncio.gather(*(self._of(server, method, list_key, uri_key) for server in ready))
        return [entry for entries in lists for entry in entries]

    async def _of(self, server: Server, method: str, list_key: str, uri_key: str) -> list[Shown]:
        try:
            items = await pages(server, method, list_key, _MOST, within_s=_WITHIN_S)
        except PrimeError:
            return []  # one server that does not answer hides its own, and nobody else's
        return list(self._entries(server, items[:_MOST], uri_key))

    def _entries(self, server: Server, items: Sequence[JsonValue], uri_key: str) -> Iterable[Shown]:
        for one in items:
            entry = seen(cast("Shown", one)) if isinstance(one, dict) else {}
            if isinstance(entry.get(uri_key), str) and isinstance(entry.get("name"), str):
                kept = {k: entry[k] for k in ("title", "description", "mimeType") if isinstance(entry.get(k), str)}
                name = f"{server.config.name}: {entry['name']}"
                own = cast("str", entry[uri_key])
                yield {
                    uri_key: address_of(server, own, template=uri_key == "uriTemplate"),
                    "name": name[:500],
                    **kept,
                }

    def _theirs(self, uri: str) -> tuple[Server, str]:
        name, slash, own = uri.removeprefix(THEIRS).partition("/")
        if not slash or not own:
            raise NotFound(f"There is no resource {uri[:200]}.", code="unknown_resource")
        return self._servers.server(name), unquote(own)


def address_of(server: Server, own: str, *, template: bool = False) -> str:
    """What is called for a resource of a server here; in a template the variables stay what they are."""
    return f"{THEIRS}{server.config.name}/{quote(own, safe='/:{}+?#&;*,.=' if template else '')}"


def _is_content(entry: Shown) -> bool:
    return isinstance(entry.get("uri"), str) and any(isinstance(entry.get(key), str) for key in ("text", "blob"))
