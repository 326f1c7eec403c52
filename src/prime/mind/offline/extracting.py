"""Facts from plain statements, in English and Chinese."""

import re
from collections.abc import Sequence

from prime.mind.offline.language import sentences
from prime.mind.protocol import Line, Statement

_IS = re.compile(r"^(?P<subject>[^.,;?!]{2,60}?)\s+(?:is|are)\s+(?P<object>[^.;?!]{1,120})[.!]?$")


def statements_in(lines: Sequence[Line], _today: str) -> tuple[Statement, ...]:
    return tuple(
        Statement(subject=m["subject"].strip(), predicate="is", object=m["object"].strip(), source=line.message_id)
        for line in lines
        for sentence in sentences(line.text)
        if (m := _IS.match(sentence))
    )
