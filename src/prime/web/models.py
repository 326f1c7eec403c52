"""Bodies and responses as they go over the wire: camelCase, unknown fields refused on the way in."""

from typing import Annotated, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, SecretStr, WithJsonSchema
from pydantic.alias_generators import to_camel

from prime.core.clock import iso
from prime.rooms.records import Channel, ChannelKind, Choice, Question, QuestionKind, QuestionStatus
from prime.rooms.tier import Tier
from prime.rooms.views import Place
from prime.store.attachments import Attachment
from prime.store.message import Kind, Message

T = TypeVar("T")


def _whole(given: SecretStr) -> SecretStr:
    # Of other texts the reader of JSON says so itself.
    if any("\ud800" <= char <= "\udfff" for char in given.get_secret_value()):
        raise ValueError("it holds half a character")
    return given


# A text that no answer and no log repeats.
Hidden = Annotated[SecretStr, AfterValidator(_whole)]
Name = Annotated[str, Field(min_length=1, max_length=120)]
Id = Annotated[str, Field(min_length=1, max_length=120, pattern=r"^[^\x00]+$")]
Words = Annotated[str, Field(min_length=1, max_length=200_000)]


class Shown(BaseModel):
    """What Prime answers."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


class Given(BaseModel):
    """What Prime is sent."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)


class ErrorShape(BaseModel):
    """What went wrong, for programs (`code`) and people (`message`, `hint`)."""

    model_config = ConfigDict(extra="allow")

    code: str
    message: str
    hint: str | None = None


class ErrorAnswer(BaseModel):
    error: ErrorShape


class Page(Shown, Generic[T]):
    """A list with the way to its next part."""

    items: list[T]
    next_cursor: str | None = None


class Ok(Shown):
    ok: Literal[True] = True


class Ready(Ok):
    keeps: bool
    because: str | None


class Used(Shown):
    used: int
    cap: int


class SpendShown(Shown):
    input_tokens: int
    output_tokens: int
    dollars: float
    # False where nobody here knows the present model's price: its requests are in none of the dollars.
    priced: bool


class CountersShown(Shown):
    auto_resolved: int
    asked: int
    answered: int
    rules: int


class StatusShown(Shown):
    version: str
    running: bool
    paused_because: str | None
    model: str
    autonomy_mode: str
    # What the pause is: `owner`, `autostop`, `spend`; null while it runs.
    paused_code: str | None
    calls: Used
    images: Used
    spend: SpendShown
    counters: CountersShown
    # No owner is set: everything on this machine may act as the owner.
    open: bool


class ChannelShown(Shown):
    id: str
    kind: ChannelKind
    name: str
    tier: Tier
    members: list[str]
    course: int
    last_message_at: str | None
    unread: int
    priming: dict[str, JsonValue] | None
    # Whether the owner has paused it alone.
    paused: bool = False
    # Whether somebody speaks there by itself, so that there is something to pause.
    driven: bool = False
    # How what was said last begins; None where nobody spoke yet.
    last_words: str | None = None

    @classmethod
    def of(
        cls, channel: Channel, unread: int, *, last_words: str | None = None, paused: bool | None = None
    ) -> "ChannelShown":
        """`paused` is None where nobody speaks by itself."""
        return cls.model_validate(
            {
                "id": channel.id,
                "kind": channel.kind,
                "name": channel.name,
                "tier": channel.tier,
                "members": list(channel.members),
                "course": channel.course,
                "last_message_at": iso(channel.last_message_at) if channel.last_message_at else None,
                "unread": unread,
                "priming": channel.priming,
                "paused": bool(paused),
                "driven": paused is not None,
                "last_words": last_words,
            }
        )

    @classmethod
    def seen_from_inside(cls, place: Place, last_ts: int | None) -> "ChannelShown":
        """As somebody in it sees it; how far the owner has read is the owner's."""
        return cls(
            id=place.id,
            kind=place.kind,
            name=place.name,
            tier=place.tier,
            members=list(place.members),
            course=place.course,
            last_message_at=iso(last_ts) if last_ts else None,
            unread=0,
            priming=None,
        )


class PrimingGiven(Given):
    """Startup scripts to begin with, in order; `showInUi` says whether the page shows what they put in."""

    script_refs: Annotated[list[Annotated[str, Field(min_length=1, max_length=4000)]], Field(max_length=20)]
    show_in_ui: bool = True


