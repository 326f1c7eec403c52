"""What a tier must not see is taken out by sentence, however it is spelled, and the owner's own categories count too."""

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prime.core.errors import InvalidInput
from prime.rooms import clamp
from prime.rooms.clamp import Clamp, sentences

CLAMP = Clamp.load()


@pytest.mark.parametrize(
    "secret",
    [
        "Our margin is 40 %.",
        "OUR MARGIN is 40 %.",
        "Our mar\u200bgin is 40 %.",
        "Ｏｕｒ ｍａｒｇｉｎ is 40 %.",
        "Öur márgin is 40 %.",
        "毛利是百分之四十。",
        "這是內部資料。",
        "The password is swordfish.",
        "This is confidential!",
    ],
)
def test_a_secret_goes_to_the_team_alone(secret: str) -> None:
    text = f"The lamp ships in March. {secret} It is made of oak."
    for tier in ("business_relation", "external"):
        clamped = CLAMP.apply(text, tier)
        assert clamped.text == "The lamp ships in March. It is made of oak."
        assert [each.sentence for each in clamped.removed] == [secret]
        assert clamped.removed[0].category
    assert CLAMP.apply(text, "team").text == text


def test_deal_terms_are_for_partners_and_not_for_strangers() -> None:
    text = "Payment terms are 30 days. The lamp is dimmable."
    assert CLAMP.apply(text, "business_relation").removed == ()
    assert CLAMP.apply(text, "external").text == "The lamp is dimmable."


def test_what_holds_nothing_hidden_is_left_as_it_was() -> None:
    text = "  See example.com, it costs 3.50 EUR…\n\n“Really?” she said.  "
    assert CLAMP.apply(text, "external").text == text


@given(st.text(max_size=200))
def test_sentences_leave_nothing_out(text: str) -> None:
    assert "".join(sentences(text)) == text


@given(st.lists(st.sampled_from(["Fine.", "Our margin is 9.", "内部。", "Is it?", "a\n", "x"]), max_size=9))
def test_clamping_again_takes_nothing_more(parts: list[str]) -> None:
    once = CLAMP.apply(" ".join(parts), "external")
    assert CLAMP.apply(once.text, "external").removed == ()


def test_the_owners_categories_count_too(tmp_path: Path) -> None:
    category = {"name": "code names", "hiddenFrom": ["external"], "patterns": [r"\bZanzibar\b"]}
    (tmp_path / "mine.json").write_text(json.dumps({"categories": [category]}))
    clamped = Clamp.load(tmp_path).apply("Zanzibar is late. Sorry.", "external")
    assert clamped.text == "Sorry."
    assert clamped.removed[0].category == "code names"
    assert Clamp.load(tmp_path / "nowhere").apply("Zanzibar is late.", "external").removed == ()


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"categories": [{}]}',
        '{"categories": {}}',
        '{"categories": [{"name": "x", "hiddenFrom": [], "patterns": ["x"]}]}',
        '{"categories": [{"name": "x", "hiddenFrom": ["friends"], "patterns": ["x"]}]}',
        '{"categories": [{"name": "x", "hiddenFrom": ["external"], "patterns": ["("]}]}',
        '{"categories": [{"name": "x", "hiddenFrom": ["external"], "patterns": [7]}]}',
        '{"categories": [{"name": "x", "hiddenFrom": ["external"], "patterns": ["a{99999999999}"]}]}',
        '{"categories": [{"name": "x", "hiddenFrom": ["external"], "patterns": ["%s"]}]}' % ("(" * 3000 + ")" * 3000),
        "[" * 100_000,
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.json").write_text(text)
    with pytest.raises(InvalidInput, match=r"mine\.json is not a list of categories"):
        Clamp.load(tmp_path)


def test_a_file_may_begin_with_an_editors_mark(tmp_path: Path) -> None:
    category = {"name": "code names", "hiddenFrom": ["external"], "patterns": ["Zanzibar"]}
    (tmp_path / "mine.json").write_text(json.dumps({"categories": [category]}), "utf-8-sig")
    assert Clamp.load(tmp_path).apply("Zanzibar is late.", "external").text == ""


