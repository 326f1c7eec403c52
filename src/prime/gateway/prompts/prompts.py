"""Prompts as clients ask for them: MCP's own methods, and the seed's `prompt/list` and `prompt/call`."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from prime.core.errors import InvalidInput, JsonValue, NotFound, PrimeError
from prime.core.redaction import redact
from prime.gateway.behind.wishes import Infers
from prime.gateway.front.listing import page
from prime.gateway.front.sessions import Session
from prime.gateway.link import LINK, Asking
from prime.gateway.prompts.contexts import OWN, Contexts, said
from prime.gateway.prompts.folder import PromptFolders
from prime.gateway.prompts.prompt import Argument, Prompt, fill
from prime.gateway.prompts.theirs import Place, ServerPrompts
from prime.gateway.resources.resources import Resources
from prime.rooms.records import HUB, PRIME
from prime.store.log import Log
from prime.store.message import NewMessage

Given = Mapping[str, JsonValue]
Result = dict[str, JsonValue]
Model = Callable[[], str]
_MOST_LOGGED = 20_000


class Prompts:
    def __init__(
        self,
        folders: PromptFolders,
        theirs: ServerPrompts,
        contexts: Contexts,
        resources: Resources,
        mind: Infers,
        model: Model,
        log: Log,
    ) -> None:
        self._folders = folders
        self._theirs = theirs
        self._contexts = contexts
        self._resources = resources
        self._mind = mind
        self._model = model
        self._log = log

    async def listed(self, session: Session, params: Given) -> Result:
        self._resources.check(session)
        own = [prompt.as_json() for prompt in await self.all()]
        names = {prompt["name"] for prompt in own}
        # A file of that name is the owner's own word, and counts first.
        shown = own + [entry for entry in await self._theirs.listed() if entry["name"] not in names]
        cursor = params.get("cursor")
        items, following = page(shown, cursor if isinstance(cursor, str) else None)
        result: Result = {"prompts": items}
        return result | ({"nextCursor": following} if following else {})

    async def get(self, session: Session, params: Given) -> Result:
        self._resources.check(session)
        return (await self._filled(params.get("name"), params.get("arguments")))[1]

    async def _filled(self, name: JsonValue, arguments: JsonValue) -> tuple[str, Result]:
        """The name of a prompt, and what it says with these arguments."""
        if arguments is not None and not isinstance(arguments, dict):
            raise InvalidInput("arguments is an object.", field="arguments")
        given = cast("Given", arguments or {})
        prompt = await self.find(name)
        if isinstance(prompt, Prompt):
            return prompt.name, {"description": prompt.description, "messages": await self._messages(prompt, given)}
        return str(name), await self._theirs.get(prompt, given)

    async def call(self, session: Session, params: Given) -> Result:
        """Fill it in, ask the mind, keep what came of it."""
        self._may_call(session)
        arguments = params.get("arguments")
        name, filled = await self._filled(params.get("prompt_name", params.get("name")), arguments)
        question = "\n\n".join(_words(message) for message in cast("list[Result]", filled["messages"]))
        answer = await self._mind.infer(question)
        total = answer.prompt_tokens + answer.completion_tokens
        usage: Result = {
            "prompt_tokens": answer.prompt_tokens,
            "completion_tokens": answer.completion_tokens,
            "total_tokens": total,
        }
        await self._log.append(
            NewMessage(
                channel_id=HUB,
                actor_id=PRIME,
                kind="system",
                audience="hub",
                text=f"The prompt {name} was called.",
                body={
                    "op": "prompt_call",
                    "prompt": name,
                    "arguments": arguments or {},
                    "question": redact(question)[:_MOST_LOGGED],
                    "content": answer.text[:_MOST_LOGGED],
                    "model": answer.model,
                    "usage": usage,
                    "agentId": session.agent_id[:200],
                },
            )
        )
        return {"content": answer.text, "model": answer.model, "usage": usage}

    async def all(self) -> Sequence[Prompt]:
        """Prime's own first; a file cannot take their names."""
        found = {prompt.name: prompt for prompt in OWN}
        for prompt in await asyncio.to_thread(self._folders.all):
            found.setdefault(prompt.name, prompt)
        return list(found.values())

    async def find(self, name: JsonValue) -> Prompt | Place:
        """A prompt of Prime's, or the place of one behind it."""
        for prompt in await self.all():
            if prompt.name == name:
                return prompt
        place = await self._theirs.place(name) if isinstance(name, str) else None
        if place is None:
            raise NotFound(f"There is no prompt {str(name)[:80]!r}.", code="unknown_prompt", field="name")
        return place

    async def completed(self, place: Place, argument: Given) -> list[str]:
        """What the server of a prompt would have an argument be."""
        return await self._theirs.complete(place, argument)

    async def _messages(self, prompt: Prompt, given: Given) -> list[Result]:
        values = prompt.checked({**given, **await _asked(prompt, given)})
        if prompt in OWN:
            return await self._contexts.messages(prompt, values, self._model())
        messages: list[Result] = []
        for address in prompt.attach:
            for content in await self._resources.contents(fill(address, values)):
                messages.append({"role": "user", "content": _attached(content)})  # noqa: PERF401
        return [*messages, said("user", prompt.filled(values))] if prompt.body or not messages else messages

    def _may_call(self, session: Session) -> None:
        self._resources.check(session)
        delegation = session.client.delegation if session.client is not None else None
        if delegation is not None and delegation.restrictions.get("billable") is False:
            raise PrimeError("This client may not spend.", code="not_delegated", hint="Give its token billable.")


async def _asked(prompt: Prompt, given: Given) -> dict[str, JsonValue]:
    """Arguments that were not given and have a question of their own, from the client that can be asked."""
    link = LINK.get()
    missing = [one for one in prompt.arguments if one.ask and not given.get(one.name)]
    if not missing or link is None or not link.able("elicitation"):
        return {}
    answers = await link.ask({one.name: _question(one) for one in missing})
    found: dict[str, JsonValue] = {}
    for name, answer in answers.items():
        content = answer.get("content")
        if answer.get("action") == "accept" and isinstance(content, dict):
            found[name] = cast("Result", content).get(name)
    return found


def _question(argument: Argument) -> Asking:
    schema: Result = {"type": "object", "properties": {argument.name: {"type": "string"}}, "required": [argument.name]}
    return Asking("elicitation/create", {"message": argument.ask, "mode": "form", "requestedSchema": schema})


def _attached(shown: Result) -> Result:
    mime_type = str(shown.get("mimeType", ""))
    if "blob" in shown and mime_type.startswith(("image/", "audio/")):
        return {"type": mime_type.partition("/")[0], "data": shown["blob"], "mimeType": mime_type}
    return {"type": "resource", "resource": {key: value for key, value in shown.items() if key != "_meta"}}


def _words(message: Result) -> str:
    content = cast("Result", message["content"])
    if content.get("type") == "resource":
        return str(cast("Result", content["resource"]).get("text", ""))
    return str(content.get("text", ""))
