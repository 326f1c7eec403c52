"""One request to a model: counted before it goes out, tried again when that may help, priced when it comes back."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from prime.core.clock import Clock, SystemClock
from prime.core.errors import PrimeError
from prime.mind.model.clients import Client
from prime.mind.model.errors import ModelNonsense, is_passing, translated
from prime.mind.model.messages import usage_of
from prime.mind.model.spec import ModelSpec
from prime.mind.protocol import Usage

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

ATTEMPTS = 3
_FIRST_WAIT = 1.0
_LONGEST_WAIT = 20.0
_JSON = re.compile(r"\{.*\}", re.DOTALL)

F = TypeVar("F", bound=BaseModel)


class Spending(Protocol):
    """What the spend guard does for a request. `prime.mind.spend.SpendGuard` is one."""

    async def allow_call(self) -> None: ...

    async def allow_image(self) -> None: ...

    async def record(self, usage: Usage) -> None: ...


class _Heard(Exception):
    """The stream broke after words had been passed on; trying again would say them twice."""

    def __init__(self, cause: PrimeError) -> None:
        self.cause = cause


@dataclass(frozen=True, slots=True)
class Caller:
    """Sends requests to one model."""

    spec: ModelSpec
    client: Client
    spending: Spending
    clock: Clock = field(default_factory=SystemClock)
    most_tokens: int = 4_096
    attempts: int = ATTEMPTS

    async def send(
        self,
        messages: "Sequence[ModelMessage]",
        parameters: "ModelRequestParameters",
        on_words: Callable[[str], None] | None = None,
    ) -> tuple["ModelResponse", Usage]:
        """The model's answer. Every attempt is a request and is counted as one."""
        wait = _FIRST_WAIT
        for attempt in range(1, self.attempts + 1):
            await self.spending.allow_call()
            try:
                response = await self._once(messages, parameters, on_words)
            except _Heard as broken:
                raise broken.cause from broken.__cause__
            except _failures() as error:
                told = translated(error, self.spec.name)
                if attempt == self.attempts or not is_passing(told, getattr(error, "status_code", None)):
                    raise told from error
                await self.clock.sleep(min(_wait_asked_for(error) or wait, _LONGEST_WAIT))
                wait *= 4
                continue
            usage = usage_of(response, self.spec)
            await self.spending.record(usage)
            return response, usage
        raise AssertionError  # the loop returns or raises

    async def fill(self, messages: "Sequence[ModelMessage]", form: type[F]) -> tuple[F, Usage]:
        """A form filled by the model. What does not fit is sent back once, with what is wrong with it."""
        from pydantic_ai import messages as theirs

        parameters = _form_parameters(form)
        first, usage = await self.send(messages, parameters)
        try:
            return _filled(first, form), usage
        except ValidationError as error:
            wrong = _told(error)
        again = [*messages, _as_words(first), theirs.ModelRequest(parts=[theirs.UserPromptPart(wrong)])]
        _move_instructions(again)
        second, more = await self.send(again, parameters)
        usage = _sum(usage, more)
        try:
            return _filled(second, form), usage
        except ValidationError as error:
            raise ModelNonsense(
                f"{self.spec.name} answered twice with something that does not fit: {error.error_count()} places.",
                hint="Try again, or use a model that can fill forms.",
            ) from error

    async def _once(
        self,
        messages: "Sequence[ModelMessage]",
        parameters: "ModelRequestParameters",
        on_words: Callable[[str], None] | None,
    ) -> "ModelResponse":
        from pydantic_ai.direct import model_request, model_request_stream

        settings = self._settings()
        if on_words is None:
            return await model_request(
                self.client.model, messages, model_settings=settings, model_request_parameters=parameters
            )
        heard = False
        try:
            async with model_request_stream(
                self.client.model, messages, model_settings=settings, model_request_parameters=parameters
            ) as stream:
                async for event in stream:
                    words = _words_in(event)
                    if words:
                        heard = True
                        on_words(words)
            return stream.get()
        except _failures() as error:
            if heard:
                raise _Heard(translated(error, self.spec.name)) from error
            raise

    def _settings(self) -> "ModelSettings":
        settings: ModelSettings = {"max_tokens": self.most_tokens}
        if self.spec.provider != "gemini":
            # We retry ourselves, and count every attempt.
            settings["max_retries"] = 0
        return settings


def _failures() -> tuple[type[Exception], ...]:
    import httpx2
    from pydantic_ai.exceptions import AgentRunError

    return (AgentRunError, httpx2.HTTPError, TimeoutError, ConnectionError)


def _words_in(event: object) -> str:
    from pydantic_ai import messages as theirs

    if isinstance(event, theirs.PartStartEvent) and isinstance(event.part, theirs.TextPart):
        return event.part.content
    if isinstance(event, theirs.PartDeltaEvent) and isinstance(event.delta, theirs.TextPartDelta):
        return event.delta.content_delta
    return ""


def _wait_asked_for(error: Exception) -> float | None:
    """Seconds that the provider asks to wait, where it says so."""
    waits = getattr(error, "retry_after", None)
    return float(waits) if isinstance(waits, int | float) and waits > 0 else None


def _form_parameters(form: type[BaseModel]) -> "ModelRequestParameters":
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    tool = ToolDefinition(
        name="fill_form",
        description=form.__doc__ or "The answer.",
        parameters_json_schema=form.model_json_schema(),
        kind="output",
        strict=False,
    )
    return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=True)


def _filled(response: "ModelResponse", form: type[F]) -> F:
    """The form from a tool call, or from JSON in the words of a model that does not know tools."""
    from pydantic_ai import messages as theirs

    for part in response.parts:
        if isinstance(part, theirs.ToolCallPart):
            return (
                form.model_validate_json(part.args)
                if isinstance(part.args, str)
                else form.model_validate(part.args or {})
            )
    text = "".join(part.content for part in response.parts if isinstance(part, theirs.TextPart))
    found = _JSON.search(text)
    return form.model_validate_json(found[0] if found else text or "null")


def _told(error: ValidationError) -> str:
    places = [
        f"{'.'.join(map(str, each['loc'])) or 'the answer'}: {each['msg']}"
        for each in error.errors(include_url=False, include_context=False, include_input=False)[:8]
    ]
    return f"That does not fit the form: {'; '.join(places)}. Fill it again, completely, and answer with nothing else."


def _as_words(response: "ModelResponse") -> "ModelMessage":
    """A failed answer as plain words: a call without a result could not be sent back."""
    from pydantic_ai import messages as theirs

    shown = "".join(
        part.content if isinstance(part, theirs.TextPart) else json.dumps(part.args, ensure_ascii=False)
        for part in response.parts
        if isinstance(part, theirs.TextPart | theirs.ToolCallPart)
    )
    return theirs.ModelResponse(parts=[theirs.TextPart(shown[:4_000] or "(nothing)")])


def _move_instructions(messages: "list[ModelMessage]") -> None:
    """Instructions stand in the last request."""
    from pydantic_ai import messages as theirs

    requests = [message for message in messages if isinstance(message, theirs.ModelRequest)]
    for message in requests[:-1]:
        requests[-1].instructions = requests[-1].instructions or message.instructions


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        requests=one.requests + other.requests,
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        micro_dollars=one.micro_dollars + other.micro_dollars,
    )
