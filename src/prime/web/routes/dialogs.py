"""Dialogs: the courses of a channel, and what a model is shown of it."""

from fastapi import APIRouter

from prime.web.dialog_models import CourseGiven
from prime.web.models import ChannelShown
from prime.web.parts import PartsNeeded

router = APIRouter(prefix="/api/channels", tags=["dialogs"])


@router.post("/{channel_id}/courses")
async def change_course(channel_id: str, given: CourseGiven, parts: PartsNeeded) -> ChannelShown:
    """Begin a new course, or go on with an earlier one: the present history is left as it is and the other one taken."""
    if given.course is None:
        channel = await parts.rooms.begin_course(channel_id)
    else:
        channel = await parts.rooms.resume_course(channel_id, given.course)
    return ChannelShown.of(channel, (await parts.rooms.unread()).get(channel_id, 0))
