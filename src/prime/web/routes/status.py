"""How things stand, and whether the process is alive and ready."""

from fastapi import APIRouter

from prime import __version__
from prime.web.models import CountersShown, ErrorAnswer, Ok, Ready, SpendShown, StatusShown, Used
from prime.web.parts import Parts, PartsNeeded

router = APIRouter(tags=["status"])


async def status(parts: Parts) -> StatusShown:
    spent = await parts.spend.spent()
    asked, answered = await parts.questions.counts()
    run = await parts.hub.swarm.state()
    auto_resolved, rules = await parts.hub.counters()
    return StatusShown(
        version=__version__,
        running=run.running,
        paused_because=run.because,
        paused_code=run.code,
        model=parts.hub.mind.name,
        autonomy_mode=(await parts.gate.policy.resolve()).mode,
        calls=Used(used=spent.calls, cap=parts.spend.caps.calls),
        images=Used(used=spent.images, cap=parts.spend.caps.images),
        spend=SpendShown(
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            dollars=spent.micro_dollars / 1_000_000,
            priced=parts.model.present.priced,
        ),
        counters=CountersShown(auto_resolved=auto_resolved, asked=asked, answered=answered, rules=rules),
        open=parts.settings.owner_email is None,
    )


@router.get("/api/status")
async def get_status(parts: PartsNeeded) -> StatusShown:
    """Running or paused, what is used of the caps, which mind, which autonomy mode, whether an owner is set.

    `counters.asked` and `.answered` are decisions, as in the metrics; approvals of tool calls are not among them.
    """
    return await status(parts)


@router.get("/healthz")
async def healthz() -> Ok:
    """The process answers."""
    return Ok()


@router.get("/readyz", responses={503: {"model": ErrorAnswer, "description": "The database does not answer."}})
async def readyz(parts: PartsNeeded) -> Ready:
    """The database answers, too. `keeps` is false, with a reason, while it can be read and not written, looked at every two
    seconds at the most: there is something to see all the same, so the answer is no 503."""
    await parts.store.answering.check()
    refused = await parts.store.answering.refused()
    return Ready(keeps=refused is None, because=refused and refused.hint)
