"""Which mind an instance uses: what the owner set, else what is found and answers, else the offline engine."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from prime.core.clock import Clock
from prime.core.errors import PrimeError
from prime.core.settings import Settings
from prime.mind.jobs.lines import NOTHING, Usage
from prime.mind.jobs.speaking import ReplyRequest
from prime.mind.model.clients import SECONDS, load
from prime.mind.model.errors import is_passing
from prime.mind.model.finding import found_models
from prime.mind.model.mind import ModelMind
from prime.mind.model.requesting import Spending
from prime.mind.model.spec import OFFLINE, ModelProvider, ModelSpec, checked_address, parse_spec, plain_address
from prime.mind.offline import OfflineMind
from prime.mind.present import NO_MODEL, WANTED_OFFLINE
from prime.mind.protocol import Mind
from prime.mind.spend import SpendStopped
from prime.mind.turns import Conversation, Words

TRY_SECONDS = 20.0
# A model of one's own is loaded into memory at the first request, which takes as long as the disk takes.
NEAR_TRY_SECONDS = 180.0
# And writes a whole plan in minutes, where the computer is old.
NEAR_SECONDS = 300.0
_QUESTION = "Answer with the one word: ready"


@dataclass(frozen=True, slots=True)
class Tried:
    """What one live call to a model gave."""

    name: str
    ok: bool
    # What it answered, or why it did not.
    text: str
    usage: Usage = NOTHING
    # Whether its price is known; where it is not, its requests count as costing nothing.
    priced: bool = True
    # Whether it may answer later: it was slow, or not there yet.
    passing: bool = False
    # Whether it was not asked at all, because a cap is reached.
    held_back: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """The mind, why it was chosen, and what was tried on the way, for the status strip."""

    mind: Mind
    reason: str
    tried: tuple[Tried, ...] = ()

    @property
    def priced(self) -> bool:
        """Whether the price of what was chosen is known."""
        return all(each.priced for each in self.tried if each.ok or each.held_back)

    @property
    def may_be_better_later(self) -> bool:
        """Whether a model that was wanted did not answer and yet may."""
        return any(each.passing for each in self.tried) and not any(each.ok for each in self.tried)


class _Free:
    """A try before anything is saved is not held back by a cap, and is not counted."""

    async def allow_call(self) -> None: ...

    async def allow_image(self) -> None: ...

    async def record(self, usage: Usage) -> None: ...


async def try_model(
    spec: str | ModelSpec, key: str | None = None, base_url: str | None = None, *, spending: Spending | None = None
) -> Tried:
    """One live call. It never raises for what is wrong with the model or the key: `text` says it."""
    try:
        parsed = spec if isinstance(spec, ModelSpec) else parse_spec(spec, key, base_url)
        checked_address(parsed.base_url)
        await asyncio.to_thread(load, parsed)
        seconds = NEAR_TRY_SECONDS if parsed.is_near else TRY_SECONDS
        mind = ModelMind(parsed, spending or _Free(), seconds=seconds, attempts=1)
    except PrimeError as error:
        return Tried(str(spec), ok=False, text=str(error))
    try:
        # As short as can be: a model on a slow computer reads a few words in a second, and a whole prompt in minutes.
        asked = Conversation(system="", turns=[Words(role="user", text=_QUESTION)])
        reply = await mind.reply(
            ReplyRequest(speaker="Prime", channel_name="Try", tier="team", brief="", lines=(), conversation=asked)
        )
    except SpendStopped as error:
        return Tried(parsed.name, ok=False, text=str(error), priced=mind.priced, held_back=True)
    except PrimeError as error:
        return Tried(parsed.name, ok=False, text=str(error), priced=mind.priced, passing=is_passing(error, None))
    finally:
        await mind.close()
    if not (reply.text or reply.thought):
        nothing = f"{parsed.name} answered with nothing. Check the model's name and the address."
        return Tried(parsed.name, ok=False, text=nothing, usage=reply.usage, priced=mind.priced)
    return Tried(parsed.name, ok=True, text=reply.text[:200], usage=reply.usage, priced=mind.priced)


async def choose_mind(
    settings: Settings,
    *,
    spending: Spending,
    saved: ModelSpec | None = None,
    addresses: Mapping[ModelProvider, str] | None = None,
    clock: Clock | None = None,
    offline: Callable[[Path], OfflineMind] = OfflineMind,
    trying: Callable[[ModelSpec], None] = lambda _: None,
) -> Chosen:
    """`PRIME_MODEL` wins, then what the owner connected, then keys and Ollama in their order. Each is tried live, once.

    `addresses` are other addresses than the providers' own, `trying` hears of each try as it begins. A mind that does not answer
    is never used: then the next one is tried, and at last the offline engine, with the reason. One that a cap keeps from being
    asked stays the mind: a restart may not let the offline engine go on where everything has to stop.
    """
    plain = offline(settings.config_folder / "archetypes")
    if (settings.model or "").strip().casefold() == OFFLINE:
        return Chosen(plain, WANTED_OFFLINE)
    tried: list[Tried] = []
    try:
        wanted = await _wanted(settings, saved, addresses or {})
    except PrimeError as error:
        return Chosen(plain, f"Offline: {error}")
    for spec in wanted:
        trying(spec)
        result = await try_model(spec, spending=spending)
        tried.append(result)
        if result.ok or result.held_back:
            prompts = (settings.config_folder / "prompts",)
            price = "" if result.priced else " Its price is not known here, so its requests count as costing nothing."
            seconds = NEAR_SECONDS if spec.is_near else SECONDS
            model = ModelMind(spec, spending, prompts=prompts, clock=clock, seconds=seconds)
            told = f"{spec.name} answered.{price}" if result.ok else f"{spec.name} was not asked. {result.text}"
            # A key that is set and refused is somebody's mistake, whoever answers in its place.
            return Chosen(model, " ".join([told, *(each.text for each in tried[:-1])]), tuple(tried))
    return Chosen(plain, _why_offline(tried), tuple(tried))


def _why_offline(tried: Sequence[Tried]) -> str:
    if not tried:
        return NO_MODEL
    return "Offline: " + " ".join(each.text for each in tried)


async def _wanted(
    settings: Settings, saved: ModelSpec | None, addresses: Mapping[ModelProvider, str]
) -> Sequence[ModelSpec]:
    if settings.model:
        return [_of_settings(settings, addresses)]
    if saved:
        return [saved]
    return await found_models(settings, addresses)


def _of_settings(settings: Settings, addresses: Mapping[ModelProvider, str]) -> ModelSpec:
    spec = parse_spec(settings.model or "")
    keys = {
        "gemini": settings.gemini_api_key,
        "anthropic": settings.anthropic_api_key,
        "openai": settings.openai_api_key,
    }
    set_addresses = {"anthropic": settings.anthropic_base_url, "openai": settings.openai_base_url}
    secret = keys.get(spec.provider)
    base = addresses.get(spec.provider) or plain_address(set_addresses.get(spec.provider))
    return ModelSpec(spec.provider, spec.model, secret.get_secret_value() if secret else None, base)
