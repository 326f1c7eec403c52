import pytest

from prime.core.clock import SKEW_MS, is_due

HOUR = 3_600_000
NOW = 1_767_225_600_000


@pytest.mark.parametrize(
    ("ahead", "due"),
    [
        (-HOUR, True),
        (0, True),
        (1, False),
        (HOUR, False),
        (HOUR + SKEW_MS, False),  # set by a machine whose clock is a little ahead
        (HOUR + SKEW_MS + 1, True),  # nobody waits for longer than an hour: a clock was wrong
        (8760 * HOUR, True),
    ],
)
def test_a_moment_has_come_or_cannot_have_been_meant(ahead: int, due: bool) -> None:
    assert is_due(NOW + ahead, NOW, HOUR) is due
