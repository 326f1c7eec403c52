"""Mail to people: sign-in links and invitations."""

import ipaddress
import ssl
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Literal, Protocol
from urllib.parse import parse_qs, unquote, urlsplit

from prime.core.errors import InvalidInput, Unavailable

PORTS = {"smtp": 587, "smtps": 465}
SECONDS = 20.0

_HINT = "Write smtp://user:password@mail.example.com:587?from=prime@example.com, or smtps:// for port 465."


def plain_address(email: str) -> str:
    """As addresses are compared and kept. Not case-folded: that makes another mailbox of one with an ß in its name."""
    return email.strip().lower()


class Mailer(Protocol):
    async def send(self, to: str, subject: str, text: str) -> None:
        """Raises `Unavailable` when the mail could not be handed over."""
        ...


@dataclass(frozen=True, slots=True)
class MailServer:
    """What PRIME_SMTP_URL says."""

    scheme: Literal["smtp", "smtps"]
    host: str
    port: int
    user: str | None
    password: str | None
    sender: str

    @classmethod
    def read(cls, url: str, *, default_sender: str) -> "MailServer":
        try:
            parts = urlsplit(url)
            port = parts.port or PORTS.get(parts.scheme, 0)
        except ValueError:
            raise InvalidInput("PRIME_SMTP_URL is not a URL.", hint=_HINT, variable="PRIME_SMTP_URL") from None
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
            raise InvalidInput(
                "PRIME_SMTP_URL must begin with smtp:// or smtps:// and name a server.",
                hint=_HINT,
                variable="PRIME_SMTP_URL",
            )
        sender = parse_qs(parts.query).get("from", [default_sender])[0]
        return cls(
            "smtps" if parts.scheme == "smtps" else "smtp",
            parts.hostname,
            port,
            unquote(parts.username) if parts.username else None,
            unquote(parts.password) if parts.password else None,
            sender,
        )


class SmtpMailer:
    """Sends through a mail server; to one elsewhere encrypted wherever it can, and then only to who it says it is."""

    def __init__(self, server: MailServer, ssl_context: ssl.SSLContext | None = None) -> None:
        self._server = server
        self._ssl = ssl_context

    async def send(self, to: str, subject: str, text: str) -> None:
        import aiosmtplib

        try:
            await self._send(_message(self._server.sender, to, subject, text))
        except (aiosmtplib.SMTPException, OSError) as error:
            raise Unavailable(
                f"The mail server {self._server.host} did not take the mail: {type(error).__name__}.",
                hint="Check PRIME_SMTP_URL; `prime login` on the machine prints a link without mail.",
            ) from error

    async def _send(self, message: EmailMessage) -> None:
        import aiosmtplib

        server = self._server
        client = aiosmtplib.SMTP(
            hostname=server.host,
            port=server.port,
            use_tls=server.scheme == "smtps",
            # None: if the server says that it can. Those on this machine say so with certificates that nobody signed, and
            # what is said to them leaves it nowhere.
            start_tls=False if _is_here(server.host) else None,
            timeout=SECONDS,
            tls_context=self._ssl,
        )
        async with client:
            if server.user:
                is_hidden = client.get_transport_info("sslcontext") is not None
                if not is_hidden and not _is_here(server.host):
                    raise Unavailable(
                        f"The mail server {server.host} offers no encryption, so the password was not sent.",
                        hint="Use smtps://, or a server that offers STARTTLS.",
                    )
                await client.login(server.user, server.password or "")
            await client.send_message(message)


def _message(sender: str, to: str, subject: str, text: str) -> EmailMessage:
    message = EmailMessage()
    message["From"] = sender
    message["To"] = to
    message["Subject"] = subject
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=sender.rsplit("@", 1)[-1])
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text)
    return message


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
