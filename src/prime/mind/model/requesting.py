"""One request to a model: counted before it goes out, tried again when that may help, priced when it comes back or is cut."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from prime.core.clock import Clock, SystemClock
from prime.core.errors import PrimeError, TimedOut
from prime.mind.jobs.lines import Usage
from prime.mind.model.clients import Client
from prime.mind.model.errors import ModelNonsense, ModelRefused, declined, is_passing, translated, unreadable
from prime.mind.model.forms import Only, as_bounds, as_tool, as_words, filled, what_is_wrong
from prime.mind.model.messages import estimated_usage, usage_of
from prime.mind.model.sense import loop_begins
from prime.mind.model.spec import ModelSpec
from prime.mind.model.turnstile import LATER, SPEAKING, Turnstile

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import ModelRequestParameters, StreamedResponse
    from pydantic_ai.settings import ModelSettings

ATTEMPTS = 3
_FIRST_WAIT = 1.0
_LONGEST_WAIT = 20.0
# A model nearby works on few things at a time; how many requests a far one takes at once is its provider's matter.
NEAR_AT_ONCE = 2
_FAR_AT_ONCE = 64
# How many new characters are waited for before the words are looked at again for a loop.
_LOOK_EVERY = 120
_LOOKED_BACK = 2_000

F = TypeVar("F", bound=BaseModel)


class Spending(Protocol):
    """What the spend guard does for a request. `prime.mind.spend.SpendGuard` is one."""

    async def allow_call(self) -> None: ...

    async def allow_image(self) -> None: ...

    async def record(self, usage: Usage) -> None: ...


class _Words:
    """Words of a stream so far."""

    def __init__(self) -> None:
        self.text = ""
        self._looked_at = 0

    def goes_round(self, more: str) -> bool:
        """Add some, and say whether the model repeats itself."""
        self.text += more
        if len(self.text) - self._looked_at < _LOOK_EVERY:
            return False
        self._looked_at = len(self.text)
        return loop_begins(self.text[-_LOOKED_BACK:]) is not None


class _Heard(Exception):
    """The stream broke after words had been passed on; trying again would say them twice."""

    def __init__(self, cause: PrimeError) -> None:
        self.cause = cause


class Caller:
    """Sends requests to one model."""

    def __init__(
        self,
        spec: ModelSpec,
        client: Client,
        spending: Spending,
        clock: Clock | None = None,
        *,
        most_tokens: int = 4_096,
        attempts: int = ATTEMPTS,
    ) -> None:
        self.spec = spec
        self.client = client
        self._spending = spending
        self._clock = clock or SystemClock()
        self._most_tokens = most_tokens
        self._attempts = attempts
        self._turnstile = Turnstile(NEAR_AT_ONCE if spec.is_near else _FAR_AT_ONCE)
        # Until the server says that it does not know how.
        self._holds_to_forms = spec.holds_to_forms

    async def send(
        self,
        messages: "Sequence[ModelMessage]",
        parameters: "ModelRequestParameters",
        on_words: Callable[[str], None] | None = None,
        *,
        importance: int = SPEAKING,
    ) -> tuple["ModelResponse", Usage]:
        """The model's answer. Every attempt is a request and is counted as one."""
        wait = _FIRST_WAIT
        for attempt in range(1, self._attempts + 1):
            try:
                async with self._turnstile.turn(importance):
                    await self._spending.allow_call()
                    response = await self._recorded(messages, parameters, on_words)
            except _Heard as broken:
                raise broken.cause from broken.__cause__
            except PrimeError:
                raise  # the spend guard's
            except Exception as error:  # whatever the way to a provider makes of its answers
                told = translated(error, self.spec.name)
                if attempt == self._attempts or not self._may_help(told, getattr(error, "status_code", None)):
                    raise told from error
                await self._clock.sleep(min(_wait_asked_for(error) or wait, _LONGEST_WAIT))
                wait *= 4
                continue
            usage = usage_of(messages, response, self.spec)
            await self._spending.record(usage)
            if trouble := _trouble(response, self.spec.name):
                raise trouble
            return response, usage
        raise AssertionError  # the loop returns or raises

    async def _recorded(
        self,
        messages: "Sequence[ModelMessage]",
        parameters: "ModelRequestParameters",
        on_words: Callable[[str], None] | None,
    ) -> "ModelResponse":
        """The answer. A request that was called off or cut costs all the same: what went out, and what had come."""
        heard = _Words()
        try:
            return await self._once(messages, parameters, on_words, heard)
        except BaseException as error:
            if _was_at_work(error):
                cost = estimated_usage(messages, heard.text, self.spec)
                with suppress(Exception):  # the one error is told
                    await asyncio.shield(self._spending.record(cost))
            raise

    async def fill(
        self,
        messages: "Sequence[ModelMessage]",
        form: type[F],
        *,
        only: Only | None = None,
        importance: int = LATER,
    ) -> tuple[F, Usage]:
        """A form filled by the model. What does not fit is sent back once, with what is wrong with it."""
        from pydantic_ai import messages as theirs

        first, usage = await self._ask_to_fill(messages, form, only or {}, importance)
        try:
            return filled(first, form), usage
        except ValidationError as error:
            wrong = what_is_wrong(error)
        again = [*messages, as_words(first), theirs.ModelRequest(parts=[theirs.UserPromptPart(wrong)])]
        _move_instructions(again)
        second, more = await self._ask_to_fill(again, form, only or {}, importance)
        usage = _sum(usage, more)
        try:
            return filled(second, form), usage
        except ValidationError as error:
            raise ModelNonsense(
                f"{self.spec.name} answered twice with something that does not fit: {error.error_count()} places.",
                hint="Try again, or use a model that can fill forms.",
            ) from error

    async def _ask_to_fill(
        self, messages: "Sequence[ModelMessage]", form: type[BaseModel], only: Only, importance: int
    ) -> tuple["ModelResponse", Usage]:
        """Held to the form where the server can do that; a server that refuses is asked as all others from then on."""
        if self._holds_to_forms:
            try:
                return await self.send(messages, as_bounds(form, only), importance=importance)
            except ModelRefused:
                answer = await self.send(messages, as_tool(form), importance=importance)
                self._holds_to_forms = False
                return answer
        return await self.send(messages, as_tool(form), importance=importance)

    def _may_help(self, error: PrimeError, status: int | None) -> bool:
        """Whether to try once more. A model nearby that was too slow would be asked while it still works on the first."""
        return is_passing(error, status) and not (self.spec.is_near and isinstance(error, TimedOut))

    async def _once(
        self,
        messages: "Sequence[ModelMessage]",
        parameters: "ModelRequestParameters",
        on_words: Callable[[str], None] | None,
        heard: _Words,
    ) -> "ModelResponse":
        from pydantic_ai.direct import model_request, model_request_stream

        settings = self._settings()
        # A small model of one's own may go round until its last token: its words are watched, whoever else hears them.
        watched = self.spec.holds_to_forms and parameters.output_mode == "text"
        if on_words is None and not watched:
            return await model_request(
                self.client.model, messages, model_settings=settings, model_request_parameters=parameters
            )
        try:
            async with model_request_stream(
                self.client.model, messages, model_settings=settings, model_request_parameters=parameters
            ) as stream:
                async for event in stream:
                    words = _words_in(event)
                    if words:
                        if on_words:
                            on_words(words)
                        if heard.goes_round(words) and self.spec.holds_to_forms:
                            return await _broken_off(stream)
            return stream.get()
        except Exception as error:
            if heard.text and on_words:
                raise _Heard(translated(error, self.spec.name)) from error
            raise

    def _settings(self) -> "ModelSettings":
        settings: ModelSettings = {"max_tokens": self._most_tokens}
        if self.spec.provider != "gemini":
            # We retry ourselves, and count every attempt.
            settings["max_retries"] = 0
        return settings


