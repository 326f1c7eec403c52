"""Words for search: folding, pairs, wholes, stems, and where they stand."""

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prime.core.words import Token, stem_word, terms, tokens


def words(text: str) -> list[str]:
    return [t.text for t in tokens(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Running runs", ["run", "run"]),
        ("the invoices of the company", ["invoic", "compani"]),
        ("Café CAFE café", ["cafe", "cafe", "cafe"]),
        ("Straße STRASSE", ["strass", "strass"]),
        ("Ｐｙｔｈｏｎ ﬁle", ["python", "file"]),
        ("Łódź Æther", ["lodz", "aether"]),
        ("Østby Ålborg", ["ostbi", "oestbi", "alborg", "aalborg"]),
        ("München Muenchen Munchen", ["munchen", "muenchen", "muenchen", "munchen"]),
        ("GRÖSSE Größe größe", ["gross", "groess"] * 3),
        ("blue Israel", ["blue", "israel"]),
        ("İstanbul ISTANBUL", ["istanbul", "istanbul"]),
        ("Ёлка елка", ["елка", "елка"]),
        ("ΟΔΟΣ οδός", ["οδοσ", "οδοσ"]),
        ("مُحَمَّد محمد", ["محمد", "محمد"]),
        ("हिन्दी", ["हिन्दी"]),
        ("", []),
        ("... --- '''", []),
    ],
)
def test_folding(text: str, expected: list[str]):
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("don't", ["dont"]),
        ("don’t", ["dont"]),
        ("John's O'Brien", ["john", "obrien"]),
        ("'quoted'", ["quoted"]),
        ("user@example.com", ["user", "example", "com", "user@example.com"]),
        ("https://docs.example.com/a/b", ["https", "docs", "example", "com", "docs.example.com", "a", "b"]),
        ("snake_case_name", ["snake", "case", "name", "snake_case_name"]),
        ("camelCaseName", ["camel", "case", "name", "camelcasename"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("kebab-case", ["kebab", "case", "kebab-case"]),
        ("ch_4kx", ["ch", "4kx", "ch_4kx"]),
        ("3.14 2026-01-31 1.2.3", ["3.14", "2026", "01", "31", "2026-01-31", "1.2.3"]),
        ("1,000 1,234,567.5 1,2 a,b", ["1000", "1234567.5", "1", "2", "a", "b"]),
        ("h264 b2b 42", ["h264", "b2b", "42"]),
        ("C++ C#", ["c", "c"]),
        ("End.Next", ["end", "next", "end.next"]),
    ],
)
def test_pieces(text: str, expected: list[str]):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我們學習", ["我们", "们学", "学习"]),
        ("我们学习", ["我们", "们学", "学习"]),
        ("猫", ["猫"]),
        ("猫 犬", ["猫", "犬"]),
        ("黒猫です", ["黒猫", "猫で", "です"]),
        ("カタカナ ｶﾀｶﾅ", ["かた", "たか", "かな", "かた", "たか", "かな"]),
        ("ｶﾞｷﾞ ガギ", ["がぎ", "がぎ"]),
        ("コーヒー", ["こー", "ーひ", "ひー"]),
        ("한국어", ["한국", "국어"]),
        (unicodedata.normalize("NFD", "한국어"), ["한국", "국어"]),
        (unicodedata.normalize("NFD", "ガギ"), ["がぎ"]),
        ("用Python写代码", ["用", "python", "写代", "代码"]),
        ("GPT4模型v2", ["gpt4", "模型", "v2"]),
        ("你好，世界。", ["你好", "世界"]),
    ],
)
def test_pairs(text: str, expected: list[str]):
    assert words(text) == expected


def test_traditional_and_simplified_agree():
    assert terms("電腦軟體發展與後來的圖書館") == terms("电脑软体发展与后来的图书馆")


def test_stop_words_and_stems_are_a_choice():
    assert terms("the running dogs", stop=True) == ["the", "run", "dog"]
    assert terms("the running dogs", stem=False) == ["running", "dogs"]
    assert terms("to be or not to be") == []


def test_places():
    text = "The café's 電腦ｶﾞ user_name"
    assert list(tokens(text)) == [
        Token("the", 0, 3, "word"),
        Token("cafe", 4, 8, "word"),
        Token("电脑", 11, 13, "pair"),
        Token("脑が", 12, 15, "pair"),
        Token("user", 16, 20, "word"),
        Token("name", 21, 25, "word"),
        Token("user_name", 16, 25, "whole"),
    ]


@given(st.text())
def test_places_lie_in_the_text(text: str):
    last = 0
    for token in tokens(text):
        assert 0 <= token.start < token.end <= len(text)
        assert token.text
        assert token.kind == "whole" or token.start >= last - 1
        last = max(last, token.start)


@given(st.text())
def test_terms_are_the_stems_of_tokens(text: str):
    assert terms(text, stop=True) == [stem_word(t.text) for t in tokens(text)]


@given(st.text(st.characters(max_codepoint=127)))
def test_what_stands_around_does_not_matter(text: str):
    assert terms(text + " é", stop=True) == [*terms(text, stop=True), "e"]


@given(st.text())
def test_case_and_composition_do_not_matter(text: str):
    composed = unicodedata.normalize("NFC", text)
    assert terms(composed, stop=True, stem=False) == terms(
        unicodedata.normalize("NFC", composed), stop=True, stem=False
    )


@given(st.text(st.characters(categories=["Ll", "Lu"], max_codepoint=0x24F), min_size=1, max_size=12))
def test_a_word_is_found_in_other_dress(word: str):
    plain = terms(word.lower(), stem=False, stop=True)
    assert terms(unicodedata.normalize("NFD", word.lower()), stem=False, stop=True) == plain


@given(st.text(st.characters(categories=["Lo"], min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=2, max_size=20))
def test_every_pair_of_a_text_finds_it(text: str):
    found = set(terms(text))
    for start in range(len(text) - 1):
        assert set(terms(text[start : start + 2])) <= found


def test_long_pieces_are_cut():
    assert max(len(t) for t in terms("a" * 1000 + " " + "b." * 1000 + "c")) <= 64


def test_hostile_pieces_are_quick():
    for piece in ("a.", "a_", "'", "aB", "日", "ｶﾞ", "e\u0301", "1,", "@a", "\u200b"):
        assert isinstance(terms(piece * 50_000), list)


def test_heavy_packages_are_imported_late():
    code = "import sys, prime.core.words as w; list(w.tokens('abc')); "
    code += "sys.exit('opencc' in sys.modules or 'Stemmer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
