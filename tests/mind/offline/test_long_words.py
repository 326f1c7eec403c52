"""What somebody sends to make Prime slow: words without an end are described as quickly as others, and rightly."""

import time

import pytest

from prime.mind.jobs.keeping import DescribeRequest
from prime.mind.offline.talk.describing import description

LENGTH = 24_000


@pytest.mark.parametrize(
    "piece", ["9", "a", "a.", "A", "2020-", "999 ", "999,", "汉", "a@", "$9 ", "http://", "Ab & ", "1.1 "]
)
def test_a_text_of_one_piece_is_described_at_once(piece: str) -> None:
    text = piece * (LENGTH // len(piece))
    began = time.process_time()
    assert description(DescribeRequest(name="x.txt", mime_type="text/plain", text=text))
    assert time.process_time() - began < 2.0  # some took a minute


def test_addresses_and_amounts_are_still_found() -> None:
    text = "Write to anna.lee+sales@mail.example.co.uk, see https://example.com/a. It costs 1,234,567.50 EUR or $12.5m."
    said = description(DescribeRequest(name="x.txt", mime_type="text/plain", text=text))
    for found in ("anna.lee+sales@mail.example.co.uk", "https://example.com/a", "1,234,567.50 EUR", "$12.5m"):
        assert found in said


def test_a_name_ends_with_its_line() -> None:
    text = "Everything is settled.\nContact: Nina Larsen\nBoard meets in spring."
    assert "Names: Nina Larsen." in description(DescribeRequest(name="x.txt", mime_type="text/plain", text=text))
