"""A reply as the owner would write it."""

from prime.mind.offline.language import language_of
from prime.mind.protocol import DraftRequest


def drafted(request: DraftRequest) -> str:
    last = next((line for line in reversed(request.lines) if not line.own), None)
    if last is None:
        return ""
    return (
        "谢谢，我看过后回复你。"
        if language_of(last.text) == "zh"
        else "Thank you, I will look at it and come back to you."
    )
