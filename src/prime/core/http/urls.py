"""Reading a URL strictly: what two parsers could read differently is not read at all."""

import re
from dataclasses import dataclass

import httpx2

from prime.core.http.addresses import parse_address
from prime.core.http.refusal import refuse

_MAX_URL = 8192
_SHAPE = re.compile(r"https?://(?:[^/?#\\@%\s\[\]:]+|\[[0-9a-f:.]+\])(?::[0-9]{0,5})?(?:[/?#].*)?", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x20\x7f\\\u0080-\u00a0\u2028\u2029\ud800-\udfff]")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMERIC = re.compile(r"0x[0-9a-f]*|[0-9]+")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Target:
    """A URL that may be tried: `host` is lower-case ASCII, `port` is always a number."""

    url: httpx2.URL
    scheme: str
    host: str
    port: int

    @property
    def usual_port(self) -> bool:
        return self.port == _DEFAULT_PORTS[self.scheme]


def read_url(text: str) -> Target:
    """The target of `text`; raises `Refused` for everything that is not a plain http(s) URL."""
    if len(text) > _MAX_URL or _CONTROL.search(text) or not _SHAPE.fullmatch(text):
        raise refuse("not a plain http or https URL")
    try:
        url = httpx2.URL(text)
    except (httpx2.InvalidURL, ValueError, UnicodeError) as error:
        raise refuse(f"URL does not parse: {error}") from None
    host = url.raw_host.decode("ascii", "replace").lower()
    check_host(host)
    port = _DEFAULT_PORTS[url.scheme] if url.port is None else url.port
    if not 0 < port < 65536:
        raise refuse("port out of range")
    return Target(url=url.copy_with(fragment=None), scheme=url.scheme, host=host, port=port)


def check_host(host: str) -> None:
    """Refuses what is neither a plain address nor a plain name: odd spellings of IPv4, zones, a dot at the end."""
    if parse_address(host) is not None:
        return
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise refuse("host is not a plain name")
    # The C library reads a name that ends in a number as an address in an old spelling; so do browsers.
    if _NUMERIC.fullmatch(labels[-1]):
        raise refuse("host is an address in an odd spelling")


def redirected(origin: Target, location: str) -> Target:
    """The target of a redirect: same host, same port, and never from https to http."""
    if not location or _CONTROL.search(location) or len(location) > _MAX_URL:
        raise refuse("redirect without a usable location")
    try:
        joined = str(origin.url.join(location))
    except (httpx2.InvalidURL, ValueError, UnicodeError):
        raise refuse("redirect location does not parse") from None
    target = read_url(joined)
    upgraded = (origin.scheme, target.scheme) == ("http", "https") and origin.usual_port and target.usual_port
    same = (origin.scheme, origin.port) == (target.scheme, target.port)
    if target.host != origin.host or not (same or upgraded):
        raise refuse("redirect leaves the host")
    return target
