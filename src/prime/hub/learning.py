"""Answers and what is learned from them: each answer goes back to where it was asked, and may become a rule."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from prime.core.errors import InvalidInput, NotFound, PrimeError
from prime.core.ids import new_id
from prime.core.visible import is_blank
from prime.hub.commitments import Commitments, is_chinese, is_yes, leaves_open, leaves_to_prime
from prime.hub.directive.candidates import about
from prime.hub.directive.decisions import COMMITS, OWN_ANSWER
from prime.hub.directive.engine import answer_text
from prime.hub.directive.queries import DIRECTIVE, Candidate, read_candidates, read_rule, read_rules
from prime.hub.rules import Rule, RuleBook, tried
from prime.hub.swarm.queries import SWARM, read_swarm_channel
from prime.hub.swarm.state import MANAGED
from prime.mind.jobs.judging import KnownRule, RuleRequest
from prime.mind.offline.judging.rules import rule_for
from prime.mind.protocol import Mind
from prime.rooms.briefs import Brief
from prime.rooms.questions import Questions
from prime.rooms.records import HUB, OWNER, PRIME, Choice, Question
from prime.rooms.rooms import Rooms
from prime.store.message import Message, NewMessage
from prime.store.store import Store

log = logging.getLogger(__name__)

LOOKED_BACK = 1_000
MAX_RULE = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnersAnswer:
    """What the owner says to a question. `make_rule`: True lets the mind word the rule, a text is the rule."""

    text: str | None = None
    choice: Choice | None = None
    pattern: str | None = None
    make_rule: bool | str = False

    @property
    def words(self) -> str:
        return (self.text or "").strip() or self.choice or ""


@dataclass(frozen=True, slots=True)
class Preview:
    """A rule as it would be, and what it would have settled so far."""

    text: str
    resolves: Sequence[Candidate]


class Learning:
    def __init__(self, store: Store, rooms: Rooms, questions: Questions, mind: Mind) -> None:
        self._store = store
        self._rooms = rooms
        self._questions = questions
        self._mind = mind

    # --- answers ---

    async def answer(self, question_id: str, given: OwnersAnswer) -> tuple[Question, Rule | None]:
        """Take the owner's answer, tell the channels that wait for it, and learn a rule if the owner wants one.

        All of it is logged at once: what the rule settles is not asked in between, and a process that dies leaves no answer
        without its rule.
        """
        question = await self._questions.still_open(question_id)
        wanted = given.make_rule if question.kind == "decision" else False
        if wanted is True and leaves_open(given.words):
            wanted = False  # what was not decided now is not decided for ever
        if isinstance(wanted, str):
            wanted = _checked(wanted, "makeRule")  # before the answer is taken, which cannot be given twice
        beside: list[NewMessage] = []
        if question.kind == "decision" and given.words:
            own = await self._own_answer(question) if leaves_to_prime(given.words) else ""
            words = own or given.words
            beside = [*await self._briefs(question, words), *await self._commitment(question, words)]
            beside += [_decided_alone(question, own)] if own else []
        learned = await self._learned(question, given.words, wanted) if wanted else None
        answered = await self._questions.answer(
            question_id,
            text=given.text,
            choice=given.choice,
            pattern=given.pattern,
            beside=[*beside, *([learned] if learned else [])],
        )
        rule_id = learned.body.get("ruleId") if learned else None
        return answered, await self.rule(str(rule_id)) if rule_id else None

    async def _own_answer(self, question: Question) -> str:
        """What Prime would have answered; "" where it had no answer."""
        asked = await self._store.log.get(question.message_id)
        own = asked.body.get(OWN_ANSWER)
        return own if isinstance(own, str) else ""

    async def _briefs(self, question: Question, words: str) -> list[NewMessage]:
        """One brief per channel that asked, about its own words: the question itself may hold what others said."""
        messages: list[NewMessage] = []
        for channel_id, message in (await self._asked_in(question)).items():
            if channel_id == HUB or channel_id.startswith(MANAGED):
                continue
            channel = await self._rooms.channel(channel_id)
            if channel.closed:
                continue  # nobody is there to be told
            state = await self._store.projector.read(lambda c, at=channel_id: read_swarm_channel(c, at), SWARM)
            # Where others have spoken since, the answer says what it is about.
            spoken_since = message is not None and state is not None and state.heard_seq > message.seq
            brief = Brief(
                channel_id=channel_id,
                tier=channel.tier,
                text=words,
                about=about(message.text) if message and spoken_since else "",
                sources=(question.message_id, *((message.id,) if message else ())),
                question_id=question.id,
                key=f"answer/{question.id}",
                course=channel.course,
            )
            messages += self._rooms.briefs.tell(brief).messages
        return messages

    async def _commitment(self, question: Question, words: str) -> list[NewMessage]:
        """What a yes that binds means for whoever else wants the same."""
        asked = await self._store.log.get(question.message_id)
        if not asked.body.get(COMMITS) or not is_yes(words):
            return []
        commitments = await Commitments.load(self._store, self._rooms)
        pending = [each for each in await self._questions.unsettled() if each.id != question.id]
        return commitments.commit(question.channel_id, (question.message_id,), pending, key=f"answer/{question.id}")

    async def _asked_in(self, question: Question) -> dict[str, Message | None]:
        found: dict[str, Message | None] = {question.channel_id: None}
        for source in question.sources:
            try:
                message = await self._store.log.get(source)
            except NotFound:
                continue
            if found.get(message.channel_id) is None:
                found[message.channel_id] = message
        return found

    # --- rules ---

    async def rules(self) -> list[Rule]:
        """All of them, oldest first; revoked ones too."""
        return await self._store.projector.read(lambda c: read_rules(c, only_active=False), DIRECTIVE)

    async def rule(self, rule_id: str) -> Rule:
        found = await self._store.projector.read(lambda c: read_rule(c, rule_id), DIRECTIVE)
        if found is None:
            raise NotFound(f"There is no rule {rule_id}.", ruleId=rule_id)
        return found

    async def preview(self, question_id: str, *, text: str | None = None, answer: str | None = None) -> Preview:
        """What a rule would have settled so far. Without a text, the mind words it from the question and an answer."""
        question = await self._questions.get(question_id)
        worded = _checked(text) if text else await self._distilled(question, answer or answer_text(question))
        book = tried(worded, question.text)
        known = await self._store.projector.read(lambda c: read_candidates(c, LOOKED_BACK), DIRECTIVE)
        others = [each for each in known if each.message_id not in question.sources]
        names = {channel.id: channel.name for channel in await self._rooms.all_channels()}
        return Preview(worded, [each for each in others if _settles(book, each, names.get(each.channel_id, ""))])

    async def change(self, rule_id: str, *, text: str | None = None, active: bool | None = None) -> Rule:
        rule = await self.rule(rule_id)
        if text is not None and text.strip() != rule.text:
            await self._note(rule_id, "edited", _checked(text))
        if active is not None and active != rule.active:
            await self._note(rule_id, "restored" if active else "revoked", "")
        return await self.rule(rule_id)

    async def _learned(self, question: Question, words: str, wanted: bool | str) -> NewMessage:
        """The rule; where none can be worded, the answer is taken all the same, and the owner is told both."""
        try:
            return _rule(question, wanted if isinstance(wanted, str) else await self._distilled(question, words))
        except PrimeError as error:
            why = str(error)
        except Exception:  # whatever a mind does, the answer stands
            log.exception("no rule could be made of the answer to %s", question.id)
            why = "Something went wrong here."
        return NewMessage(
            channel_id=HUB,
            actor_id=PRIME,
            kind="system",
            text=f"Your answer is kept, but no rule was made of it. {why}",
            body={"op": "no_rule", "questionId": question.id},
            sources=(question.message_id,),
            idempotency_key=f"no-rule/{question.id}",
        )

    async def _distilled(self, question: Question, answer: str) -> str:
        if not answer.strip():
            raise InvalidInput("A rule needs an answer or a text.", field="text")
        place = "" if question.channel_id == HUB else (await self._rooms.channel(question.channel_id)).name
        written = await self._mind.distill_rule(
            RuleRequest(question=question.text, answer=answer, context=question.context, place=place)
        )
        return _checked(written.text.strip() or f"{question.text.rstrip('?？ ')}: {answer}")

    async def _note(self, rule_id: str, op: str, text: str) -> None:
        body = {"ruleId": rule_id, "op": op}
        await self._store.log.append(
            NewMessage(channel_id=HUB, actor_id=OWNER, kind="rule", audience="hub", text=text, body=body)
        )


def _rule(question: Question, text: str) -> NewMessage:
    """What is learned from the answer to a question."""
    return NewMessage(
        channel_id=HUB,
        actor_id=OWNER,
        kind="rule",
        audience="hub",
        text=text,
        body={
            "ruleId": new_id("rule"),
            "op": "learned",
            "fromQuestionId": question.id,
            "question": question.text,
            "channelId": question.channel_id,
        },
        sources=(question.message_id, *question.sources),
        idempotency_key=f"rule/{question.id}",
    )


def _decided_alone(question: Question, answer: str) -> NewMessage:
    """The card that says what Prime made of a question that the owner left to it."""
    return NewMessage(
        channel_id=question.channel_id,
        actor_id=PRIME,
        kind="decision",
        audience="hub",
        text=answer,
        body={
            "outcome": "auto_resolved",
            "title": question.text,
            "question": question.text,
            "necessity": question.necessity,
            "reason": "你让我来定。" if is_chinese(question.text) else "You left it to me.",
        },
        sources=(*question.sources, question.message_id),
        idempotency_key=f"answer/{question.id}/own",
    )


def _settles(book: RuleBook, candidate: Candidate, place: str) -> bool:
    """Whether a rule would have settled it: by its words, or by what it is about and how much, as it is read when it stands."""
    standing = [KnownRule(id=rule.id, text=rule.text) for rule in book.rules]
    return book.covers(candidate.text, place) is not None or rule_for(candidate.text, place, standing) is not None


def _checked(text: str, field: str = "text") -> str:
    plain = text.strip()
    if is_blank(plain):
        raise InvalidInput("A rule needs a text.", field=field)
    if len(plain) > MAX_RULE:
        raise InvalidInput(f"A rule may have {MAX_RULE:,} characters.", hint="Shorten it.", field=field)
    return plain
