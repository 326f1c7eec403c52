"""Devices that want to be told, and telling them."""

import asyncio
import base64
import binascii
import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from prime.accounts.push import queries
from prime.accounts.push.keys import VapidKeys
from prime.accounts.push.note import Note
from prime.accounts.push.queries import Device
from prime.accounts.push.said import Language
from prime.core.canonical import clean_text
from prime.core.clock import Clock
from prime.core.errors import InvalidInput, NotFound, PrimeError
from prime.core.http import GuardedClient, Refused
from prime.core.ids import new_id
from prime.store.database import Database

if TYPE_CHECKING:
    from webpush import WebPushSubscription

log = logging.getLogger(__name__)

MOST_DEVICES = 50
TRIES = 3
FIRST_WAIT = 2.0
LONGEST_WAIT = 60.0
GONE = frozenset({404, 410})
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
# Sizes tell something about contents, so payloads come in few sizes.
PAD_TO = 512

Outcome = Literal["sent", "failed", "pruned"]


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of one notification on all devices."""

    sent: int = 0
    failed: int = 0
    pruned: int = 0


@dataclass(frozen=True, slots=True)
class Subscription:
    """What a browser's `PushSubscription` says."""

    endpoint: str
    p256dh: str
    auth: str

    def check(self, *, allow_http: bool) -> None:
        scheme, host = _split(self.endpoint)
        if not host or scheme not in ({"https", "http"} if allow_http else {"https"}):
            raise InvalidInput("A push endpoint is an https address.", field="endpoint")
        if _subscription(self.endpoint, self.p256dh, self.auth) is None:
            raise InvalidInput("The endpoint is no address that can be sent to.", field="endpoint")
        _check_point(self.p256dh)
        if len(_decoded(self.auth, "keys.auth")) != 16:
            raise InvalidInput("keys.auth must be 16 bytes.", field="keys.auth")


class Push:
    def __init__(
        self,
        database: Database,
        clock: Clock,
        keys: VapidKeys,
        client: GuardedClient,
        *,
        subject: str,
        allow_http: bool,
    ) -> None:
        """`subject` is the address that a push service may write to about misuse."""
        self._database = database
        self._clock = clock
        self._keys = keys
        self._client = client
        self._subject = subject
        self._allow_http = allow_http

    @property
    def public_key(self) -> str:
        return self._keys.public

    async def subscribe(
        self, wanted: Subscription, *, session_id: str | None, device: str, language: Language = "en"
    ) -> Device:
        """Keep a device; again, with the same endpoint, is the same device."""
        wanted.check(allow_http=self._allow_http)
        new = Device(
            new_id("dev"),
            wanted.endpoint,
            wanted.p256dh,
            wanted.auth,
            session_id,
            clean_text(device[:200]),
            self._clock.now_ms(),
            None,
            0,
            language,
        )
        return await self._database.write(lambda c: queries.put_device(c, new, MOST_DEVICES))

    async def unsubscribe(self, endpoint: str) -> bool:
        """Whether it was there."""
        return await self._database.write(lambda c: queries.remove_endpoint(c, endpoint))

    async def forget(self, device_id: str) -> None:
        if not await self._database.write(lambda c: queries.remove_device(c, device_id)):
            raise NotFound(f"There is no device {device_id}.", deviceId=device_id)

    async def devices(self) -> list[Device]:
        return await self._database.read(queries.read_devices)

    async def send(self, note: Note, *, tries: int = TRIES) -> Sent:
        """To every device at once; those that are gone are forgotten."""
        outcomes = await asyncio.gather(*(self._send_to(device, note, tries) for device in await self.devices()))
        return Sent(outcomes.count("sent"), outcomes.count("failed"), outcomes.count("pruned"))

    async def _send_to(self, device: Device, note: Note, tries: int) -> Outcome:
        status = await self._try_patiently(device, note, tries)
        if status in GONE:
            await self._database.write(lambda c: queries.remove_device(c, device.id))
            return "pruned"
        if 200 <= status < 300:
            now = self._clock.now_ms()
            await self._database.write(lambda c: queries.note_sent(c, device.id, now))
            return "sent"
        log.warning("a push to device %s was not taken (%s)", device.id, status or "not reached")
        await self._database.write(lambda c: queries.note_failure(c, device.id))
        return "failed"

    async def _try_patiently(self, device: Device, note: Note, tries: int) -> int:
        wait = FIRST_WAIT
        for _ in range(tries - 1):
            status, retry_after = await self._try(device, note)
            if status not in PASSING:
                return status
            await self._clock.sleep(min(LONGEST_WAIT, retry_after or wait))
            wait *= 2
        return (await self._try(device, note))[0]

    async def _try(self, device: Device, note: Note) -> tuple[int, float | None]:
        """The status and the wait that the service asks for; status 503 when it cannot be reached, 0 when it may not."""
        built = self._built(device, note)
        if built is None:  # kept by an earlier version, which asked less of it
            return 0, None
        body, headers = built
        try:
            answer = await self._client.request("POST", device.endpoint, headers=headers, content=body)
        except Refused:
            return 0, None
        except PrimeError:
            return 503, None
        after = answer.headers.get("retry-after", "")
        return answer.status, float(after) if after.isascii() and after.isdigit() else None

    def _built(self, device: Device, note: Note) -> tuple[bytes, dict[str, str]] | None:
        from webpush import WebPush

        subscription = _subscription(device.endpoint, device.p256dh, device.auth)
        if subscription is None:
            return None
        sender = WebPush(self._keys.private_pem, self._keys.public_pem, self._subject, note.ttl)
        built = sender.get(_padded(note, device.language), subscription)
        headers = {
            "content-type": "application/octet-stream",
            "urgency": note.urgency,
            # A newer one takes the place of one that has not been delivered yet.
            "topic": f"prime-{note.trigger}",
            **{str(name): str(value) for name, value in built.headers.items()},
        }
        return built.encrypted, headers


def _subscription(endpoint: str, p256dh: str, auth: str) -> "WebPushSubscription | None":
    """As the library wants it; None for what it does not take."""
    from webpush import WebPushSubscription

    try:
        return WebPushSubscription.model_validate({"endpoint": endpoint, "keys": {"auth": auth, "p256dh": p256dh}})
    except ValueError:
        return None


def _padded(note: Note, language: Language) -> bytes:
    text = json.dumps(note.as_json(language), ensure_ascii=False, separators=(",", ":")).encode()
    return text + b" " * (-len(text) % PAD_TO)


def _split(endpoint: str) -> tuple[str, str | None]:
    try:
        parts = urlsplit(endpoint)
        _ = parts.port
    except ValueError:
        return "", None
    return parts.scheme, parts.hostname


def _decoded(text: str, field: str) -> bytes:
    try:
        return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), b"-_", validate=True)
    except (ValueError, binascii.Error):
        raise InvalidInput(f"{field} is not base64url.", field=field) from None


def _check_point(p256dh: str) -> None:
    from cryptography.hazmat.primitives.asymmetric import ec

    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decoded(p256dh, "keys.p256dh"))
    except ValueError:
        raise InvalidInput("keys.p256dh is not a point of P-256.", field="keys.p256dh") from None
