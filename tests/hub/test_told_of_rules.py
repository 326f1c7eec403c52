"""What somebody outside is told whom a standing rule answers."""

import pytest

from prime.hub.rules import told_of, tried


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("Accept offers of 4,000 EUR or more without asking.", "Yes, please go ahead."),
        ("Spend up to 350 EUR on deposits without asking.", "Yes, please go ahead."),
        ("Agree to final orders without asking.", "Yes, please go ahead."),
        ("Decline offers of 4,000 EUR or less without asking.", "No, not this time."),
        ("定金在350元以内不用问我，直接同意。", "可以，请照此进行。"),
        ("一律不接受独家，不用问我。", "不，这次不行。"),
        ("Freight up to 1,000 EUR is fine", "Yes, please go ahead."),
        ("Freight of more than 1,000 EUR: we don't take it", "No, not this time."),
        ("运费1,000元以内都行。", "可以，请照此进行。"),
        ("Ask for a lower price first.", ""),
        ("Our day rate is 800 EUR.", ""),
    ],
)
def test_a_rule_is_told_as_yes_or_no_and_never_with_its_limit(rule: str, told: str) -> None:
    [standing] = tried(rule, "").rules
    assert told_of(standing) == told
