"""Who may come in: open on loopback, an owner beyond it."""

from urllib.parse import urlsplit

from prime.core.errors import InvalidInput
from prime.core.http import NetworkPolicy
from prime.core.http.addresses import is_loopback
from prime.core.settings import Settings
from prime.web.gate import GatePolicy


def gate_policy(settings: Settings) -> GatePolicy:
    """Open on loopback while no owner is set; beyond loopback an owner is required."""
    loopback = is_loopback(settings.host)
    if not loopback and settings.owner_email is None:
        raise InvalidInput(
            f"Listening on {settings.host} without an owner would let anyone act as you.",
            hint="Set PRIME_OWNER_EMAIL to your address, or listen on 127.0.0.1.",
            code="owner_required",
        )
    public = urlsplit(settings.public_url or "").hostname
    hosts = frozenset(name.lower() for name in (settings.host, public) if name)
    return GatePolicy(
        owner_set=settings.owner_email is not None,
        admin_token=settings.admin_token.get_secret_value() if settings.admin_token else None,
        # Behind a reverse proxy the name is the proxy's business, unless it was said.
        hosts=hosts if loopback or public else frozenset(),
    )


def network_policy(settings: Settings) -> NetworkPolicy:
    """Private addresses may be reached while the instance itself is on loopback, or where PRIME_NETWORK_ALLOW says so.

    One that has a public address is not, wherever it listens: its proxy lets strangers in, and they name addresses.
    """
    public = urlsplit(settings.public_url or "").hostname
    is_local = is_loopback(settings.host) and (public is None or is_loopback(public))
    return NetworkPolicy(allow_private=is_local, allow=settings.network_allow)
