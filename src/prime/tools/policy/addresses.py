"""Addresses that a call names: unusual schemes, and machines that only this one reaches."""

import ipaddress
import re
import urllib.parse
from collections.abc import Iterator

from prime.tools.policy.decision import Reason, ask, deny

_SCHEMES = frozenset({"http", "https", "ftp", "ftps", "sftp", "ws", "wss", "ssh", "git", "file", "s3", ""})
_PART = re.compile(r"0x[0-9a-f]{1,8}|\d{1,10}")


def url_reasons(text: str) -> Iterator[Reason]:
    """Why an address is not simply used."""
    # `example.org:8080/x` has no scheme, though it looks as if it had one.
    whole = text if "://" in text or text.casefold().startswith("file:") else f"//{text}"
    try:
        parts = urllib.parse.urlsplit(whole)
        host = parts.hostname or ""
    except ValueError:
        step = "Give a whole address such as https://example.org."
        yield deny("invalid_url", f"{text[:80]!r} is not an address.", step)
        return
    if parts.scheme.casefold() not in _SCHEMES or "::" in text.partition("://")[0]:
        yield ask("unusual_scheme", f"{text[:40]!r} is not one of the usual kinds of address.")
    if is_local(host):
        yield ask("local_address", f"{host[:80]} is this machine or its own network.")
    if parts.username or parts.password:
        yield ask("credentials_in_url", "The address has a user name or a password in it.")


def is_local(host: str) -> bool:
    """This machine or a private network, in every spelling that `inet_aton` takes: 127.1, 2130706433, 0x7f.0.0.1."""
    name = host.casefold().strip("[]").rstrip(".").partition("%")[0]
    if name == "localhost" or name.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        number = _old_style(name)
        if number is None:
            return False
        address = ipaddress.IPv4Address(number)
    inner = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return not (inner or address).is_global


def _old_style(name: str) -> int | None:
    parts = name.split(".")
    if len(parts) > 4 or not all(_PART.fullmatch(part) for part in parts):
        return None
    try:
        numbers = [_number(part) for part in parts]
    except ValueError:
        return None
    total = numbers[-1] + sum(number << (24 - 8 * index) for index, number in enumerate(numbers[:-1]))
    return total if total < 1 << 32 else None


def _number(part: str) -> int:
    if part.startswith("0x"):
        return int(part, 16)
    return int(part, 8) if part.startswith("0") and len(part) > 1 else int(part)
