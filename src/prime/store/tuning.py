"""The settings as they are now: defaults, over them the environment, over it what the owner changed while Prime runs."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace

from prime.core.clock import Clock
from prime.core.errors import InvalidInput
from prime.core.settings import Described, Settings, is_live
from prime.store.live_settings import LiveSettings
from prime.store.log import Log
from prime.store.message import Kind, NewMessage

log = logging.getLogger(__name__)

LOOK_SECONDS = 10.0


class Tuning:
    """`now()` is asked again whenever a value is used, so that a change works at once and in every replica."""

    def __init__(
        self, settings: Settings, live: LiveSettings, store_log: Log, *, channel_id: str, actor_id: str
    ) -> None:
        """Changes are said in this channel by this actor."""
        self._settings = settings
        self._live = live
        self._log = store_log
        self._channel_id = channel_id
        self._actor_id = actor_id
        self._followers: list[Callable[[Settings], None]] = []
        self._told: Settings | None = None

    async def follow(self, follower: Callable[[Settings], None]) -> None:
        """Tell it the settings now and after every change, for what cannot ask each time."""
        self._followers.append(follower)
        follower(await self.now())

    async def keep_telling(self, clock: Clock) -> None:
        """Notice changes that another replica made, until cancelled."""
        while True:
            await clock.sleep(LOOK_SECONDS)
            try:
                self._tell(await self.now())
            except Exception:  # the database may be away for a moment
                log.exception("the settings could not be read; trying again")

    def _tell(self, settings: Settings) -> None:
        if settings != self._told:
            self._told = settings
            for follower in self._followers:
                follower(settings)

    async def now(self) -> Settings:
        changes = await self._changes()
        try:
            return self._settings.changed(changes)
        except InvalidInput:
            return self._as_far_as_usable(changes)

    async def described(self) -> list[Described]:
        """Every variable with its value, where the value comes from, and what it means; secrets masked."""
        changes = await self._changes()
        return [replace(d, source="live") if d.variable in changes else d for d in (await self.now()).described()]

    async def change(self, values: Mapping[str, object | None]) -> Settings:
        """Set these variables, all or none; None goes back to what the environment says."""
        for variable in values:
            if not is_live(variable):
                raise InvalidInput(
                    f"{variable} cannot be changed while Prime runs.",
                    hint="Set it in the environment and start Prime again.",
                    variable=variable,
                )
        given = {variable: value for variable, value in values.items() if value is not None}
        checked = self._settings.changed(given)
        said = self.said("policy", "", {"op": "settings", "values": dict(values)})
        await self._log.append(said, also=self._live.setting(_plain(checked, values)))
        now = await self.now()
        self._tell(now)
        return now

    def said(self, kind: Kind, text: str, body: Mapping[str, object]) -> NewMessage:
        """A message to the owner about the instance itself."""
        return NewMessage(
            channel_id=self._channel_id, actor_id=self._actor_id, kind=kind, audience="hub", text=text, body=body
        )

    async def _changes(self) -> dict[str, object]:
        return {key: value for key, value in (await self._live.all()).items() if is_live(key)}

    def _as_far_as_usable(self, changes: Mapping[str, object]) -> Settings:
        """Another version may have kept a value that this one does not take."""
        settings = self._settings
        for variable, value in changes.items():
            try:
                settings = settings.changed({variable: value})
            except InvalidInput as error:
                log.warning("a setting of yours is left out: %s", error)
        return settings


def _plain(checked: Settings, values: Mapping[str, object | None]) -> dict[str, object | None]:
    """The values as they were understood: `"5000"` is 5000."""
    fields = {str(f.validation_alias): name for name, f in type(checked).model_fields.items()}
    return {v: None if given is None else getattr(checked, fields[v]) for v, given in values.items()}
