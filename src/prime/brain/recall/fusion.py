"""Hits by words, weighed anew by meaning."""

from prime.brain.embeddings import Embeddings
from prime.brain.recall.search import Scored

MOST_WEIGHED = 100  # of the first hits; those behind them stay where they are
_NEAR = (
    1.0  # added to a hit that says the same as the search; as a factor because adding up ranks was measured to do harm
)


def fused(hits: list[Scored], words: str, embeddings: Embeddings) -> list[Scored]:
    """The hits in their new order; in the old one where the model cannot say.

    A hit only gains, and all that gain stand before all that do not. What it gains depends on its own text alone.
    """
    first = hits[:MOST_WEIGHED]
    near = embeddings.nearness(words, [candidate.indexed for _, candidate in first])
    if near is None:
        return hits
    weighed = [(score * (1 + _NEAR * share), hit) for (score, hit), share in zip(first, near, strict=True)]
    return [*sorted(weighed, key=_score), *hits[MOST_WEIGHED:]]


def _score(scored: Scored) -> float:
    return -scored[0]
