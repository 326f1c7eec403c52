"""How often strangers may do something, one of them and all together."""

import pytest

from prime.core.clock import FakeClock
from prime.core.errors import RateLimited
from prime.network.limits import Limits, network_of
from prime.network.tasks import Caller


def taken(limits: Limits, callers: list[Caller]) -> int:
    """How many of them were let through."""
    count = 0
    for caller in callers:
        try:
            limits.check("message", caller)
            count += 1
        except RateLimited:
            pass
    return count


def test_messages_of_many_addresses_have_a_limit_together() -> None:
    clock = FakeClock()
    limits = Limits(clock)
    crowd = [Caller(address=f"198.51.{n // 200}.{n % 200}") for n in range(1000)]
    assert taken(limits, crowd) == 60
    clock.advance(10)
    assert taken(limits, crowd) == 30
    # Who is known, and the owner, have nothing to do with them.
    assert taken(limits, [Caller(address="198.51.0.1", agent_id="agt_known")] * 500) == 500
    assert taken(limits, [Caller(address="198.51.0.1", is_owner=True)] * 500) == 500


def test_one_address_cannot_take_the_share_of_all() -> None:
    limits = Limits(FakeClock())
    assert taken(limits, [Caller(address="198.51.100.1")] * 1000) == 40
    with pytest.raises(RateLimited):
        limits.check("message", Caller(address="198.51.100.1"))
    limits.check("message", Caller(address="198.51.100.2"))


def test_an_address_is_one_partys_however_it_is_written() -> None:
    assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1") != network_of("::ffff:192.0.2.2")
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1") != network_of("2001:db8:0:1::1")