def _was_at_work(error: BaseException) -> bool:
    """Whether a provider was at the answer when it ended so: not where it was never reached, or said that it does not answer."""
    from pydantic_ai import exceptions as theirs

    if isinstance(error, asyncio.CancelledError | _Heard):
        return True
    return isinstance(error, theirs.ModelConnectionError) and error.phase == "read"


def _trouble(response: "ModelResponse", name: str) -> PrimeError | None:
    """Why there is nothing in an answer; None where there is something, or the model itself ended without a word, which is its
    way to say that it has nothing to add."""
    from pydantic_ai import messages as theirs

    empty = all(isinstance(part, theirs.TextPart) and not part.content.strip() for part in response.parts)
    if not empty or response.finish_reason == "stop":
        return None
    if response.finish_reason == "content_filter":
        return declined(name)
    if response.finish_reason == "length":
        return ModelNonsense(f"{name} came to no answer before its words were used up.", hint="Use another model.")
    return unreadable(name)


async def _broken_off(stream: "StreamedResponse") -> "ModelResponse":
    """What there is of it. It is read to its end, where each layer of the client ends the one below it: what were left in the
    middle would wait for the collector, which comes in any thread."""
    await stream.cancel()
    response = stream.get()
    with suppress(Exception):  # the connection is closed, and each layer says so in its own way
        async for _ in stream:
            pass
    return response


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
