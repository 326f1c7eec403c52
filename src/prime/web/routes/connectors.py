"""Connectors that act as the owner: their forms, how they stand, connecting and signing in step by step."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from prime.connectors.connectors import Facts
from prime.connectors.contract import Kind, Setting, SettingKind, State, Status
from prime.connectors.profiles.x.profile import XProfile
from prime.core.clock import iso
from prime.core.errors import NotFound
from prime.core.settings import AutonomyMode
from prime.store.secrets import SecretFacts
from prime.web.models import Given, Hidden, Ok, Page, Shown
from prime.web.parts import Parts, PartsNeeded

router = APIRouter(prefix="/api/connectors", tags=["connectors"])

Name = Annotated[str, Path(pattern=r"^[a-z][a-z0-9_]{0,40}$")]
Key = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")]
Value = Annotated[Hidden, Field(max_length=10_000)]


class SettingShown(Shown):
    """One field of the form. A secret's value is never shown: `isSet` says that there is one."""

    name: str
    label: str
    kind: SettingKind
    secret: bool
    required: bool
    help: str
    choices: list[str]
    value: str | None
    is_set: bool
    since: str | None
    last_used: str | None


class StatusShown(Shown):
    state: State
    detail: str
    # What the next step of signing in needs.
    asks: list[SettingShown]
    facts: dict[str, str]


class ConnectorShown(Shown):
    name: str
    kind: Kind
    title: str
    description: str
    capabilities: list[str]
    settings: list[SettingShown]
    enabled: bool
    status: StatusShown
    mode: AutonomyMode


class StyleShown(Shown):
    """How the owner writes, in words; nothing of what they wrote."""

    messages: int
    text: str


class SettingsGiven(Given):
    """What is left out stays; `null` takes one back."""

    settings: Annotated[dict[Key, Value | None], Field(max_length=50)]


class AnswersGiven(Given):
    """Answers to what signing in asked for."""

    answers: Annotated[dict[Key, Value], Field(max_length=10)]


class PastedGiven(Given):
    author: Annotated[str, Field(min_length=1, max_length=60)]
    text: Annotated[str, Field(min_length=1, max_length=10_000)]


class EndGiven(Given):
    # Also forget its secrets and what it remembers.
    forget: bool = False


KEEPING = EndGiven()


@router.get("")
async def list_connectors(parts: PartsNeeded) -> Page[ConnectorShown]:
    """All of them, each with the declaration from which its form is drawn."""
    return Page(items=[await _shown(parts, name) for name in parts.connectors.names()])


@router.get("/{name}")
async def get_connector(name: Name, parts: PartsNeeded) -> ConnectorShown:
    return await _shown(parts, name)


@router.put("/{name}")
async def configure(name: Name, given: SettingsGiven, parts: PartsNeeded) -> ConnectorShown:
    """Set fields of the form."""
    values = {key: None if value is None else value.get_secret_value() for key, value in given.settings.items()}
    await parts.connectors.configure(name, values)
    return await _shown(parts, name)


@router.post("/{name}/connect")
async def connect(name: Name, parts: PartsNeeded) -> ConnectorShown:
    """Connect with what is set; `status.asks` says what it needs next, if anything."""
    await parts.connectors.connect(name)
    return await _shown(parts, name)


@router.post("/{name}/answer")
async def answer(name: Name, given: AnswersGiven, parts: PartsNeeded) -> ConnectorShown:
    """The next step of signing in: a code, a password."""
    await parts.connectors.answer(name, {key: value.get_secret_value() for key, value in given.answers.items()})
    return await _shown(parts, name)


@router.post("/{name}/disconnect")
async def disconnect(name: Name, parts: PartsNeeded, given: EndGiven = KEEPING) -> ConnectorShown:
    await parts.connectors.disconnect(name, forget=given.forget)
    return await _shown(parts, name)


@router.post("/x/paste", status_code=201)
async def paste(given: PastedGiven, parts: PartsNeeded) -> Ok:
    """Something read on X that the owner wants answered; the draft is theirs to copy and send."""
    profile = parts.connectors.connector("x")
    if not isinstance(profile, XProfile):
        raise NotFound("There is no X connector.")
    await profile.paste(given.author, given.text)
    return Ok()


@router.get("/{name}/style")
async def get_style(name: Name, parts: PartsNeeded) -> StyleShown:
    """The style sheet that drafts on this connector are written by."""
    parts.connectors.declaration(name)
    sheet = await parts.gate.style.get(name)
    return StyleShown(messages=sheet.messages, text=sheet.text())


async def _shown(parts: Parts, name: str) -> ConnectorShown:
    facts = await parts.connectors.facts(name)
    policy = await parts.gate.policy.resolve()
    declared = facts.declaration
    return ConnectorShown(
        name=declared.name,
        kind=declared.kind,
        title=declared.title,
        description=declared.description,
        capabilities=list(declared.capabilities),
        settings=[_setting(s, facts) for s in declared.settings],
        enabled=facts.enabled,
        status=_status(facts.status),
        mode=policy.mode_of(name),
    )


def _status(status: Status) -> StatusShown:
    return StatusShown(
        state=status.state,
        detail=status.detail,
        asks=[_field(s, None, None) for s in status.asks],
        facts=dict(status.facts),
    )


def _setting(setting: Setting, facts: Facts) -> SettingShown:
    if setting.secret:
        return _field(setting, None, facts.secrets.get(setting.name))
    return _field(setting, facts.values.get(setting.name) or None, None)


def _field(setting: Setting, value: str | None, secret: SecretFacts | None) -> SettingShown:
    return SettingShown(
        name=setting.name,
        label=setting.label,
        kind=setting.kind,
        secret=setting.secret,
        required=setting.required,
        help=setting.help,
        choices=list(setting.choices),
        value=value,
        is_set=value is not None or secret is not None,
        since=iso(secret.since) if secret else None,
        last_used=iso(secret.last_used) if secret and secret.last_used else None,
    )
