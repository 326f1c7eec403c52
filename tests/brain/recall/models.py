"""Small models of word vectors, as real ones are saved."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from model2vec import StaticModel
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace

from prime.brain.embeddings import Embeddings


def save_model(folder: Path, vectors: Mapping[str, Sequence[float]]) -> Path:
    """A model that knows these words and no others."""
    size = len(next(iter(vectors.values())))
    known = {"[UNK]": [0.0] * size, **vectors}
    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(known)}, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    StaticModel(np.array(list(known.values()), dtype=np.float32), tokenizer, normalize=True).save_pretrained(folder)
    return folder


def random_model(folder: Path, words: Sequence[str], seed: int) -> Embeddings:
    chance = np.random.default_rng(seed)
    return Embeddings(
        save_model(folder, {word: list(map(float, chance.normal(size=8))) for word in dict.fromkeys(words)})
    )
