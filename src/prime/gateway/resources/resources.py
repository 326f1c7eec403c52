"""All resources as clients ask for them."""

import asyncio
from collections.abc import Mapping, Sequence

from prime.core.errors import Forbidden, InvalidInput, JsonValue, NotFound
from prime.gateway.front.listing import may_see, page
from prime.gateway.front.sessions import Session
from prime.gateway.resources.files import WorkspaceFiles
from prime.gateway.resources.source import ResourceSource, Shown
from prime.tools.tool import Tool

Given = Mapping[str, JsonValue]
Result = dict[str, JsonValue]
_PAGE = 500
_MOST_SUBSCRIBED = 1000


class WorkspaceResources:
    """The workspace's files as a source."""

    begins = "file:"

    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files

    async def listed(self) -> list[Shown]:
        return await asyncio.to_thread(self._files.listed)

    async def templates(self) -> list[Shown]:
        return [{"uriTemplate": self._files.template, "name": "workspace", "description": "A file of the workspace."}]

    async def contents(self, uri: str) -> list[Shown]:
        return [(await asyncio.to_thread(self._files.read, uri)).as_json()]

    async def watch(self, uri: str) -> None:
        self._files.parts(uri)


class Resources:
    """`reading` is the tool `read_resource`: a client that it is not left to reads nothing here either."""

    def __init__(self, sources: Sequence[ResourceSource], reading: Tool) -> None:
        self._sources = sorted(sources, key=lambda source: -len(source.begins))
        self._order = list(sources)
        self._reading = reading

    async def listed(self, session: Session, params: Given) -> Result:
        self.check(session)
        entries = [entry for source in self._order for entry in await source.listed()]
        items, following = page(entries, _text(params, "cursor"), _PAGE)
        result: Result = {"resources": items}
        return result | ({"nextCursor": following} if following else {})

    async def templates(self, session: Session, params: Given) -> Result:
        self.check(session)
        entries = [entry for source in self._order for entry in await source.templates()]
        items, following = page(entries, _text(params, "cursor"), _PAGE)
        result: Result = {"resourceTemplates": items}
        return result | ({"nextCursor": following} if following else {})

    async def read(self, session: Session, params: Given) -> Result:
        self.check(session)
        return {"contents": await self.contents(_uri(params))}

    async def contents(self, uri: str) -> list[Shown]:
        return await self._source(uri).contents(uri)

    async def watch(self, session: Session, uris: Sequence[str]) -> None:
        """Raises for what can never be there, and for who may not read; what is not there yet can be waited for."""
        if uris:
            self.check(session)
        if len(session.subscribed) + len(uris) > _MOST_SUBSCRIBED:
            raise InvalidInput(f"At most {_MOST_SUBSCRIBED} resources are watched for one client.", field="uri")
        for uri in uris:
            await self._source(uri).watch(uri)

    async def subscribe(self, session: Session, params: Given) -> None:
        uri = _uri(params)
        await self.watch(session, [uri])
        session.subscribed.add(uri)

    async def unsubscribe(self, session: Session, params: Given) -> None:
        session.subscribed.discard(_uri(params))

    def check(self, session: Session) -> None:
        """A client whose token does not leave it `read_resource` sees none."""
        if session.client is not None and not may_see(self._reading, session.client.delegation):
            raise Forbidden(
                "Resources are not left to this client.",
                code="not_delegated",
                hint="Make a token whose --tools has read_resource.",
            )

    def _source(self, uri: str) -> ResourceSource:
        for source in self._sources:
            if uri.startswith(source.begins):
                return source
        raise NotFound(f"There is no resource {uri[:200]}.", code="unknown_resource", uri=uri[:500])


def _uri(params: Given) -> str:
    uri = params.get("uri")
    if not isinstance(uri, str) or not uri or len(uri) > 8192:
        raise InvalidInput("A resource is named by its uri.", field="uri")
    return uri


def _text(params: Given, key: str) -> str | None:
    value = params.get(key)
    return value if isinstance(value, str) else None
