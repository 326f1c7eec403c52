"""A language model as a mind: each job is one prompt and one request."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from prime.core.clock import Clock
from prime.mind.jobs.judging import Judgements, JudgeRequest, RuleRequest
from prime.mind.jobs.keeping import DescribeRequest, DraftRequest, Extraction, Picture, PictureRequest, Written
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import Plan, PlanRequest
from prime.mind.jobs.speaking import Reply, ReplyRequest
from prime.mind.model.clients import SECONDS, connect
from prime.mind.model.errors import ModelNonsense, ModelRefused, ModelUnknown
from prime.mind.model.messages import from_lines, model_messages, reply_of, tool_definitions
from prime.mind.model.outputs import ExtractionForm, JudgementsForm, PlanForm
from prime.mind.model.picturing import painted
from prime.mind.model.prices import is_priced
from prime.mind.model.prompts import Job, Prompts
from prime.mind.model.quoting import data, rows, said, unmarked
from prime.mind.model.requesting import ATTEMPTS, Caller, Spending
from prime.mind.model.sense import meant
from prime.mind.model.speaking import reply_prompt
from prime.mind.model.spec import ModelSpec
from prime.mind.model.turnstile import JUDGING, LATER, OWNER_FIRST
from prime.mind.turns import Conversation, Words

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

log = logging.getLogger(__name__)

_SHOWN_OF_A_FILE = 60_000
_SEEN = {"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"}


class ModelMind:
    """Every request goes through `spending`. Close it when another mind takes its place."""

    def __init__(
        self,
        spec: ModelSpec,
        spending: Spending,
        *,
        prompts: Sequence[Path] = (),
        clock: Clock | None = None,
        seconds: float = SECONDS,
        attempts: int = ATTEMPTS,
    ) -> None:
        self.spec = spec
        self._spending = spending
        self._draws_not = False
        self._prompts = Prompts(*prompts)
        client = connect(spec, seconds=seconds)
        self._caller = Caller(spec, client, spending, clock, attempts=attempts)

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def priced(self) -> bool:
        """Whether the price is known; without one, requests count 0 micro-dollars and a money cap cannot stop them."""
        return is_priced(self.spec)

    async def close(self) -> None:
        await self._caller.client.close()

    async def plan(self, request: PlanRequest) -> Plan:
        material = {
            "today": request.today,
            "owners_room": rows(request.lines[-30:]),
            "open_channels": [
                {"id": c.id, "key": c.key, "name": c.name, "tier": c.tier, "project": c.project}
                for c in request.channels
            ],
            "known_agents": [
                {"id": a.id, "name": a.name, "capabilities": list(a.capabilities)} for a in request.agents
            ],
            "wanted_so_far": dict(request.aims),
            "projects": [{"id": each.id, "title": each.title, "aims": dict(each.aims)} for each in request.projects],
            "waiting_for_the_owner": [question.text for question in request.pending],
            "owners_message": request.wish,
        }
        only = {"agent_id": [agent.id for agent in request.agents]}
        form, usage = await self._caller.fill(
            self._asking("plan", data(material)), PlanForm, only=only, importance=OWNER_FIRST
        )
        return form.plan(request, usage)

    async def reply(self, request: ReplyRequest) -> Reply:
        from pydantic_ai.models import ModelRequestParameters

        conversation = request.conversation or from_lines(reply_prompt(request, self._prompts), request.lines)
        parameters = ModelRequestParameters(function_tools=tool_definitions(request.tools))
        response, usage = await self._caller.send(model_messages(conversation), parameters, request.on_words)
        reply = reply_of(response, usage)
        words = meant(reply.text, conversation.system)
        if reply.text and not words and not reply.tool_requests:
            raise ModelNonsense(f"{self.name} said nothing that can be meant.", hint="Use a larger model.")
        return replace(reply, text=words)

    async def judge(self, request: JudgeRequest) -> Judgements:
        if all(line.own for line in request.lines):
            return Judgements(items=())
        material = {
            "channel": request.channel_name,
            "tier": request.tier,
            "aims": dict(request.aims),
            "standing_rules": [{"id": rule.id, "text": rule.text} for rule in request.rules],
            "pending_questions": [{"id": q.id, "text": q.text} for q in request.pending],
            "answered_questions": [{"text": q.text, "answer": q.answer, "room": q.place} for q in request.settled],
            "said_before": rows(request.before[-20:]),
            "said_elsewhere": rows(request.elsewhere[-20:]),
            "new_lines": rows([line for line in request.lines if not line.own]),
        }
        only = {
            "line_id": [line.message_id for line in request.lines if not line.own],
            "rule_id": [rule.id for rule in request.rules],
            "same_as": [question.id for question in request.pending],
        }
        asking = self._asking("judge", data(material))
        form, usage = await self._caller.fill(asking, JudgementsForm, only=only, importance=JUDGING)
        return Judgements(items=form.judgements(request), usage=usage)

    async def distill_rule(self, request: RuleRequest) -> Written:
        material = {"question": request.question, "context": request.context, "answer": request.answer}
        if request.place:
            material["room"] = request.place
        return await self._written(self._asking("rule", data(material)), OWNER_FIRST)

    async def extract(self, lines: Sequence[Line], *, today: str = "") -> Extraction:
        if not lines:
            return Extraction(statements=())
        asking = self._asking("extract", data({"lines": rows(lines)}), {"today": today or "unknown"})
        only = {"source": [line.message_id for line in lines]}
        form, usage = await self._caller.fill(asking, ExtractionForm, only=only)
        return Extraction(statements=form.found(lines), usage=usage)

    async def consolidate(self, lines: Sequence[Line], *, before: str) -> Written:
        material = {"document_so_far": before, "lines": rows(lines)}
        return await self._written(self._asking("consolidate", data(material)), LATER)

    async def describe(self, request: DescribeRequest) -> Written:
        """Images and PDFs are shown to the model; everything else as the text that was read out of it."""
        from pydantic_ai.messages import BinaryContent, ModelRequest, UserPromptPart

        material = {"name": request.name, "type": request.mime_type, "facts": list(request.facts)}
        text = data(material | {"text": request.text[:_SHOWN_OF_A_FILE]})
        shown = (
            BinaryContent(request.image, media_type=request.mime_type)
            if request.image and request.mime_type in _SEEN
            else None
        )
        prompt = UserPromptPart([text, shown] if shown else text)
        return await self._written([ModelRequest(parts=[prompt], instructions=self._prompts.text("describe"))], LATER)

    async def draft(self, request: DraftRequest) -> Written:
        values = {"person": request.person or "them", "style": unmarked(request.style) or "Short, friendly and plain."}
        conversation = from_lines(self._prompts.text("draft", values), request.lines)
        return await self._written(model_messages(conversation), OWNER_FIRST)

    async def picture(self, request: PictureRequest) -> Picture | None:
        painter = self._caller.client.painter
        if painter is None or self._draws_not:
            return None
        points = "\n".join(f"- {said(line)}" for line in request.lines[-6:]) or "- the title"
        prompt = self._prompts.text("picture", {"title": unmarked(request.title), "points": points})
        try:
            return await painted(painter, prompt, request.title, self.spec, self._spending)
        except ModelUnknown:
            # A server that only speaks a provider's language need not draw; each further try would count as an image.
            self._draws_not = True
        except ModelRefused:
            log.info("%s refused a picture of %s", self.name, request.title)
        return None

    def _asking(self, job: Job, text: str, values: dict[str, str] | None = None) -> "list[ModelMessage]":
        system = self._prompts.text(job, values)
        return model_messages(Conversation(system=system, turns=[Words(role="user", text=text)]))

    async def _written(self, messages: "list[ModelMessage]", importance: int) -> Written:
        from pydantic_ai.models import ModelRequestParameters

        response, usage = await self._caller.send(messages, ModelRequestParameters(), importance=importance)
        return Written(text=meant(reply_of(response, usage).text), usage=usage)
