"""Estimates against what real tokenizers counted (o200k, an Anthropic one, Qwen's), recorded here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prime.mind.tokens import Counted, Family, correction, estimate, family_of
from prime.mind.windows import MOST, UNKNOWN, budget_for

CHINESE = (
    "已记下。这里没有连接语言模型，我按规则工作：你写的内容会保存下来，随时可以找回。今天上午十点，"
    "我们在会议室讨论了新产品的预算和时间表，最后决定先做一个小规模的试点。"
)
JAPANESE = "今朝、会議室で新製品の予算とスケジュールについて話し合い、まず小規模な試験から始めることにしました。"
ENGLISH = "This morning we talked about the budget and the schedule of the new product, and decided to begin with a small pilot."
JSON = '{"cmd": "ls -la /srv/17", "timeout": 30, "env": {"LANG": "C"}, "ids": ["msg_01J9Z3K2", "msg_01J9Z3K3"]}'
GERMAN = (
    "Die Vertragsparteien vereinbaren, dass die Lieferung spätestens am dritten Werktag nach Eingang der Bestellung "
    "erfolgt; Überschreitungen sind unverzüglich anzuzeigen."
)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (CHINESE, (57, 72, 51)),
        (JAPANESE, (39, 58, 35)),
        (ENGLISH, (24, 24, 24)),
        (JSON, (53, 51, 56)),
        (GERMAN, (33, 55, 52)),
    ],
    ids=["Chinese", "Japanese", "English", "JSON", "German"],
)
def test_estimates_are_near_the_truth(text: str, counts: tuple[int, int, int]) -> None:
    families: tuple[Family, ...] = ("openai", "anthropic", "other")
    for family, counted in zip(families, counts, strict=True):
        assert 0.7 <= estimate(text, family) / counted <= 1.35


@given(st.text(), st.text())
def test_estimates_add_up(one: str, other: str) -> None:
    for family in ("openai", "anthropic", "other"):
        together = estimate(one + other, family)
        assert abs(together - estimate(one, family) - estimate(other, family)) <= 3
        assert estimate(one, family) >= bool(one)


def test_half_characters_are_counted_too() -> None:
    assert estimate("\ud800") >= 1
    assert estimate("") == 0


def test_corrections() -> None:
    assert correction([]) == 1.0
    assert correction([Counted(100, 150), Counted(300, 450)]) == 1.5
    assert correction([Counted(0, 10), Counted(10, 0)]) == 1.0
    assert correction([Counted(1, 10_000)]) == 3.0
    assert correction([Counted(10_000, 1)]) == 0.5


def test_models() -> None:
    assert [family_of(m) for m in ("openai:gpt-4o", "anthropic:claude-x", "gemini:gemini-2.5", "ollama:qwen3:8b")] == [
        "openai", "anthropic", "other", "other",
    ]  # fmt: skip
    assert budget_for("openai:gpt-4").tokens == 5700
    assert budget_for("openai:gpt-4o-mini").tokens == MOST
    assert budget_for("offline").tokens == 11_400
    assert budget_for("ollama:qwen3:8b").tokens == 22_800
    assert budget_for("openrouter:meta/llama-3.3-70b").tokens == MOST
    assert budget_for("ollama:never-heard-of").tokens < UNKNOWN
    assert budget_for("").tokens < UNKNOWN
