"""No reader's time grows faster than what it reads: texts of one thing over and over, which patterns trip over.

Fifteen thousand characters take a linear reader some hundredths of a second, and one that looks back from every place at
all that was before it many seconds.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from tests.fuzz.readers import REFUSALS
from tests.markdown import fences

from prime.brain.reading.document import html_text
from prime.brain.reading.salient import salient
from prime.brain.recall.query import parse_query
from prime.core.classes import match
from prime.core.frontmatter import read_frontmatter
from prime.core.redaction import redact
from prime.core.visible import unhidden, visible
from prime.core.words import terms
from prime.dialogs.scripts.parser import parse_script
from prime.gateway.behind.importing import without_comments
from prime.hub.gate.classes import same_stance
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import PlanRequest
from prime.mind.jobs.speaking import ReplyRequest
from prime.mind.model.sense import meant
from prime.mind.offline.facts.extracting import statements_in
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.judging.judging import is_good_news
from prime.mind.offline.mind import OfflineMind
from prime.rooms.clamp import Clamp
from prime.tools.infer.reader import read_help
from prime.tools.policy.git_settings import named_in
from prime.tools.policy.shapes import dangers, text_dangers

LENGTH = 15_000
SECONDS = 1.2
TODAY = "2026-03-01"
CLAMP = Clamp.load()

MIND = OfflineMind()


def replying(text: str) -> ReplyRequest:
    line = Line(message_id="m", speaker="Ann", text=text)
    return ReplyRequest(speaker="Prime", channel_name="Deal", tier="external", brief="", lines=(line,))


READERS: dict[str, Callable[[str], object]] = {
    "redaction": redact,
    "clamp": lambda text: CLAMP.apply(text, "external"),
    "classes": lambda text: match(text, text),
    "frontmatter": lambda text: read_frontmatter(f"---\n{text}\n---\n"),
    "fences": lambda text: list(fences(text)),
    "script": parse_script,
    "search": parse_query,
    "words": terms,
    "dates": lambda text: dates(text, TODAY),
    "statements": lambda text: statements_in((Line(message_id="m", speaker="Ann", text=text),), TODAY),
    "news": is_good_news,
    "help": lambda text: read_help(f"Usage: x [{text}", ("x",)),
    "policy": text_dangers,
    "policy of SQL": lambda text: dangers(["psql", f"-c{text}"]),
    "policy of a program": lambda text: dangers([text, "x"]),
    "plan": lambda text: asyncio.run(MIND.plan(PlanRequest(wish=f"We need {text}"))),
    "reply": lambda text: asyncio.run(MIND.reply(replying(text))),
    "stance": lambda text: same_stance(text, text),
    "salient": salient,
    "html": html_text,
    "another client's servers": without_comments,
    "what a model meant": lambda text: meant(text, text),
    "git's settings": lambda text: list(named_in(f"[core]\n{text}")),
    "what hides": lambda text: (visible(text), unhidden(text)),
}
PIECES = (
    *(
        "a",
        "A ",
        "\\'",
        '\\"',
        "/* ",
        "1.",
        ", ",
        "1",
        "1,",
        "-",
        " ",
        "\n",
        "`",
        '"',
        "\\",
        "{",
        "[a-",
        "<a",
        "中",
        "三万",
        "e\u0301",
        "$1",
        "March ",
    ),
    *("password ", "token=", "://a:", "Bearer ", "---\n", "a: b\n", "### record x\n", "\n\n ", "we need a ", "is not "),
    *("--a ", "Ann Lee ", "a, ", "from 1 to ", "https://a.b/", "a@b."),
)
# Where a text is read by much at once, what has tripped it up is enough.
FEW = {
    "plan": (" ", "$1", "we need a "),
    "reply": (", ", "A "),
    "policy of SQL": ("\n", "\\'", '\\"', "/* ", "PRAGMA "),
}


@pytest.mark.parametrize("name", READERS)
def test_a_reader_s_time_grows_with_what_it_reads(name: str) -> None:
    for piece in FEW.get(name, PIECES):
        text = (piece * (LENGTH // len(piece) + 1))[:LENGTH]
        begin = time.thread_time()
        with suppress(*REFUSALS):
            READERS[name](text)
        taken = time.thread_time() - begin
        assert taken < SECONDS, f"{name} took {taken:.1f} s for {LENGTH:,} characters of {piece!r}"
