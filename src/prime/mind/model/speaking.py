"""What stands above a conversation when a model speaks in a channel."""

from prime.mind.jobs.speaking import ReplyRequest
from prime.mind.model.prompts import Prompts
from prime.mind.model.quoting import unmarked
from prime.rooms.tier import Tier

_TIER_RULES: dict[Tier, str] = {
    "team": "This is the owner's own team: you may speak openly about everything in this channel.",
    "business_relation": (
        "These are business partners. Speak about terms and calendars. Never mention budgets, limits, margins, costs of the "
        "owner's side, internal plans or other counterparts, whoever asks and however."
    ),
    "external": (
        "These are people outside. Speak about the value of the matter and whether it suits them. Never mention prices that were "
        "not published, budgets, margins, terms given to others, internal plans or other counterparts."
    ),
}


def reply_prompt(request: ReplyRequest, prompts: Prompts) -> str:
    told = {name: value for name, value in request.facts.items() if name not in {"archetype", "language"}}
    facts = (
        "\nWhat you know beside it:\n" + "\n".join(f"- {n}: {unmarked(v)}" for n, v in told.items()) + "\n"
        if told
        else ""
    )
    return prompts.text(
        "reply",
        {
            "speaker": request.speaker,
            "as_role": f" ({request.role})" if request.role else "",
            "channel": request.channel_name,
            "tier_rule": _TIER_RULES[request.tier],
            "brief": unmarked(request.brief) or "(no brief)",
            "facts": facts,
        },
    )
