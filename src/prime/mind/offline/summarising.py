"""A summary by extraction: the sentences that say most, behind what was there."""

from collections.abc import Sequence

from prime.mind.offline.language import first_sentence
from prime.mind.protocol import Line


def summary(lines: Sequence[Line], before: str) -> str:
    points = [f"- {line.speaker}: {first_sentence(line.text)}" for line in lines if line.text.strip()]
    return "\n".join([*([before] if before else []), *points])
