"""Which addresses count as public, private or never reachable."""

from ipaddress import IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prime.core.errors import InvalidInput
from prime.core.http import NetworkPolicy
from prime.core.http.addresses import parse_address, reach


@pytest.mark.parametrize(
    "text", ["8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "64:ff9b::808:808", "2002:808:808::1"]
)
def test_public(text: str):
    address = parse_address(text)
    assert address is not None
    assert reach(address) == "public"


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1",
        "127.255.255.254",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "100.64.0.1",
        "::1",
        "fd12::1",
    ],
)
def test_private(text: str):
    address = parse_address(text)
    assert address is not None
    assert reach(address) == "private"


@pytest.mark.parametrize(
    "text",
    [
        "0.0.0.0",
        "0.1.2.3",
        "169.254.169.254",
        "169.254.1.1",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.1",
        "192.0.2.1",
        "198.18.0.1",
        "198.51.100.7",
        "203.0.113.7",
        "224.0.0.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::127.0.0.1",
        "::8.8.8.8",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "2002:7f00:1::1",
        "2002:a00:1::1",
        "2001:0:7f00:1::1",
        "2001:db8::1",
        "3fff::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
        "fd00:ec2::254",
        "fd20:ce::254",
        "100::1",
    ],
)
def test_never(text: str):
    address = parse_address(text)
    assert address is not None
    assert reach(address) == "never"
    assert not NetworkPolicy(allow_private=True).permits("h", 80, address)


def permits(policy: NetworkPolicy, host: str, port: int, address: str) -> bool:
    parsed = parse_address(address)
    assert parsed is not None
    return policy.permits(host, port, parsed)


def test_allow_list_forms():
    policy = NetworkPolicy(
        allow=["Intra.example", "db.example:5432", "10.1.0.0/16", "10.9.9.9:81", "[fd00::5]:82", "fd01::/16"]
    )
    assert permits(policy, "intra.example", 80, "10.0.0.1")
    assert not permits(policy, "intra.example", 80, "169.254.169.254"), "a listed name does not open metadata"
    assert permits(policy, "db.example", 5432, "192.168.0.2")
    assert not permits(policy, "db.example", 80, "192.168.0.2")
    assert permits(policy, "any.example", 80, "10.1.2.3")
    assert not permits(policy, "any.example", 80, "10.2.2.3")
    assert permits(policy, "10.9.9.9", 81, "10.9.9.9")
    assert not permits(policy, "10.9.9.9", 82, "10.9.9.9")
    assert permits(policy, "x", 82, "fd00::5")
    assert not permits(policy, "x", 83, "fd00::5")
    assert permits(policy, "x", 83, "fd01::99")


def test_even_the_widest_range_opens_nobody():
    policy = NetworkPolicy(allow=["0.0.0.0/0", "::/0"])
    assert permits(policy, "h", 80, "169.254.169.254")
    for nobody in ("0.0.0.0", "224.0.0.1", "255.255.255.255", "::", "ff02::1"):
        assert not permits(policy, "h", 80, nobody)


@pytest.mark.parametrize("item", ["http://x", "a:b", "a:0", "a:99999", "*.example", "a b", "10.0.0.0/99", "u@h", "h:²"])
def test_a_wrong_allow_list_is_said(item: str):
    with pytest.raises(InvalidInput, match="PRIME_NETWORK_ALLOW"):
        NetworkPolicy(allow=[item])


@given(st.ip_addresses(v=4))
def test_what_python_calls_private_is_never_public(address: object):
    from ipaddress import IPv4Address

    assert isinstance(address, IPv4Address)
    if address.is_private or address.is_multicast or address.is_reserved or address.is_link_local:
        assert reach(address) != "public"


@given(st.ip_addresses(v=4))
def test_an_embedded_address_never_reaches_further_than_itself(address: object):
    from ipaddress import IPv4Address, IPv6Address

    assert isinstance(address, IPv4Address)
    inside = int(address)
    for carrier in (0, 0xFFFF << 32, 0x64_FF9B << 96, (0x2002 << 112) | (inside << 80) - inside):
        wrapped = IPv6Address(carrier + inside)
        if reach(address) != "public":
            assert reach(wrapped) != "public"


def test_an_address_of_one_link_is_never_reached():
    assert reach(IPv6Address("2600::1")) == "public"
    assert reach(IPv6Address("2600::1%1")) == "never"
