"""Which part of the internet an address belongs to, by the registries of special-purpose addresses.

Python's `is_global` changes between patch releases and lets transition addresses through, hence tables of our own.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Literal

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Reach = Literal["public", "private", "never"]


def _v4(*networks: str) -> tuple[IPv4Network, ...]:
    return tuple(IPv4Network(n) for n in networks)


def _v6(*networks: str) -> tuple[IPv6Network, ...]:
    return tuple(IPv6Network(n) for n in networks)


# Cloud metadata services hand out credentials to whoever asks from inside, so that "private" does not cover them.
_METADATA_V4 = _v4("169.254.0.0/16", "100.100.100.200/32", "192.0.0.192/32", "168.63.129.16/32")
_METADATA_V6 = _v6("fd00:ec2::/32", "fd20:ce::/32")

_PRIVATE_V4 = _v4("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
_PRIVATE_V6 = _v6("::1/128", "fc00::/7")

_NEVER_V4 = _v4(
    "0.0.0.0/8",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
)
# 2001::/23 holds Teredo, ORCHID and benchmarking; nothing in it serves web pages.
_NEVER_V6 = _v6("2001::/23", "2001:db8::/32", "3fff::/20", "3ffe::/16")
_GLOBAL_V6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")

# Not even a listed range opens these: they name no single host.
_NOBODY: tuple[Network, ...] = (
    *_v4("0.0.0.0/8", "224.0.0.0/4", "255.255.255.255/32"),
    *_v6("::/128", "ff00::/8"),
)


def parse_address(text: str) -> Address | None:
    """The address that `text` spells in its one plain form; None for names and for every odd spelling."""
    if "%" in text:
        return None
    try:
        return ip_address(text)
    except ValueError:
        return None


def parse_network(text: str) -> Network | None:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Whether a name or an address means this machine alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def within(address: Address, networks: tuple[Network, ...]) -> bool:
    return any(address.version == n.version and address in n for n in networks)


def names_nobody(address: Address) -> bool:
    """Unspecified, multicast and broadcast addresses."""
    return within(address, _NOBODY)


def reach(address: Address) -> Reach:
    """`private` may be opened by policy; `never` only by a range that the owner listed."""
    return _reach_v4(address) if isinstance(address, IPv4Address) else _reach_v6(address)


def _reach_v4(address: IPv4Address) -> Reach:
    if within(address, _METADATA_V4) or within(address, _NEVER_V4):
        return "never"
    return "private" if within(address, _PRIVATE_V4) else "public"


def _reach_v6(address: IPv6Address) -> Reach:
    if address.scope_id is not None or within(address, _METADATA_V6):
        return "never"
    if within(address, _PRIVATE_V6):
        return "private"
    embedded = _translated(address)
    if embedded is not None:
        # A network translator would carry it to the IPv4 host inside; that one must be public in its own right.
        return "public" if _reach_v4(embedded) == "public" else "never"
    if address not in _GLOBAL_V6 or within(address, _NEVER_V6):
        return "never"
    return "public"


def _translated(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.sixtofour if address in _SIX_TO_FOUR else None
