"""What of a result goes on: redacted first, then cut."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prime.tools.policy import ResultFilter

KEY = "sk-ant-api03-" + "A1b2C3d4" * 11 + "AA"


@pytest.mark.holds("D-ATIP-15")
@settings(deadline=None)
@given(st.integers(min_value=0, max_value=400))
def test_no_part_of_a_secret_is_left_at_the_cut(limit: int):
    shown = ResultFilter(limit=limit).text("begin " * 20 + KEY + " end" * 20)
    assert "sk-ant" not in shown
    assert len(shown.encode()) <= limit


def test_own_secrets_go_wherever_they_stand():
    held = ["hunter2-very-secret"]
    results = ResultFilter(secrets=lambda: held)
    assert "hunter2" not in results.text('{"a": "hunter2-very-secret"}')
    held.append("another-secret-value")
    assert "another-secret" not in results.text("x another-secret-value y")


def test_terminal_sequences_do_not_split_a_secret():
    assert "very-secret" not in ResultFilter(secrets=["hunter2-very-secret"]).text("hunter2\x1b[0m-very\x00-secret")


def test_bytes_of_any_kind_become_text():
    assert ResultFilter().text(b"caf\xc3\xa9 \xff\x00") == "caf\u00e9 \ufffd"
    big = ResultFilter(limit=1000).text(b"\xf0\x9f\x92\xa9" * 1_000_000)
    assert len(big.encode()) <= 1000
    assert "cut" in big


def test_a_secret_anywhere_in_a_long_output_is_not_shown():
    """Also when redaction makes a long text short, so that its far end is shown."""
    results = ResultFilter(limit=100_000, secrets=["the-owners-secret"])
    pem = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0B\n" * 300 + "-----END PRIVATE KEY-----\n"
    shown = results.text(pem * 80 + "the-owners-secret end")
    assert "MIIEv" not in shown
    assert shown.endswith("[redacted] end")
    long = results.text("the-owners-secret\n" * 200_000)
    assert "owners" not in long
    assert len(long.encode()) <= 100_000


def test_short_output_stays_as_it_is():
    assert ResultFilter().text("line\n\tline\r\n") == "line\n\tline\r\n"
