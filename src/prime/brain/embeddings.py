"""Meaning beside words, where the owner has a small model on this machine: how near texts come to a search.

The model is a table of word vectors (Model2Vec), read from a folder. It knows nothing of the log and keeps nothing of it,
so what it says of a text is the same whatever else was said. Nothing is ever downloaded.
"""

import importlib.util
import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from prime.core.errors import Unavailable

if TYPE_CHECKING:
    from model2vec import StaticModel

log = logging.getLogger(__name__)

_MOST_LETTERS = 2000  # read of a text
_DIGITS = 6  # kept of a nearness, so that the last bit of a sum decides nothing
_PACKAGE = "model2vec"
_FORM = (
    "It wants the folder of a static model: model.safetensors, tokenizer.json and config.json, as model2vec saves them."
)


class Embeddings:
    """The model of one folder, loaded once. Where it fails, a search goes by words alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._model: StaticModel | None = None
        self._has_failed = False
        self._loading = threading.Lock()

    def nearness(self, search: str, texts: Sequence[str]) -> list[float] | None:
        """For each text, from 0 (nothing in common) to 1 (the same); None when the model cannot say.

        It takes milliseconds, the first time a second: not on the event loop.
        """
        if (model := self.loaded()) is None:
            return None
        try:
            return nearness(model, search, texts)
        except Exception as error:  # noqa: BLE001  (whatever a model does, the search has its hits already)
            log.warning("The model in %s could not weigh a search: %s", self._folder, error)
            return None

    def loaded(self) -> "StaticModel | None":
        """The model, read at the first call; None when it cannot be, which is said in the log."""
        with self._loading:
            if self._model is None and not self._has_failed:
                try:
                    self._model = load(self._folder)
                    log.info("Recall weighs meaning by the model in %s.", self._folder)
                except Unavailable as error:
                    self._has_failed = True  # said once; a restart looks again
                    log.warning("Recall goes by words alone. %s %s", error.message, error.hint)
            return self._model


def load(folder: Path) -> "StaticModel":
    """The model that lies in the folder; otherwise an error that says what to do."""
    if not folder.is_dir():
        # Asked for what is no folder, the package would look for a model of that name on the network.
        raise Unavailable(f"PRIME_EMBEDDINGS: there is no folder {folder}.", hint=f"{_FORM} Unset it to do without.")
    if importlib.util.find_spec(_PACKAGE) is None:
        raise Unavailable(
            f"PRIME_EMBEDDINGS needs the package {_PACKAGE}.",
            hint="pip install 'prime-agent[embeddings]', or unset it to do without.",
        )
    from model2vec import StaticModel

    try:
        model = StaticModel.from_pretrained(folder.resolve())
        nearness(model, "a", ["b"])
    except Exception as error:
        raise Unavailable(
            f"PRIME_EMBEDDINGS: the model in {folder} cannot be read ({error}).",
            hint=f"{_FORM} Unset it to do without.",
        ) from error
    return model


def nearness(model: "StaticModel", search: str, texts: Sequence[str]) -> list[float]:
    # Each text by itself: what a sum comes to must not depend on what else stands in the list.
    wanted, *said = (model.encode([text[:_MOST_LETTERS]], normalize=True)[0] for text in (search, *texts))
    # In this order what is no number counts as nothing.
    return [round(min(max(0.0, float(wanted @ vector)), 1.0), _DIGITS) for vector in said]
