"""How far Prime may act as the owner: code defaults, then the environment, then what the owner set while Prime runs."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from prime.core.errors import InvalidInput
from prime.core.settings import AutonomyMode, Settings
from prime.rooms.records import HUB, OWNER
from prime.store.message import NewMessage
from prime.store.store import Store

KEY = "autonomy_policy"
MODES: tuple[AutonomyMode, ...] = get_args(AutonomyMode)

Source = Literal["default", "environment", "live"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The policy as it holds now, and where each value comes from."""

    mode: AutonomyMode
    mode_source: Source
    per_connector: Mapping[str, AutonomyMode]
    allow_cold: bool
    cold_source: Source

    def mode_of(self, connector: str) -> AutonomyMode:
        return self.per_connector.get(connector, self.mode)


class AutonomyPolicy:
    """Reads and changes the policy. `known` names the connectors there are, so that a slip of the pen is told."""

    def __init__(self, settings: Settings, store: Store, known: Callable[[], Iterable[str]] = tuple) -> None:
        self._settings = settings
        self._store = store
        self.known = known

    async def resolve(self) -> Policy:
        live = _readable(await self._store.live_settings.get(KEY))
        set_here = self._settings.model_fields_set
        mode, cold = live.get("mode"), live.get("allowColdContact")
        return Policy(
            mode=cast("AutonomyMode", mode or self._settings.autonomy_mode),
            mode_source="live" if mode else "environment" if "autonomy_mode" in set_here else "default",
            per_connector=cast("Mapping[str, AutonomyMode]", live.get("perConnector") or {}),
            allow_cold=self._settings.allow_cold if cold is None else bool(cold),
            cold_source="live" if cold is not None else "environment" if "allow_cold" in set_here else "default",
        )

    async def patch(self, changes: Mapping[str, object]) -> Policy:
        """Merge `{mode, perConnector, allowColdContact}` into the owner's settings; None takes one back."""
        checked = self._checked(changes)
        await self._store.live_settings.change(KEY, lambda before: _merged(_readable(before), checked))
        await self._store.log.append(
            NewMessage(
                channel_id=HUB,
                actor_id=OWNER,
                kind="policy",
                audience="hub",
                text="The autonomy policy was changed.",
                body={"key": KEY, "patch": checked},
            )
        )
        return await self.resolve()

    def _checked(self, changes: Mapping[str, object]) -> dict[str, object]:
        if "mode" in changes and changes["mode"] is not None:
            _check_mode(changes["mode"], "mode")
        per = changes.get("perConnector")
        known = set(self.known())
        for name, mode in cast("Mapping[str, object]", per or {}).items():
            if mode is None:
                continue
            if name not in known:
                raise InvalidInput(
                    f"There is no connector {name!r}.",
                    hint=f"There are: {', '.join(sorted(known)) or 'none'}.",
                    field="perConnector",
                )
            _check_mode(mode, f"perConnector.{name}")
        return dict(changes)


def _check_mode(mode: object, field: str) -> None:
    if mode not in MODES:
        raise InvalidInput(f"{mode!r} is no mode.", hint=f"Use one of {', '.join(MODES)}.", field=field)


def _readable(value: object) -> dict[str, object]:
    """What can be relied on of a stored policy; what cannot counts as the most careful choice."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        return {"mode": "draft", "allowColdContact": False}
    given = cast("dict[str, object]", value)
    read: dict[str, object] = {}
    if given.get("mode") is not None:
        read["mode"] = given["mode"] if given["mode"] in MODES else "draft"
    if given.get("allowColdContact") is not None:
        read["allowColdContact"] = given["allowColdContact"] is True
    per = given.get("perConnector")
    if isinstance(per, dict):
        modes = cast("dict[str, object]", per)
        read["perConnector"] = {k: v if v in MODES else "draft" for k, v in modes.items() if v is not None}
    elif per is not None:
        read["mode"] = "draft"
    return read


def _merged(before: dict[str, object], changes: Mapping[str, object]) -> dict[str, object] | None:
    after = {**before, **{k: v for k, v in changes.items() if k != "perConnector"}}
    if "perConnector" in changes:
        modes = {**cast("dict[str, object]", before.get("perConnector") or {})}
        given = cast("Mapping[str, object] | None", changes["perConnector"])
        after["perConnector"] = {} if given is None else {**modes, **given}
        after["perConnector"] = {k: v for k, v in after["perConnector"].items() if v is not None}
    left = {k: v for k, v in after.items() if v is not None and v != {}}
    return left or None
