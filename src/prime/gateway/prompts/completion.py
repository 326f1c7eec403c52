"""`completion/complete`: what may stand in an argument, while it is being typed."""

from collections.abc import Iterable, Mapping
from typing import cast

from prime.core.errors import InvalidInput, JsonValue, NotFound
from prime.gateway.front.sessions import Session
from prime.gateway.prompts.prompt import Prompt
from prime.gateway.prompts.prompts import Prompts
from prime.gateway.resources.files import WorkspaceFiles
from prime.gateway.resources.resources import Resources
from prime.gateway.resources.theirs import THEIRS, ServerResources
from prime.rooms.rooms import Rooms
from prime.tools.catalog import Catalog

Given = Mapping[str, JsonValue]
_MOST = 100


class Completion:
    def __init__(
        self,
        prompts: Prompts,
        resources: Resources,
        servers: ServerResources,
        rooms: Rooms,
        catalog: Catalog,
        files: WorkspaceFiles,
    ) -> None:
        self._servers = servers
        self._prompts = prompts
        self._resources = resources
        self._rooms = rooms
        self._catalog = catalog
        self._files = files

    async def complete(self, session: Session, params: Given) -> dict[str, JsonValue]:
        self._resources.check(session)
        ref, argument = _object(params.get("ref"), "ref"), _object(params.get("argument"), "argument")
        name, value = argument.get("name"), argument.get("value")
        if not isinstance(name, str) or not isinstance(value, str):
            raise InvalidInput("An argument has a name and a value.", field="argument")
        known = ref.get("type") == "ref/prompt"
        choices = await (self._of_prompt(ref, argument) if known else self._of_template(ref.get("uri"), argument))
        found = sorted({choice for choice in choices if choice.casefold().startswith(value[:500].casefold())})
        shown: dict[str, JsonValue] = {"values": found[:_MOST], "total": len(found), "hasMore": len(found) > _MOST}
        return {"completion": shown}

    async def _of_prompt(self, ref: Given, given: Given) -> Iterable[str]:
        try:
            prompt = await self._prompts.find(ref.get("name"))
        except NotFound as error:
            raise NotFound(error.message, code=error.error_code, field="ref.name") from None
        if not isinstance(prompt, Prompt):
            return await self._prompts.completed(prompt, given)
        name = str(given["name"])
        argument = next((one for one in prompt.arguments if one.name == name), None)
        if argument is None:
            raise InvalidInput(f"The prompt has no argument {name[:80]!r}.", field="argument.name")
        return argument.values or (await self._channels() if name == "channel" else ())

    async def _of_template(self, uri: JsonValue, given: Given) -> Iterable[str]:
        name = given["name"]
        if isinstance(uri, str) and uri.startswith(THEIRS):
            return await self._servers.complete(uri, given)
        if uri == "prime://channel/{id}" and name == "id":
            return await self._channels()
        if uri == "prime://tool/{name}" and name == "name":
            return [tool.name for tool in self._catalog.tools()]
        if uri == self._files.template and name == "path":
            return [cast("str", one["name"]) for one in self._files.listed()]
        return ()

    async def _channels(self) -> list[str]:
        return [channel.id for _, channel in await self._rooms.channels(limit=500)]


def _object(value: JsonValue, name: str) -> Given:
    if not isinstance(value, dict):
        raise InvalidInput(f"{name} is an object.", field=name)
    return cast("Given", value)
