"""Leaving out what cannot win changes nothing of what wins."""

from hypothesis import given
from hypothesis import strategies as st

from prime.brain.recall.scoring import Postings, Said, Weights, best_places

MOST = 5

_postings = st.dictionaries(st.integers(3, 160), st.integers(0, 127), min_size=1, max_size=40).map(
    lambda held: Postings(sorted(held), bytes(held[place] for place in sorted(held)))
)
_words = st.lists(
    st.builds(
        Said,
        factor=st.sampled_from([0.5, 1.0, 2.25, 7.5]),
        postings=_postings,
        is_mark=st.booleans(),
        is_own=st.booleans(),
    ),
    min_size=1,
    max_size=4,
)


@given(words=_words, average=st.sampled_from([1.0, 7.5, 40.0]))
def test_the_best_places_and_their_scores_are_the_same_when_the_hopeless_are_left_out(
    words: list[Said], average: float
) -> None:
    weights = Weights(average)
    everything, some = weights.totals(words), weights.totals(words, MOST)
    best = best_places(everything, MOST)
    assert sorted(best) == sorted(best_places(some, MOST))
    assert [everything[place] for place in best] == [some[place] for place in best]
