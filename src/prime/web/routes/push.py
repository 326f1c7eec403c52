"""Notifications on the owner's devices."""

from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import Field

from prime.accounts.push.note import try_note
from prime.accounts.push.push import Subscription
from prime.accounts.push.queries import Device
from prime.accounts.push.said import Language
from prime.core.clock import iso
from prime.web.identity import identity_of
from prime.web.models import Given, Ok, Page, Shown
from prime.web.parts import PartsNeeded

router = APIRouter(prefix="/api/push", tags=["push"])

Endpoint = Annotated[str, Field(min_length=1, max_length=2048, pattern=r"^[\x21-\x7e]+$")]
Key = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9_+/=-]+$")]


LANGUAGES: tuple[Language, ...] = ("en", "zh")


class KeyShown(Shown):
    key: str


class SubscriptionKeys(Given):
    p256dh: Key
    auth: Key


class SubscriptionGiven(Given):
    """A browser's `PushSubscription`, as its `toJSON()` gives it."""

    endpoint: Endpoint
    keys: SubscriptionKeys
    expiration_time: float | None = None
    # In which notifications speak to it; else the browser's own.
    language: Language | None = None


class UnsubscribeGiven(Given):
    endpoint: Endpoint


class Unsubscribed(Shown):
    ok: Literal[True] = True
    # Whether it was there.
    removed: bool


class DeviceShown(Shown):
    """One device. Its endpoint is not shown: who knows it can send to it."""

    id: str
    device: str
    created_at: str
    sent_at: str | None
    failures: int
    # Subscribed by the session that asks.
    current: bool

    @classmethod
    def of(cls, device: Device, session_id: str | None) -> "DeviceShown":
        return cls(
            id=device.id,
            device=device.device,
            created_at=iso(device.created_at),
            sent_at=iso(device.sent_at) if device.sent_at else None,
            failures=device.failures,
            current=session_id is not None and device.session_id == session_id,
        )


class SentShown(Shown):
    sent: int
    failed: int
    pruned: int


@router.get("/key")
async def get_key(parts: PartsNeeded) -> KeyShown:
    """The public VAPID key that a browser subscribes with."""
    return KeyShown(key=parts.push.public_key)


@router.post("/subscribe", status_code=201)
async def subscribe(given: SubscriptionGiven, parts: PartsNeeded, request: Request) -> DeviceShown:
    """Tell this device from now on."""
    session_id = identity_of(request).session_id
    wanted = Subscription(given.endpoint, given.keys.p256dh, given.keys.auth)
    device = request.headers.get("user-agent", "")
    language = given.language or preferred(request.headers.get("accept-language", ""))
    kept = await parts.push.subscribe(wanted, session_id=session_id, device=device, language=language)
    return DeviceShown.of(kept, session_id)


def preferred(accepted: str) -> Language:
    """What a browser asks for first, of what there is; browsers name what they like best first."""
    tags = (tag.strip().lower() for tag in accepted.split(","))
    found: list[Language] = [language for tag in tags for language in LANGUAGES if tag.startswith(language)]
    return found[0] if found else "en"


@router.post("/unsubscribe")
async def unsubscribe(given: UnsubscribeGiven, parts: PartsNeeded) -> Unsubscribed:
    """Leave this device alone from now on."""
    return Unsubscribed(removed=await parts.push.unsubscribe(given.endpoint))


@router.get("/devices")
async def list_devices(parts: PartsNeeded, request: Request) -> Page[DeviceShown]:
    session_id = identity_of(request).session_id
    return Page(items=[DeviceShown.of(device, session_id) for device in await parts.push.devices()])


@router.delete("/devices/{device_id}")
async def forget_device(device_id: str, parts: PartsNeeded) -> Ok:
    await parts.push.forget(device_id)
    return Ok()


@router.post("/test")
async def send_test(parts: PartsNeeded) -> SentShown:
    """Send a notification to every device now, once; what became of it."""
    sent = await parts.push.send(try_note(), tries=1)
    return SentShown(sent=sent.sent, failed=sent.failed, pruned=sent.pruned)
