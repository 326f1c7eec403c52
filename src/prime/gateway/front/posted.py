"""One message that was posted, as the SDK is to have it: a request of a session bears an id there that nobody else has."""

from dataclasses import dataclass
from typing import cast

from pydantic_core import from_json, to_json

from prime.core.errors import JsonValue
from prime.gateway.front.frames import Message, Number, number_of, refusal_of
from prime.gateway.front.numbers import Numbers, in_flight


@dataclass(slots=True)
class Posted:
    body: bytes
    # The error to answer with, when it must not go on.
    wrong: Message | None = None
    _number: Number | None = None
    _known: Number | None = None
    _numbers: Numbers | None = None

    @classmethod
    def of(cls, body: bytes, numbers: Numbers | None) -> "Posted":
        """`numbers` are those of its session. What is not even JSON is the SDK's to judge."""
        try:
            value: JsonValue = from_json(body)
        except ValueError:
            return cls(body)
        if (wrong := refusal_of(value)) is not None or numbers is None:
            return cls(body, wrong)
        message = cast("Message", value)
        number, renamed = number_of(message), numbers.for_sdk(message)
        if renamed is None:
            return cls(body, in_flight(cast("Number", number)))
        if renamed is message:
            return cls(body)
        written = to_json(renamed, inf_nan_mode="constants")
        return cls(written, None, number, cast("Number | None", renamed.get("id")), numbers)

    def answered(self) -> None:
        """Its id may be used again."""
        if self._numbers is not None:
            self._numbers.end(self._known)

    def in_their_words(self, said: bytes) -> bytes:
        """A message to the client, plain or an event; the answer bears the client's own id."""
        if self._number is None:
            return said
        known, number = (b'{"jsonrpc":"2.0","id":' + to_json(one) + b"," for one in (self._known, self._number))
        if said.startswith(known):
            return number + said[len(known) :]
        # An event, which is sent in one piece. Inside of JSON no bare quote can follow these words.
        return said.replace(b"data: " + known, b"data: " + number, 1)
