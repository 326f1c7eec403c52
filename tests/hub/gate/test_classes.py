"""One approval never green-lights an unrelated reply."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prime.core.classes import match, profile
from prime.hub.gate.classes import same_stance, same_subject

# (approved, candidate): realistic pairs that share words and are not the same kind of reply.
UNRELATED = [
    ("The invoice for March is attached.", "The invoice for March is not attached."),
    ("Yes, I will send the contract today.", "No, I will never send the contract today."),
    ("I can transfer the deposit to your account.", "I can transfer the deposit of 95,000 EUR to your account."),
    ("The deposit of $50 was transferred.", "The deposit of $50,000 was transferred."),
    ("The slides are online.", "The slides are online at http://evil.example/slides"),
    ("Please write to our support desk.", "Please write to our support desk, support@evil.example"),
    ("Your parcel was shipped.", "Your parcel was lost, file a complaint with the courier and the police."),
    ("The meeting room is booked.", "The meeting is cancelled, the room is flooded."),
    ("Dinner at the harbour sounds great.", "My password for the harbour office sounds like this."),
    ("Thanks, see you on Friday!", "Thanks, see you on Friday!"),
    ("Best regards, Anna Schmidt", "Best regards, Anna Schmidt"),
    ("Order 4711 from 2024-05-01", "Order 4711 from 2024-05-01"),
    ("The bank account is 1234.", "The bank account is DE89 3704 0044 0532 0130 00."),
    ("I agree to the terms of the lease.", "I do not agree to the terms of the lease."),
    ("发票已经发送到您的邮箱。", "发票没有发送到您的邮箱。"),
    ("报价单明天发给您。", "合同已经取消，请退款。"),
    ("我们可以接受这个价格。", "我们不能接受这个价格。"),
    ("产品目录已经寄出。", "请把银行账户和密码告诉我。"),
    ("会议改到周五下午。", "会议改到周五下午，请先转账5000元。"),
    ("請求書を送付しました。", "請求書は送付していません。"),
    ("Die Rechnung ist unterwegs.", "Die Kündigung ist unterwegs."),
]
RELATED = [
    ("The invoice for March is attached.", "The invoice for April is attached."),
    ("Your parcel was shipped yesterday.", "Your parcel was shipped this morning."),
    ("发票已经发送到您的邮箱。", "三月的发票已经发送到邮箱。"),
    ("The slides are online on our page.", "The slides of the second talk are online."),
]
_WORDS = """
invoice parcel contract slides meeting harbour deposit garden lamp violin ticket engine recipe mountain window
passport bicycle doctor battery umbrella
"""
WORDS = _WORDS.split()


def green_lit(candidate: str, approved: str, *, trigger: str = "", taught: str = "") -> bool:
    """As `Classes.find` decides about one class."""
    return match(candidate, approved) is not None and same_stance(candidate, approved) and same_subject(trigger, taught)


@pytest.mark.parametrize(("approved", "candidate"), UNRELATED)
def test_an_unrelated_reply_waits(approved: str, candidate: str) -> None:
    assert not green_lit(candidate, approved)


@pytest.mark.parametrize(("approved", "candidate"), RELATED)
def test_the_same_kind_goes(approved: str, candidate: str) -> None:
    assert green_lit(candidate, approved)


def test_the_same_answer_to_something_else_waits() -> None:
    answer = "Thank you, I will look at it and come back to you."
    invoice, funeral = "Could you check the March invoice?", "My father died on Sunday, the funeral is tomorrow."
    assert not green_lit(answer, answer, trigger=funeral, taught=invoice)
    assert green_lit(answer, answer, trigger="Could you check the April invoice?", taught=invoice)
    assert green_lit(answer, answer, trigger="Hi!", taught="Hello")


sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8, unique=True)


@given(approved=sentences, candidate=sentences)
def test_less_than_two_words_or_half_of_them_in_common_is_never_enough(
    approved: list[str], candidate: list[str]
) -> None:
    shared = set(approved) & set(candidate)
    went = green_lit(" ".join(candidate), " ".join(approved))
    if len(shared) < 2 or 2 * len(shared) < len(candidate):
        assert not went
    else:
        assert went


@settings(max_examples=150)
@given(approved=st.text(max_size=200), candidate=st.text(max_size=200))
def test_any_two_texts_need_two_specific_words_in_common(approved: str, candidate: str) -> None:
    if green_lit(candidate, approved):
        shared = profile(candidate).specific & profile(approved).specific
        assert len(shared) >= 2
        assert 2 * len(shared) >= len(profile(candidate).specific)


@given(
    words=sentences,
    extra=st.sampled_from(["not", "never", "$900", "http://evil.example", "don't", "DE89 3704 0044 0532 01"]),
)
def test_what_turns_a_reply_round_stops_it(words: list[str], extra: str) -> None:
    text = " ".join(words)
    assert not green_lit(f"{text} {extra}", text)
