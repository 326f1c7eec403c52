"""The turns of speech that rules look for, from `phrases.yaml`."""

import re
from functools import cache
from importlib import resources
from typing import cast

from prime.core.yaml_text import read_mapping


def phrases(name: str) -> re.Pattern[str]:
    return re.compile(alternatives(name), re.IGNORECASE | re.DOTALL)


def alternatives(name: str) -> str:
    """The same as text, to stand inside a larger expression."""
    return "|".join(_all()[name])


@cache
def _all() -> dict[str, list[str]]:
    text = resources.files("prime.mind.offline").joinpath("lexicon/phrases.yaml").read_text("utf-8")
    return cast("dict[str, list[str]]", read_mapping(text, path="phrases.yaml").data)
