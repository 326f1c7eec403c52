"""What a snippet sets apart is what a word-by-word look at the text finds."""

import random

from prime.brain.recall.analysis import stem
from prime.brain.recall.irregular import BASE_FORMS
from prime.brain.recall.query import Query, parse_query
from prime.brain.recall.snippets import Snippets
from prime.core.words import tokens

WORDS = [
    *list(BASE_FORMS)[:20], "go", "dying", "die", "Tying", "ties", "skies", "IBM", "v1.2", "camelCase", "snake_case", "Über",
    "图书馆", "ann@example.com", "12", "1,234", "WENT", "idly", "a1B", "x", "I", "the", "O'Brien", "ＡＢ", "C3PO", "budgets",
]  # fmt: skip


def matched(text: str, query: Query) -> set[str]:
    searched = {*query.terms, *query.common}
    held = [t for t in tokens(text) if {t.text, stem(t.text)} & searched or t.text.startswith(query.prefixes)]
    return {text[t.start : t.end] for t in held}


def test_every_word_that_matches_is_set_apart_and_no_other() -> None:
    chance = random.Random(3)
    seen = 0
    for _ in range(800):
        text = " ".join(chance.choices(WORDS, k=chance.randint(1, 8)))
        query = parse_query(" ".join(chance.choices(WORDS, k=2)) + chance.choice(["", " ", "*", "?"]))
        [cut] = Snippets(query).cut([text])
        assert "".join(piece.text for piece in cut) == text
        apart = " ".join(piece.text for piece in cut if piece.match)
        rest = " ".join(piece.text for piece in cut if not piece.match)
        assert all(word in apart for word in matched(text, query)), (text, query)
        assert not matched(rest, query), (text, query)
        seen += bool(apart)
    assert seen > 100