class NewChannel(Given):
    name: Name
    kind: ChannelKind = "group"
    tier: Tier
    members: Annotated[list[Id], Field(max_length=200)] = Field(default_factory=list[str])
    brief: Annotated[str, Field(max_length=20_000)] | None = None
    priming: PrimingGiven | None = None


class ChannelChange(Given):
    """What may be changed of a channel; what is left out stays."""

    name: Name | None = None
    # The id of the last message that the owner has read.
    read_up_to: Id | None = None
    closed: Literal[True] | None = None


class MessageShown(Shown):
    id: str
    seq: int
    channel_id: str
    actor_id: str
    kind: Kind
    text: str
    body: dict[str, JsonValue]
    ts: str
    course: int
    source_tag: str | None
    sources: list[str]

    @classmethod
    def of(cls, message: Message) -> "MessageShown":
        # Straight from the log, which holds nothing else: no need to check it field by field again.
        return cls.model_construct(
            id=message.id,
            seq=message.seq,
            channel_id=message.channel_id,
            actor_id=message.actor_id,
            kind=message.kind,
            text=message.text,
            body=message.body,
            ts=iso(message.ts),
            course=message.course,
            source_tag=message.source_tag,
            sources=list(message.sources),
        )


class NewMessageGiven(Given):
    text: Words
    attachment_ids: Annotated[list[Id], Field(max_length=20)] = Field(default_factory=list[str])
    idempotency_key: Annotated[str, Field(min_length=1, max_length=120)] | None = None


class Said(Shown):
    message_id: str
    channel_id: str


class QuestionShown(Shown):
    id: str
    kind: QuestionKind
    text: str
    context: str
    necessity: float
    reason: str
    suggestions: list[str]
    call: dict[str, JsonValue] | None
    status: QuestionStatus
    answer: dict[str, JsonValue]
    sources: list[str]
    channel_id: str
    asked_at: str
    snoozed_until: str | None

    @classmethod
    def of(cls, question: Question) -> "QuestionShown":
        return cls.model_validate(
            {
                "id": question.id,
                "kind": question.kind,
                "text": question.text,
                "context": question.context,
                "necessity": question.necessity,
                "reason": question.reason,
                "suggestions": list(question.suggestions),
                "call": question.call,
                "status": question.status,
                "answer": question.answer,
                "sources": list(question.sources),
                "channel_id": question.channel_id,
                "asked_at": iso(question.asked_at),
                "snoozed_until": iso(question.snoozed_until) if question.snoozed_until else None,
            }
        )


class AnswerGiven(Given):
    text: Annotated[str, Field(max_length=20_000)] | None = None
    choice: Choice | None = None
    pattern: Annotated[str, Field(max_length=2_000)] | None = None
    # Its length is looked at by whoever makes the rule: of a bool or a text, pydantic would say that it is no bool.
    make_rule: bool | Annotated[str, WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 2_000})] = False


class SnoozeGiven(Given):
    until_ms: Annotated[int, Field(ge=0, le=8_640_000_000_000)]


class AttachmentShown(Shown):
    id: str
    name: str
    mime_type: str
    size: int
    sha256: str
    note_message_id: str | None = None

    @classmethod
    def of(cls, attachment: Attachment, note_message_id: str | None = None) -> "AttachmentShown":
        return cls(
            id=attachment.id,
            name=attachment.name,
            mime_type=attachment.mime_type,
            size=attachment.size,
            sha256=attachment.sha256,
            note_message_id=note_message_id,
        )


class BackupShown(Shown):
    name: str
    size: int
    created_at: str


class EraseGiven(Given):
    message_ids: Annotated[list[Id], Field(min_length=1, max_length=1000)]


class Erased(Shown):
    message_ids: list[str]
    attachment_ids: list[str]
    # Backups that still hold what was erased; delete them to be rid of it everywhere.
    backups: list[str]


class RebuildGiven(Given):
    name: Annotated[str, Field(max_length=60)] | None = None


class Rebuilt(Shown):
    names: list[str]
    # Those whose rows were not what the log says.
    repaired: list[str]
    messages: int


class RebuildProgress(Shown):
    running: bool
    name: str | None
    done: int
    of: int
