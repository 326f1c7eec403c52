"""What the owner wants of each connector: its settings and secrets, whether it is to be connected, what they last did with it."""

from collections.abc import Mapping
from dataclasses import dataclass

from prime.connectors.contract import Declaration
from prime.connectors.desks import secret_name
from prime.connectors.values import checked_value, merged, object_of, values_of
from prime.core.ids import new_id
from prime.store.live_settings import LiveSettings
from prime.store.secrets import SecretFacts, Secrets


@dataclass(frozen=True, slots=True)
class Want:
    """Of one of them, as it is kept."""

    enabled: bool
    values: Mapping[str, object]
    # A new name for each thing that the owner did, at whichever replica.
    done: object

    def shown(self, declaration: Declaration) -> dict[str, str]:
        """Its settings, but for secrets."""
        return values_of(declaration, self.values)


class Wanted:
    """In the database that all replicas share."""

    def __init__(self, live: LiveSettings, secrets: Secrets, always: frozenset[str]) -> None:
        """`always`: wanted though nobody enabled them."""
        self._live = live
        self._secrets = secrets
        self._always = always

    async def of(self, name: str) -> Want:
        return self._want(name, await self._live.get(_key(name)))

    async def all(self, names: list[str]) -> dict[str, Want]:
        kept = await self._live.all()
        return {name: self._want(name, kept.get(_key(name))) for name in names}

    async def secrets(self, declaration: Declaration) -> dict[str, SecretFacts | None]:
        """Which are there, by the setting's name; what they are comes out of the box to nobody here."""
        known = {facts.name: facts for facts in await self._secrets.list()}
        return {s.name: known.get(secret_name(declaration.name, s.name)) for s in declaration.settings if s.secret}

    async def set(self, declaration: Declaration, values: Mapping[str, str | None]) -> None:
        """Keep what is given; None takes one back."""
        name = declaration.name
        checked = {key: checked_value(declaration.setting(key), value) for key, value in values.items()}
        plain = {key: value for key, value in checked.items() if not declaration.setting(key).secret}
        for key in checked.keys() - plain.keys():
            value = checked[key]
            if value is None:
                await self._secrets.forget(secret_name(name, key))
            else:
                await self._secrets.put(secret_name(name, key), value)
        if plain:
            await self._live.change(_key(name), lambda before: merged(before, settings=plain))

    async def begin(self, name: str) -> None:
        """It is to be connected, from the next start on."""
        await self._live.change(_key(name), lambda before: merged(before, enabled=True))

    async def note(self, name: str, *, enabled: bool) -> str:
        """Note what the owner did: for the next start, and for the other replicas now. Its name."""
        done = new_id("done")
        await self._live.change(_key(name), lambda before: merged(before, enabled=enabled, done=done))
        return done

    async def forget_secrets(self, name: str) -> None:
        for facts in await self._secrets.list():
            if facts.name.startswith(secret_name(name, "")):
                await self._secrets.forget(facts.name)

    def _want(self, name: str, value: object) -> Want:
        kept = object_of(value)
        return Want(kept.get("enabled", name in self._always) is True, kept, kept.get("done"))


def _key(name: str) -> str:
    return f"connector:{name}"
