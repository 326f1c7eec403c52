"""What `prime doctor --server` asks of a server that runs, and of what stands around it."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from prime.cli.checkup import Finding
from prime.core.settings import Settings
from prime.store.folder import DataFolder, socket_address

if TYPE_CHECKING:
    import httpx2

SECONDS = 5.0


async def check_server(settings: Settings) -> list[Finding]:
    import httpx2

    socket = DataFolder(settings.data_folder).socket
    if settings.database_url is not None or not socket.exists():
        return await _check(settings, f"http://127.0.0.1:{settings.port}", None)
    with socket_address(socket) as address:
        return await _check(settings, str(socket), httpx2.AsyncHTTPTransport(uds=address))


async def _check(settings: Settings, where: str, transport: "httpx2.AsyncHTTPTransport | None") -> list[Finding]:
    import httpx2

    address = "http://prime.sock" if transport else where
    headers = {"x-prime-admin": settings.admin_token.get_secret_value()} if settings.admin_token else {}
    async with httpx2.AsyncClient(transport=transport, base_url=address, timeout=SECONDS, headers=headers) as http:
        try:
            await http.get("/healthz")
        except httpx2.TransportError:
            return [Finding("server", "bad", f"nothing answers at {where}", "Start it with: prime serve")]
        served = await _served(http)
        known = {field: served[name] for name, field in _ASKED.items() if served.get(name) is not None}
        settings = settings.model_copy(update=known)
        return [
            Finding("server", "ok", f"answers at {where}"),
            await _database(http),
            _owner(settings),
            await _address(settings),
            await _mail(settings, is_served=served.get("PRIME_SMTP_URL") is not None),
            await _backups(http, settings),
            await _push(http),
        ]


# What the server runs with, which need not be what this command was started with.
_ASKED = {
    "PRIME_OWNER_EMAIL": "owner_email",
    "PRIME_PUBLIC_URL": "public_url",
    "PRIME_BACKUP_INTERVAL_MS": "backup_interval_ms",
}


async def _served(http: "httpx2.AsyncClient") -> dict[str, object]:
    """The server's own variables, secrets masked; none where only the owner may see them."""
    answer = await http.get("/api/settings")
    if answer.status_code != 200:
        return {}
    items = cast("list[dict[str, object]]", answer.json()["items"])
    return {str(item["name"]): item["value"] for item in items}


async def _database(http: "httpx2.AsyncClient") -> Finding:
    answer = await http.get("/readyz")
    if answer.status_code != 200:
        return Finding("database", "bad", "does not answer", "Look at the server's log.")
    ready = cast("dict[str, object]", answer.json())
    if ready.get("keeps") is False:
        return Finding("database", "bad", "can be read, but keeps nothing", str(ready["because"]))
    return Finding("database", "ok", "answers")


def _owner(settings: Settings) -> Finding:
    if settings.owner_email:
        return Finding("owner", "ok", settings.owner_email)
    return Finding("owner", "note", "none: everyone on this machine is the owner", "Set PRIME_OWNER_EMAIL.")


async def _address(settings: Settings) -> Finding:
    import httpx2

    url = settings.public_url
    if url is None:
        return Finding("address", "note", "PRIME_PUBLIC_URL is not set", "Set it to the https address that people use.")
    try:
        async with httpx2.AsyncClient(timeout=SECONDS) as http:
            answer = await http.get(f"{url.rstrip('/')}/healthz")
    except httpx2.HTTPError as error:
        return Finding("address", "bad", f"{url} cannot be reached ({type(error).__name__})", "Check name and proxy.")
    if answer.status_code != 200 or "x-request-id" not in answer.headers:
        step = "The proxy must pass the Host header and lead here."
        return Finding("address", "bad", f"{url} answers {answer.status_code}, but not as Prime", step)
    if urlsplit(url).scheme != "https":
        return Finding("address", "note", f"{url} is not https", "Phones push and install over https only.")
    return Finding("address", "ok", url)


async def _mail(settings: Settings, *, is_served: bool) -> Finding:
    if settings.smtp_url is None and is_served:
        return Finding("mail", "ok", "the server has a mail server; give PRIME_SMTP_URL here to have it asked")
    if settings.smtp_url is None:
        step = "Links are printed on the server's console; set PRIME_SMTP_URL to have them by mail."
        return Finding("mail", "note", "no mail server", step)
    from prime.accounts.mail import MailServer

    server = MailServer.read(settings.smtp_url.get_secret_value(), default_sender="prime@localhost")
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(server.host, server.port), SECONDS)
    except (OSError, TimeoutError):
        return Finding("mail", "bad", f"{server.host}:{server.port} cannot be reached", "Check PRIME_SMTP_URL.")
    writer.close()
    return Finding("mail", "ok", f"{server.host}:{server.port} answers")


async def _backups(http: "httpx2.AsyncClient", settings: Settings) -> Finding:
    answer = await http.get("/api/admin/backups")
    if answer.status_code != 200:
        return Finding("backups", "note", "cannot be looked at from here", "Set PRIME_ADMIN_TOKEN.")
    items = cast("list[dict[str, str]]", answer.json()["items"])
    if not items:
        return Finding("backups", "note", "none yet", "Take one with: prime backup create")
    taken = datetime.fromisoformat(items[0]["createdAt"])
    age = datetime.now(UTC) - taken
    late = settings.backup_interval_ms and age > 2 * timedelta(milliseconds=settings.backup_interval_ms)
    found = f"{len(items)}, the newest {int(age.total_seconds() // 3600)} hours old"
    return Finding("backups", "bad" if late else "ok", found, "Look at the server's log." if late else None)


async def _push(http: "httpx2.AsyncClient") -> Finding:
    answer = await http.get("/api/push/devices")
    if answer.status_code != 200:
        return Finding("push", "note", "cannot be looked at with the admin token", "Look in the page's settings.")
    devices = cast("list[dict[str, object]]", answer.json()["items"])
    if not devices:
        return Finding("push", "note", "no device wants to be told", "Turn notifications on in the page's settings.")
    failing = sum(1 for device in devices if device["failures"])
    return Finding("push", "note" if failing else "ok", f"{len(devices)} devices, {failing} of them failing")
