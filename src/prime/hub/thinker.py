"""The hub's mind, as the brain asks it."""

from collections.abc import Callable, Sequence

from prime.brain.thinking import File, Said, Stated
from prime.mind.jobs.keeping import DescribeRequest
from prime.mind.jobs.lines import Line
from prime.mind.protocol import Mind


class MindThinker:
    """`mind` is asked for each time: the owner may have chosen another one meanwhile."""

    def __init__(self, mind: Callable[[], Mind]) -> None:
        self._mind = mind

    @property
    def free(self) -> bool:
        return self._mind().name == "offline"

    async def extract(self, lines: Sequence[Said], *, today: str) -> Sequence[Stated]:
        found = await self._mind().extract([_line(said) for said in lines], today=today)
        return [
            Stated(
                subject=s.subject,
                predicate=s.predicate,
                object=s.object,
                source=s.source,
                valid_from=s.valid_from,
                valid_to=s.valid_to,
                many=s.many,
            )
            for s in found.statements
        ]

    async def consolidate(self, lines: Sequence[Said], *, before: str) -> str:
        return (await self._mind().consolidate([_line(said) for said in lines], before=before)).text

    async def describe(self, file: File) -> str:
        request = DescribeRequest(
            name=file.name, mime_type=file.mime_type, text=file.text, facts=file.facts, image=file.image
        )
        return (await self._mind().describe(request)).text


def _line(said: Said) -> Line:
    return Line(
        message_id=said.message_id, speaker=said.speaker, text=said.text, own=said.own, quoted=said.quoted, ts=said.ts
    )
