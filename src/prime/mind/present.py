"""The mind of the moment: everybody holds on to this one, and which mind it is may change while Prime runs."""

from collections.abc import Callable, Sequence

from prime.mind.jobs.judging import Judgements, JudgeRequest, RuleRequest
from prime.mind.jobs.keeping import DescribeRequest, DraftRequest, Extraction, Picture, PictureRequest, Written
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import Plan, PlanRequest
from prime.mind.jobs.speaking import Reply, ReplyRequest
from prime.mind.protocol import Mind

# Why there is no model, where the owner wants none.
WANTED_OFFLINE = "PRIME_MODEL is offline."
# The same, where nothing was found that could be one.
NO_MODEL = "Offline: no key is set and no Ollama was found."


class PresentMind:
    def __init__(self, name: str, first: Callable[[], Mind], reason: str = "", *, is_decided: bool = False) -> None:
        self._name = name
        self._first = first  # made when it is first asked for: serving does not wait for a mind to load
        self._used: Mind | None = None
        # Why it is this one, for whoever wonders.
        self.reason = reason
        # Whether it is known which mind it is to be; before that, this is only the one that is there.
        self.is_decided = is_decided
        # Whether it is known what its requests cost; what is not known counts as nothing, and no cap on money can hold it.
        self.priced = True
        # What it could not do itself, and who did it.
        self.aside = ""

    def use(self, mind: Mind, reason: str, *, priced: bool = True) -> None:
        """From the next request on; what is under way ends with the mind it began with."""
        self._used = mind
        self.priced = priced
        self.is_decided = True
        self.reason = reason
        self.aside = ""

    def note(self, aside: str) -> None:
        self.aside = aside

    @property
    def told(self) -> str:
        """The reason, and what there is to say beside it."""
        return f"{self.reason} {self.aside}".strip()

    @property
    def name(self) -> str:
        return self._used.name if self._used else self._name

    @property
    def _mind(self) -> Mind:
        self._used = self._used or self._first()
        return self._used

    async def plan(self, request: PlanRequest) -> Plan:
        return await self._mind.plan(request)

    async def reply(self, request: ReplyRequest) -> Reply:
        return await self._mind.reply(request)

    async def judge(self, request: JudgeRequest) -> Judgements:
        return await self._mind.judge(request)

    async def distill_rule(self, request: RuleRequest) -> Written:
        return await self._mind.distill_rule(request)

    async def extract(self, lines: Sequence[Line], *, today: str = "") -> Extraction:
        return await self._mind.extract(lines, today=today)

    async def consolidate(self, lines: Sequence[Line], *, before: str) -> Written:
        return await self._mind.consolidate(lines, before=before)

    async def describe(self, request: DescribeRequest) -> Written:
        return await self._mind.describe(request)

    async def draft(self, request: DraftRequest) -> Written:
        return await self._mind.draft(request)

    async def picture(self, request: PictureRequest) -> Picture | None:
        return await self._mind.picture(request)


def is_free(mind: Mind) -> bool:
    """Whether asking it costs nothing. As long as a model is looked for, nobody knows: what was stopped stays so."""
    return mind.name == "offline" and (not isinstance(mind, PresentMind) or mind.is_decided)
