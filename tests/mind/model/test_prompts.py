"""What is sent to a model for each job, word by word. A change of a prompt shows here, and is meant."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from prime.core.errors import InvalidInput
from prime.mind.jobs.judging import JudgeRequest, KnownQuestion, KnownRule, RuleRequest
from prime.mind.jobs.keeping import DescribeRequest, DraftRequest
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import KnownAgent, OpenChannel, PlanRequest
from prime.mind.jobs.speaking import ReplyRequest
from prime.mind.model.prompts import Prompts

SNAPSHOTS = Path(__file__).parent / "snapshots"
LINES = [
    Line(message_id="m1", speaker="Marta", text="Shall I book it for 300 EUR?"),
    Line(message_id="m2", speaker="Prime", text="I ask.", own=True),
    Line(message_id="m3", speaker="Brief", text="Yes, go ahead"),
]
JOBS: dict[str, Callable[[Any], Awaitable[Any]]] = {
    "plan": lambda mind: mind.plan(
        PlanRequest(
            wish="Also find a photographer",
            lines=LINES[:1],
            channels=[OpenChannel(id="ch_1", key="venue", name="Venue", tier="business_relation")],
            agents=[KnownAgent(id="ag_1", name="Scout", capabilities=("web-research",))],
            pending=[KnownQuestion(id="q1", text="Which hall?")],
            today="2026-11-16",
        )
    ),
    "reply": lambda mind: mind.reply(
        ReplyRequest(
            speaker="Prime",
            role="prime",
            channel_name="Venue",
            tier="business_relation",
            brief="Find a hall.",
            facts={"date": "12 June"},
            lines=LINES,
        )
    ),
    "judge": lambda mind: mind.judge(
        JudgeRequest(
            channel_name="Venue",
            tier="business_relation",
            lines=LINES[:2],
            aims={"budget": "6,000 EUR"},
            rules=[KnownRule(id="r1", text="Spend up to 100 EUR on samples without asking.")],
            pending=[KnownQuestion(id="q1", text="Which hall?")],
            settled=[KnownQuestion(id="q2", text="Which day?", answer="Friday")],
        )
    ),
    "rule": lambda mind: mind.distill_rule(RuleRequest(question="Pay 300 EUR?", answer="Yes", context="A deposit.")),
    "extract": lambda mind: mind.extract(LINES[:1], today="2026-11-16"),
    "consolidate": lambda mind: mind.consolidate(LINES, before="# State"),
    "describe": lambda mind: mind.describe(
        DescribeRequest(name="a.txt", mime_type="text/plain", text="Hello", facts=["5 bytes"])
    ),
    "draft": lambda mind: mind.draft(DraftRequest(lines=LINES[:1], style="Short.", person="Marta")),
}
FORMS: dict[str, dict[str, object]] = {
    "plan": {"title": "T", "summary": "S", "words": "W"},
    "judge": {"items": []},
    "extract": {"statements": []},
}


@pytest.mark.parametrize("job", sorted(JOBS))
async def test_the_request_of_each_job(
    job: str, provider: Callable[[str], Awaitable[Any]], mind: Callable[..., Any]
) -> None:
    import sys

    fake = await provider("openai")
    kinds = sys.modules[type(fake).__module__]
    fake.will(kinds.Answers("Done.", (kinds.Call("fill_form", FORMS[job]),) if job in FORMS else ()))
    await JOBS[job](mind(fake))
    sent = fake.received[0].body["messages"]
    shown = "\n\n".join(f"=== {m['role']}\n{_text(m['content'])}" for m in sent) + "\n"
    path = SNAPSHOTS / f"{job}.txt"
    if not path.exists():
        path.write_text(shown, "utf-8")
        pytest.fail(f"{path.name} was not there and has been written; read it and run again")
    assert shown == path.read_text("utf-8"), f"If this is meant: delete {path}, run again, read what is written"


def _text(content: object) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def test_the_owners_prompt_takes_the_place_of_ours(tmp_path: Path) -> None:
    (tmp_path / "picture.md").write_text("Draw $title in blue.")
    values = {"title": "cats", "points": "- x"}
    assert Prompts(tmp_path).text("picture", values) == "Draw cats in blue."
    assert "cats" in Prompts().text("picture", values)
    (tmp_path / "picture.md").write_text("Draw $nothing for 5 $")
    with pytest.raises(InvalidInput, match=r"picture\.md"):
        Prompts(tmp_path).text("picture", values)
