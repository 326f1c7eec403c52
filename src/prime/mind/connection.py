"""Connecting a model: looked for at start, tried live before it is used, kept when the owner connects one."""

import asyncio
import logging
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from prime.core.clock import Clock
from prime.core.errors import InvalidInput, NotFound
from prime.core.settings import Settings
from prime.mind.present import WANTED_OFFLINE, PresentMind
from prime.mind.spend import SpendGuard
from prime.store.live_settings import LiveSettings
from prime.store.secrets import Secrets

if TYPE_CHECKING:
    from prime.mind.model.choosing import Tried
    from prime.mind.model.spec import ModelSpec
    from prime.mind.offline import OfflineMind

log = logging.getLogger(__name__)

# Where the owner's choice is kept: its name and address among the settings, its key among the secrets.
SETTING = "model_connection"
SECRET = "model:key"  # noqa: S105  (the name of one)
# How long to wait before a model that was too slow, or not there yet, is tried again: a computer that has just been started
# brings its model up minutes after Prime.
WAITS = (15.0, 30.0, 60.0, 120.0, 300.0, 300.0, 300.0, 600.0, 600.0)


class ModelConnection:
    def __init__(
        self, settings: Settings, live: LiveSettings, secrets: Secrets, spend: SpendGuard, clock: Clock
    ) -> None:
        self._settings = settings
        self._live = live
        self._secrets = secrets
        self._spend = spend
        self._clock = clock
        self._loading = threading.Lock()
        self._loaded: OfflineMind | None = None
        self.present = PresentMind(
            "offline", self._offline, "Offline: no model has been looked for yet.", is_decided=self._wants_none()
        )
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Look for a model beside everything else: a slow provider keeps nobody waiting."""
        self._looking = asyncio.create_task(self._look_until_found(), name="prime-model")

    async def stop(self) -> None:
        if self._looking:
            self._looking.cancel()
            with suppress(asyncio.CancelledError):
                await self._looking

    async def settle(self) -> None:
        """Wait until nothing is looked for any more."""
        if self._looking:
            await self._looking

    async def attempt(self, model: str, key: str | None, base_url: str | None) -> "Tried":
        """One live call; nothing is kept."""
        from prime.mind.model.choosing import try_model

        return await try_model(model, key, base_url, spending=self._spend)

    async def connect(self, model: str, key: str | None, base_url: str | None) -> "Tried":
        """Use this model from now on and after restarts, if it answers; else nothing changes."""
        if self._settings.model:
            raise InvalidInput(
                f"PRIME_MODEL says {self._settings.model}.", hint="Unset it to connect a model here.", code="model_set"
            )
        tried = await self.attempt(model, key, base_url)
        if not tried.ok:
            raise InvalidInput(f"{tried.name} did not answer: {tried.text}", code="model_refused")
        await self._live.put(SETTING, {"model": model, "baseUrl": base_url})
        if key:
            await self._secrets.put(SECRET, key)
        else:
            await self._forget_key()
        await self._look_anew()
        return tried

    async def disconnect(self) -> None:
        """Back to what the environment says, or to the offline engine."""
        await self._live.put(SETTING, None)
        await self._forget_key()
        await self._look_anew()

    def _wants_none(self) -> bool:
        return (self._settings.model or "").strip().casefold() == "offline"

    def _offline(self) -> "OfflineMind":
        """The one there is; whoever needs it first loads it."""
        with self._loading:
            if self._loaded is None:
                from prime.mind.offline import OfflineMind

                self._loaded = OfflineMind(self._settings.config_folder / "archetypes")
            return self._loaded

    async def _look_anew(self) -> None:
        """The owner has changed something: what was looked for before is of no interest any more."""
        await self.stop()
        if await self._look():
            self.start()

    async def _look_until_found(self) -> None:
        for wait in WAITS:
            if not await self._looked():
                return
            await self._clock.sleep(wait)
        await self._looked(last=True)

    async def _looked(self, *, last: bool = False) -> bool:
        try:
            return await self._look(last=last)
        except Exception as error:  # whatever it is, the offline engine is there, and the owner is told why
            log.exception("no model could be looked for")
            self.present.reason = f"Offline: no model could be looked for ({type(error).__name__})."
            return True

    async def _look(self, *, last: bool = False) -> bool:
        """Use what is there; whether looking once more may find something better."""
        offline = await asyncio.to_thread(self._offline)
        saved = await self._saved()
        if not saved and self._wants_none():
            self.present.use(offline, WANTED_OFFLINE)
            return False
        from prime.mind.model.choosing import choose_mind
        from prime.mind.standing_in import StandingIn

        chosen = await choose_mind(
            self._settings, spending=self._spend, saved=saved, offline=lambda _folder: offline, trying=self._tell
        )
        again = chosen.may_be_better_later and not last
        mind = (
            chosen.mind if chosen.mind is offline else StandingIn(chosen.mind, offline, self.present.note, self._clock)
        )
        reason = f"{chosen.reason} It is tried again by itself." if again else chosen.reason
        self.present.use(mind, reason, priced=chosen.priced)
        if any(not tried.ok for tried in chosen.tried):
            log.warning("%s", self.present.reason)
        return again

    def _tell(self, spec: "ModelSpec") -> None:
        """Say what is being waited for, as long as nothing has answered."""
        if self.present.name == "offline":
            slow = " A model of your own may take minutes to load." if spec.is_near else ""
            self.present.reason = f"Offline for now: waiting for {spec.name} to answer.{slow}"

    async def _saved(self) -> "ModelSpec | None":
        kept = await self._live.get(SETTING)
        if not isinstance(kept, dict):
            return None
        from prime.mind.model.spec import parse_spec

        fields = cast("dict[str, str | None]", kept)
        try:
            key = await self._secrets.use(SECRET)
        except NotFound:
            key = None
        return parse_spec(str(fields.get("model")), key, fields.get("baseUrl"))

    async def _forget_key(self) -> None:
        with suppress(NotFound):
            await self._secrets.forget(SECRET)
