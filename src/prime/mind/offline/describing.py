"""A short factual note of an attachment."""

from prime.mind.offline.language import first_sentence
from prime.mind.offline.talk import mentions
from prime.mind.protocol import DescribeRequest


def description(request: DescribeRequest) -> str:
    mentioned = mentions(request.text)
    shown = f" It mentions {', '.join(mentioned)}." if mentioned else ""
    begins = f" It begins: {first_sentence(request.text)}" if request.text.strip() else ""
    facts = "".join(f", {fact}" for fact in request.facts)
    return f"{request.name} ({request.mime_type}{facts}).{shown}{begins}"
