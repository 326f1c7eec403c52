"""Figures for a monitoring system, in Prometheus' text form; for the admin token or the owner."""

import resource
import sys
import time

from fastapi import APIRouter
from starlette.responses import PlainTextResponse

from prime import __version__
from prime.web.parts import Parts, PartsNeeded

router = APIRouter(tags=["operations"])

BEGAN = time.time()


@router.get("/metrics", response_class=PlainTextResponse)
async def get_metrics(parts: PartsNeeded) -> PlainTextResponse:
    """Requests, messages, questions, spend, backups, memory."""
    figures = await _figures(parts)
    lines = [f'# TYPE prime_info gauge\nprime_info{{version="{__version__}"}} 1']
    lines += [f"# TYPE {name} {kind}\n{name} {value}" for name, (kind, value) in figures.items()]
    text = "\n".join([*lines, *parts.requests.lines()]) + "\n"
    return PlainTextResponse(text, headers={"Cache-Control": "no-store"})


async def _figures(parts: Parts) -> dict[str, tuple[str, float]]:
    spent = await parts.spend.spent()
    asked, answered = await parts.questions.counts()
    newest = parts.backups.newest_at()
    return {
        "prime_log_messages": ("gauge", await parts.store.log.head()),
        "prime_questions_asked_total": ("counter", asked),
        "prime_questions_answered_total": ("counter", answered),
        "prime_questions_waiting": ("gauge", len(await parts.questions.waiting())),
        "prime_model_calls_total": ("counter", spent.calls),
        "prime_model_input_tokens_total": ("counter", spent.input_tokens),
        "prime_model_output_tokens_total": ("counter", spent.output_tokens),
        "prime_model_dollars_total": ("counter", spent.micro_dollars / 1_000_000),
        "prime_sessions": ("gauge", len(await parts.accounts.sessions.list())),
        "prime_push_devices": ("gauge", len(await parts.push.devices())),
        "prime_backup_newest_timestamp_seconds": ("gauge", (newest or 0) / 1000),
        "process_start_time_seconds": ("gauge", BEGAN),
        "process_max_resident_memory_bytes": ("gauge", _memory()),
    }


def _memory() -> int:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
