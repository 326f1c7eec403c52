"""Whom the guarded client may reach."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from prime.core.errors import InvalidInput
from prime.core.http.addresses import Address, Network, names_nobody, parse_address, parse_network, reach


@dataclass(frozen=True)
class _Entry:
    """One item of the allow list: a range or a host name, on one port or on all."""

    network: Network | None
    host: str
    port: int | None

    def names(self, host: str, port: int) -> bool:
        return self.network is None and self.host == host and self.port in (None, port)

    def holds(self, address: Address, port: int) -> bool:
        net = self.network
        return net is not None and net.version == address.version and address in net and self.port in (None, port)


@dataclass(frozen=True)
class NetworkPolicy:
    """Public addresses are always reachable, others as follows.

    `allow_private`: loopback, private and carrier addresses too; set while the instance itself is on loopback.
    `allow`: host names, `host:port`, addresses and ranges (`10.1.0.0/16`, `[fd00::1]:8080`), as in PRIME_NETWORK_ALLOW.
    A listed host name may be private, a listed range may be anything but multicast and the like.
    """

    allow_private: bool = False
    allow: Sequence[str] = ()
    _entries: tuple[_Entry, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_entries", tuple(_parse(item) for item in self.allow if item.strip()))

    def permits(self, host: str, port: int, address: Address) -> bool:
        """Whether `host`, which resolved to `address`, may be dialled there."""
        if names_nobody(address):
            return False
        if any(e.holds(address, port) for e in self._entries):
            return True
        kind = reach(address)
        if kind == "private":
            return self.allow_private or any(e.names(host, port) for e in self._entries)
        return kind == "public"


def _parse(item: str) -> _Entry:
    text = item.strip().lower()
    whole = parse_network(text)
    if whole is not None:
        return _Entry(network=whole, host="", port=None)
    host, port = _split_port(text, item)
    address = parse_address(host)
    if address is not None:
        return _Entry(network=parse_network(host), host="", port=port)
    if not host or any(c in host for c in "/:@[]* \t"):
        raise _wrong(item)
    return _Entry(network=None, host=host.rstrip("."), port=port)


def _split_port(text: str, item: str) -> tuple[str, int | None]:
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        rest = rest.removeprefix(":")
    else:
        host, _, rest = text.partition(":")
    if not rest:
        return host, None
    if not (rest.isascii() and rest.isdigit() and 0 < int(rest[:6]) < 65536):
        raise _wrong(item)
    return host, int(rest)


def _wrong(item: str) -> InvalidInput:
    return InvalidInput(
        f"'{item}' in PRIME_NETWORK_ALLOW is not a host, host:port, address or range.",
        hint="Write for example intranet.example, intranet.example:8080 or 10.1.0.0/16, separated by commas.",
    )
