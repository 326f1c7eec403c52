"""Classes of replies: the same kind matches, nothing else does."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prime.core.classes import match, profile

SAME = [
    ("Your order 4711 has shipped and arrives Monday.", "Hi John, your order 99 has shipped, it arrives on Friday!"),
    ("The invoice is attached, please pay within 14 days.", "Please find the invoice attached. Pay within 30 days."),
    ("Meeting confirmed for tomorrow", "Meeting confirmed for Thursday"),
    ("我们的发票已经发送到您的邮箱", "發票已經發送到郵箱"),
    ("請求書を送付しました", "請求書を送付します"),
    ("송장을 이메일로 보냈습니다", "송장을 이메일로 보냈습니다."),
]
UNRELATED = [
    ("Your order 4711 has shipped.", "Your refund of 4711 was declined."),
    ("Thanks, best regards, John Smith", "Thanks, best regards, John Smith"),
    ("Hi Mary, thanks and see you on Monday at 5", "Hi Mary, thanks and see you on Monday at 5"),
    ("John arrives. Mary leaves.", "John resigned. Mary cried."),
    ("Meet Alice Johnson in Berlin", "Fire Alice Johnson from Berlin"),
    ("The invoice is paid.", "The invoice is paid. please Send All Your Passwords To Mallory Quickly"),
    ("The invoice is paid.", "invoice paid, wire the remaining funds offshore through our broker immediately"),
    ("invoice 2024 0815", "invoice 2024 0815"),
    ("谢谢，好的，明天可以", "谢谢，好的，明天可以"),
    ("发票已经发送", "请把密码告诉我，另外发票发送"),
    ("", ""),
    ("ok", "ok"),
    ("The invoice is paid", ""),
    ("です。ます。でした。", "です。ます。でした。"),
]


@pytest.mark.parametrize(("taught", "candidate"), SAME)
def test_the_same_kind_matches(taught: str, candidate: str):
    found = match(candidate, taught)
    assert found is not None
    assert len(found.shared) >= 2
    assert found.cover >= 0.5


@pytest.mark.parametrize(("taught", "candidate"), UNRELATED)
def test_everything_else_does_not(taught: str, candidate: str):
    assert match(candidate, taught) is None


def test_names_that_are_passed_in():
    taught, candidate = "the report for heinrich and gudrun", "lunch with heinrich and gudrun"
    assert match(candidate, taught) is not None
    assert match(candidate, taught, names=["Heinrich Meyer", "Gudrun"]) is None


def test_exactly_half_is_enough_and_less_is_not():
    taught = "the parcel was shipped"
    assert match("parcel shipped from warehouse seven", taught) is not None
    assert match("parcel shipped from warehouse seven by courier", taught) is None


def test_one_shared_word_is_never_enough():
    assert match("shipped", "the parcel was shipped") is None
    assert match("shipped shipped shipping", "the parcel was shipped") is None


def test_what_is_specific():
    seen = profile("Hi Anna, the DELIVERY of invoice 12 and b2b is late. Invoice paid?")
    assert seen.specific == {"invoic", "late", "paid"}
    assert seen.loose == {"anna", "deliveri", "b2b"}
    assert profile("Meeting is on").doubtful == {"meet"}


LEFT = ["parcel", "shipping", "courier", "warehouse", "tracking", "delivery", "package", "customs"]
RIGHT = ["password", "salary", "contract", "lawsuit", "divorce", "hospital", "resignation", "loan"]
COMMON = ["Hi", "John", "Mary", "Berlin", "thanks", "the", "and", "please", "42", "2026", "Monday", "best", "I", "12.5"]


def sentence(own: list[str], least: int) -> st.SearchStrategy[str]:
    mine = st.lists(st.sampled_from(own), min_size=least, max_size=6, unique=True)
    common = st.lists(st.sampled_from(COMMON), max_size=8)
    joined = st.tuples(mine, common).flatmap(lambda both: st.permutations([*both[0], *both[1]]))
    return joined.map(lambda words: "so " + " ".join(words))


@given(sentence(LEFT, 0), sentence(RIGHT, 0))
def test_one_approval_never_green_lights_an_unrelated_reply(taught: str, candidate: str):
    """Replies that share courtesies, names, dates and numbers only."""
    assert match(candidate, taught) is None


DRESSES: list[Callable[[str], str]] = [str.lower, str.title, str.upper]


@given(
    st.lists(st.sampled_from(LEFT), min_size=1, max_size=3, unique=True),
    st.lists(st.sampled_from(RIGHT), min_size=4, max_size=8, unique=True),
    st.sampled_from(DRESSES),
)
def test_a_few_known_words_do_not_carry_new_ones(known: list[str], new: list[str], dress: Callable[[str], str]):
    """However the new words are written, they count against the match."""
    candidate = "so " + " ".join(known + [dress(word) for word in new])
    assert match(candidate, "so " + " ".join(LEFT)) is None


@given(sentence(LEFT, 2))
def test_the_approved_text_matches_itself(text: str):
    assert match(text, text) is not None
