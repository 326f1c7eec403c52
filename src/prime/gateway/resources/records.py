"""Prime's own records as resources: channels, the feed, startup scripts, tools."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import quote, unquote

from prime.core.clock import iso
from prime.core.errors import JsonValue, NotFound
from prime.dialogs.dialogs import Dialogs
from prime.dialogs.scripts.refs import parse_ref
from prime.gateway.resources.files import Content
from prime.hub.hub import Hub
from prime.rooms.records import HUB
from prime.rooms.rooms import Rooms
from prime.rooms.views import View, full_text
from prime.store.store import Store
from prime.tools.catalog import Catalog, UnknownTool
from prime.tools.pipeline.builtins import tool_json
from prime.tools.runtime import RunContext

SCHEME = "prime://"
_MESSAGES = 200
Shown = dict[str, JsonValue]
TEMPLATES: tuple[tuple[str, str, str, str], ...] = (
    ("prime://channel/{id}", "channel", "What was said in a channel lately.", "text/markdown"),
    ("prime://tool/{name}", "tool", "A tool: its parameters, effects and where it comes from.", "application/json"),
    ("prime://script/{+ref}", "script", "A startup script.", "text/markdown"),
)


class Records:
    begins = SCHEME

    def __init__(
        self, store: Store, rooms: Rooms, hub: Hub, dialogs: Dialogs, catalog: Catalog, workspace: Path
    ) -> None:
        self._store = store
        self._rooms = rooms
        self._hub = hub
        self._dialogs = dialogs
        self._catalog = catalog
        self._workspace = workspace

    async def listed(self) -> list[Shown]:
        """The feed, the channels and the scripts; tools have a listing of their own."""
        shown = [_entry("prime://feed", "Feed", "What reached the owner.", "application/json")]
        after = 0
        while page := await self._rooms.channels(after=after, limit=100):
            after = page[-1][0]
            for _, channel in page:
                uri = f"prime://channel/{quote(channel.id, safe='')}"
                shown.append(_entry(uri, channel.name, f"A channel ({channel.tier}).", "text/markdown"))
        scripts = await self._dialogs.search_scripts(None, "")
        for script in scripts.items:
            uri = f"prime://script/{quote(str(script.ref))}"
            shown.append(_entry(uri, script.title or str(script.ref), "A startup script.", "text/markdown"))
        return shown

    async def templates(self) -> list[Shown]:
        return [
            {"uriTemplate": uri, "name": name, "description": description, "mimeType": mime_type}
            for uri, name, description, mime_type in TEMPLATES
        ]

    async def contents(self, uri: str) -> list[Shown]:
        return [(await self.read(uri)).as_json()]

    async def watch(self, uri: str) -> None:
        """Channels and the feed tell of changes by the log; of the others nobody hears."""

    async def read_from(self, context: RunContext, uri: str) -> Content:
        """What an agent may read from the channel it speaks in: that channel, and the tools that it may call there."""
        kind, rest = _parsed(uri)
        inside = context.channel_id not in (None, HUB)
        own_tool = kind == "tool" and self._is_there(rest, context)
        if inside and not (own_tool or (kind, rest) == ("channel", context.channel_id)):
            raise _unknown(uri)
        return await self.read(uri)

    def _is_there(self, tool: str, context: RunContext) -> bool:
        try:
            return context.permits is None or context.permits(self._catalog.get(tool))
        except UnknownTool:
            return False

    async def read(self, uri: str) -> Content:
        """What the owner, and a client to whom reading was left, may read: all of it."""
        kind, rest = _parsed(uri)
        readers: dict[str, Callable[[str], Awaitable[tuple[str, str]]]] = {
            "feed": self._feed,
            "channel": self._channel,
            "tool": self._tool,
            "script": self._script,
        }
        if kind not in readers:
            raise _unknown(uri)
        mime_type, text = await readers[kind](rest)
        return Content(uri, mime_type, text.encode("utf-8", "replace"))

    async def _feed(self, _rest: str) -> tuple[str, str]:
        items = [
            {
                "id": item.id,
                "type": item.type,
                "title": item.title,
                "text": item.text,
                "channelId": item.channel_id,
                "sources": list(item.sources),
                "ts": iso(item.ts),
            }
            for _, item in await self._hub.feed(limit=100)
        ]
        return "application/json", json.dumps({"items": items}, ensure_ascii=False, indent=2)

    async def _channel(self, channel_id: str) -> tuple[str, str]:
        view = await View.of(self._store, channel_id)
        names = {actor.id: actor.name for actor in await self._rooms.actors()}
        lines = [f"# {view.channel.name}", ""]
        for message in await view.messages(limit=_MESSAGES):
            if message.kind in {"text", "brief", "note", "edit"}:
                said = await full_text(self._store, message)
                lines.append(f"**{names.get(message.actor_id, message.actor_id)}** ({iso(message.ts)}): {said}\n")
        return "text/markdown", "\n".join(lines)

    async def _tool(self, name: str) -> tuple[str, str]:
        return "application/json", json.dumps(tool_json(self._catalog.get(name)), ensure_ascii=False, indent=2)

    async def _script(self, ref: str) -> tuple[str, str]:
        found = parse_ref(ref)
        listed = await self._dialogs.search_scripts(None, "")
        if all(script.ref != found for script in listed.items):
            raise NotFound(f"There is no startup script {ref[:200]}.", code="unknown_resource")
        text = await asyncio.to_thread((self._workspace / found.path).read_text, "utf-8")
        return "text/markdown", text


def _parsed(uri: str) -> tuple[str, str]:
    kind, _, rest = uri.removeprefix(SCHEME).partition("/")
    return kind, unquote(rest)


def _unknown(uri: str) -> NotFound:
    return NotFound(f"There is no resource {uri[:200]}.", code="unknown_resource", uri=uri[:500])


def _entry(uri: str, name: str, description: str, mime_type: str) -> Shown:
    return {"uri": uri, "name": name, "description": description, "mimeType": mime_type}
