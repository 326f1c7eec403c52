"""What an owner sets for a connector: checked, kept, put together."""

from collections.abc import Mapping
from typing import cast

from prime.connectors.contract import Declaration, Setting
from prime.core.errors import InvalidInput

MAX_VALUE = 10_000


def values_of(declaration: Declaration, kept: Mapping[str, object]) -> dict[str, str]:
    given = object_of(kept.get("settings"))
    return {s.name: str(given.get(s.name, s.default)) for s in declaration.settings if not s.secret}


def checked_value(setting: Setting, value: str | None) -> str | None:
    if value is None:
        return None
    text = value.strip()
    if not text or len(text) > MAX_VALUE or any(not c.isprintable() for c in text):
        raise InvalidInput(f"{setting.label} has 1 to {MAX_VALUE:,} printable characters.", field=setting.name)
    if setting.choices and text not in setting.choices:
        hint = f"Use one of {', '.join(setting.choices)}."
        raise InvalidInput(f"{text!r} is no choice for {setting.label}.", hint=hint, field=setting.name)
    if setting.kind == "number" and not text.lstrip("-").isdecimal():
        raise InvalidInput(f"{setting.label} is a number.", field=setting.name)
    return text


def merged(
    before: object,
    *,
    settings: Mapping[str, str | None] | None = None,
    enabled: bool | None = None,
    done: str | None = None,
) -> object:
    """What is kept of a connector with this changed; `done` is a new name for each thing that the owner did."""
    kept = dict(object_of(before))
    if enabled is not None:
        kept["enabled"] = enabled
    if done is not None:
        kept["done"] = done
    if settings is not None:
        together = {**object_of(kept.get("settings")), **settings}
        kept["settings"] = {key: value for key, value in together.items() if value is not None}
    return kept


def object_of(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
