"""How the owner answered such a message before, in the same conversation."""

from collections.abc import Sequence

from prime.core.classes import match
from prime.mind.jobs.lines import Line


def precedent(lines: Sequence[Line]) -> str | None:
    """The owner's words after the latest earlier message that says the same as the last one; None when there is none."""
    last = next((line for line in reversed(lines) if not line.own), None)
    if last is None:
        return None
    names = {line.speaker for line in lines}
    answer: str | None = None
    for line in reversed(lines[: list(lines).index(last)]):
        if line.own:
            answer = line.text
        elif answer is not None:
            # Either may be the shorter one: “the invoice, please” is asked for again at greater length.
            if match(last.text, line.text, names=names) or match(line.text, last.text, names=names):
                return answer
            answer = None
    return None
