"""One request to the mind, for prompts and for servers that were allowed to ask."""

from collections.abc import Callable

from prime.gateway.behind.wishes import Inferred
from prime.mind.jobs.lines import Line
from prime.mind.jobs.speaking import ReplyRequest
from prime.mind.protocol import Mind
from prime.mind.turns import Conversation, Words


class MindInference:
    """Asks whichever mind is the house's at the moment; its own spend guard counts the request."""

    def __init__(self, mind: Callable[[], Mind]) -> None:
        self._mind = mind

    async def infer(self, prompt: str, *, system: str = "") -> Inferred:
        mind = self._mind()
        said = await mind.reply(
            ReplyRequest(
                speaker="Prime",
                channel_name="prompt",
                tier="team",
                brief=system,
                lines=[Line(message_id="", speaker="You", text=prompt)],
                conversation=Conversation(system=system, turns=[Words(role="user", text=prompt)]),
            )
        )
        return Inferred(said.text, mind.name, said.usage.input_tokens, said.usage.output_tokens)
