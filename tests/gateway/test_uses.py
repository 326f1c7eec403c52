"""Sessions over HTTP that rest, and those that only seem to."""

from prime.core.clock import FakeClock
from prime.gateway.front.uses import Uses


def test_a_session_that_only_hurries_shows_itself_before_it_is_taken_for_unused() -> None:
    clock = FakeClock()
    uses = Uses(clock.monotonic, rests_s=100)
    assert not uses.may_hurry("a")
    with uses.seen("a"):
        pass
    clock.advance(49)
    assert uses.may_hurry("a")
    clock.advance(2)
    assert not uses.may_hurry("a")
    with uses.seen("a"):
        pass
    assert uses.may_hurry("a")


def test_what_rests_is_forgotten_and_an_open_stream_does_not_rest() -> None:
    clock = FakeClock()
    uses = Uses(clock.monotonic, rests_s=100)
    with uses.seen("gone"):
        pass
    with uses.seen("listens"):
        clock.advance(1000)
        assert uses.rested() == ["gone"]
        assert uses.may_hurry("listens")
    assert uses.rested() == []
    clock.advance(101)
    assert uses.rested() == ["listens"]
    assert uses.rested() == []
