"""Bodies and responses of dialogs: startup scripts, courses, contexts."""

from typing import Annotated

from pydantic import Field

from prime.dialogs.dialogs import SavedScript
from prime.dialogs.scripts.folder import Listing
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
