"""Bodies and responses of dialogs: startup scripts, courses, contexts."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from prime.core.bad_text import BadText
from prime.dialogs.context import Context
from prime.dialogs.dialogs import SavedScript
from prime.dialogs.scripts.building import text_of
from prime.dialogs.scripts.folder import Listing
from prime.dialogs.scripts.parser import parse_script
from prime.mind.shapes import Provider, to_provider
from prime.web.models import Given, Id, Shown

Slug = Annotated[str, Field(min_length=1, max_length=1000)]


class ScriptShown(Shown):
    script_ref: str
    title: str | None
    path: str
    records: int
    warnings: list[str]


class SkippedScript(Shown):
    path: str
    error: str


class WarningSummary(Shown):
    """Files that could not be listed: how many, and some of them."""

    skipped_count: int
    samples: list[SkippedScript]


class ScriptsShown(Shown):
    items: list[ScriptShown]
    warning_summary: WarningSummary
    # Whether there are more than are listed; a longer query narrows the search.
    more: bool

    @classmethod
    def of(cls, listing: Listing) -> "ScriptsShown":
        samples = [SkippedScript(path=each.path, error=each.error) for each in listing.samples]
        return cls(
            items=[
                ScriptShown(
                    script_ref=str(item.ref),
                    title=item.title,
                    path=item.path,
                    records=item.records,
                    warnings=list(item.warnings),
                )
                for item in listing.items
            ],
            warning_summary=WarningSummary(skipped_count=listing.skipped, samples=samples),
            more=listing.more,
        )


class ScriptGiven(Given):
    text: Annotated[str, Field(max_length=2_000_000)]


class RecordShown(Shown):
    type: str
    text: str


class ScriptProblem(Shown):
    line: int
    column: int
    message: str
    expected: str | None
    hint: str | None


class CheckedScript(Shown):
    """The records of a script in a few words each, or why it is none."""

    title: str | None = None
    records: list[RecordShown]
    problem: ScriptProblem | None

    @classmethod
    def of(cls, text: str, path: str | None = None) -> "CheckedScript":
        try:
            script = parse_script(text, path=path)
        except BadText as bad:
            problem = ScriptProblem(
                line=bad.line, column=bad.column, message=bad.message, expected=bad.expected, hint=bad.hint
            )
            return cls(records=[], problem=problem)
        shown = [RecordShown(type=record.TYPE, text=(text_of(record) or "")[:2000]) for record in script.records]
        return cls(title=script.header.title, records=shown, problem=None)


class ScriptFile(CheckedScript):
    """A script as it lies on the disk."""

    script_ref: str
    path: str
    text: str


class SaveCourseGiven(Given):
    channel_id: Id
    # Whose script it becomes; the channel's agent when it is left out.
    agent_id: Id | None = None
    slug: Slug
    overwrite: bool = False


class SavedShown(Shown):
    script_ref: str
    path: str

    @classmethod
    def of(cls, saved: SavedScript) -> "SavedShown":
        return cls(script_ref=str(saved.ref), path=saved.path)


class CourseGiven(Given):
    """Which course to go on with; a new one when it is left out."""

    course: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None


class Stopped(Shown):
    # Whether there was anything to stop.
    stopped: bool


class ContextPart(Shown):
    name: str
    kind: Literal["document", "history"]
    tokens: int


class ContextShown(Shown):
    """What a model would be shown now, in its provider's shape, and what each part costs."""

    channel_id: str
    course: int
    agent_id: str
    model: str
    budget: int
    tokens: int
    parts: list[ContextPart]
    document: str
    messages: int
    # Whether older messages have left the context; they are in the archive.
    left_out: bool
    request: dict[str, JsonValue]

    @classmethod
    def of(cls, context: Context, provider: Provider) -> "ContextShown":
        # Made of the log's own JSON: no need to check it value by value again.
        return cls.model_construct(
            channel_id=context.channel_id,
            course=context.course,
            agent_id=context.agent_id,
            model=context.budget.model,
            budget=context.budget.tokens,
            tokens=context.tokens,
            parts=[ContextPart(name=part.name, kind=part.kind, tokens=part.tokens) for part in context.parts],
            document=context.document.text,
            messages=len(context.window.pieces),
            left_out=context.window.out_up_to is not None,
            request=to_provider(context.conversation, provider),
        )