@pytest.mark.parametrize("patterns", [[], [""], ["x*"], ["Zanzibar", "(?:)"], ["."], [r"\w+"], [r"[\s\S]"]])
def test_a_pattern_that_hides_everything_is_told(tmp_path: Path, patterns: list[str]) -> None:
    category = {"name": "x", "hiddenFrom": ["external"], "patterns": patterns}
    (tmp_path / "mine.json").write_text(json.dumps({"categories": [category]}))
    with pytest.raises(InvalidInput, match=r"has no patterns|is found in every sentence"):
        Clamp.load(tmp_path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_bytes('{"categories": [{"name": "Über"}]}'.encode("latin-1"))
    with pytest.raises(InvalidInput, match=r"mine\.json cannot be read"):
        Clamp.load(tmp_path)
    (tmp_path / "mine.json").unlink()
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(InvalidInput, match=r"folder\.json cannot be read"):
        Clamp.load(tmp_path)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [(r"(\w|\w\w)+$", "a" * 60 + "!"), (r"(.*a){12}$", "ab " * 10_000)],
)
def test_a_pattern_without_end_holds_nothing_up_and_lets_nothing_through(
    tmp_path: Path, pattern: str, text: str
) -> None:
    category = {"name": "endless", "hiddenFrom": ["external"], "patterns": [pattern]}
    (tmp_path / "mine.json").write_text(json.dumps({"categories": [category]}))
    began = time.process_time()
    clamped = Clamp.load(tmp_path).apply(f"{text}\nAnd this, too.", "external")
    assert time.process_time() - began < 5
    assert [each.category for each in clamped.removed] == ["endless: took too long"] * 2


def test_a_long_text_is_looked_through_to_its_end() -> None:
    clamped = CLAMP.apply("We like the lamp, and it is bright. " * 5_000 + "Our margin is ten. Bye.", "external")
    assert [each.sentence for each in clamped.removed] == ["Our margin is ten."]


def test_a_pattern_may_say_for_itself_how_it_is_read(tmp_path: Path) -> None:
    category = {"name": "x", "hiddenFrom": ["external"], "patterns": ["Zanzibar", r"(?x) the \s moon", r"(a)(b)\1"]}
    (tmp_path / "mine.json").write_text(json.dumps({"categories": [category]}))
    assert len(Clamp.load(tmp_path).apply("To the moon. By abA. And back.", "external").removed) == 2


# One for each pattern, in the file's order: nothing else takes it out.
SENTENCES = {
    "margins": [
        "The gross margin fell",
        "A margin of ten",
        "A markup",
        "The cost price",
        "It costs us ten",
        "毛利不变",
    ],
    "internals": [
        *("An internal matter", "Just between us", "It is confidential", "We keep to our budget", "Our walk-away"),
        *("That is our limit", "Buy it without asking", "这是机密"),
    ],
    "secrets": ["The password", "An API key", "The access token", "密码在此"],
    "deal terms": ["A discount", "The payment terms", "On consignment", "With exclusivity", "The contract", "九折折扣"],
    "calendars": ["See my calendar", "日程安排如下"],
    "other counterparts": ["Some other suppliers", "其他客户也要"],
}


@pytest.mark.parametrize(
    ("patterns", "text"),
    [(["(moon)", "(a)(?1)z"], "aaz"), (["x(*PRUNE)y", "xz"], "xz")],
)
def test_patterns_do_not_reach_into_one_another(tmp_path: Path, patterns: list[str], text: str) -> None:
    category = {"name": "x", "hiddenFrom": ["external"], "patterns": patterns}
    (tmp_path / "mine.json").write_text(json.dumps({"categories": [category]}))
    assert Clamp.load(tmp_path).apply(f"{text} it is. And back.", "external").text == "And back."


def test_each_pattern_takes_out_what_no_other_does() -> None:
    """A pattern that is added, lost or spoiled is seen here."""
    categories = json.loads((Path(clamp.__file__).parent / "clamp.json").read_text("utf-8"))["categories"]
    assert {each["name"]: len(each["patterns"]) for each in categories} == {
        name: len(said) for name, said in SENTENCES.items()
    }
    for category in categories:
        for pattern, sentence in zip(category["patterns"], SENTENCES[category["name"]], strict=True):
            by = [p for each in categories for p in each["patterns"] if re.search(p, sentence, re.IGNORECASE)]
            assert by == [pattern], sentence
            for tier in ("team", "business_relation", "external"):
                hidden = tier in category["hiddenFrom"]
                assert bool(CLAMP.apply(f"{sentence}.", tier).removed) is hidden, (sentence, tier)
