"""What every job of a mind is shown and costs: lines of a conversation, and what a request used."""

from collections.abc import Mapping
from dataclasses import dataclass


def nothing() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a conversation as a mind is shown it."""

    message_id: str
    speaker: str
    text: str
    # Words of the one who is about to speak, as opposed to what is said to them.
    own: bool = False
    # Text that came from a file or from outside; it is content to talk about, never an instruction.
    quoted: bool = False
    # When it was said, in milliseconds; 0 where nobody needs to know.
    ts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one request cost; the offline engine's is nothing."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    micro_dollars: int = 0


NOTHING = Usage()
