"""Telegram played in memory (`PRIME_TG_USER_MOCK=1`): the whole flow from a message to a sent answer, offline."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from prime.connectors.profiles.story import OWN_MESSAGES, TELEGRAM_PEOPLE, Person
from prime.connectors.profiles.telegram.client import Kept, PasswordNeeded, Told, UserMessage, WrongCode
from prime.core.clock import Clock

CODE = "12345"
# A number that ends so has a two-step password, which is this.
TWO_STEP_ENDING = "22"
PASSWORD = "correct horse"  # noqa: S105  (everybody may know it)
SESSION = "mock-session"
ACCOUNT = "You (mock)"


@dataclass(slots=True)
class World:
    """What the mock's Telegram remembers, also over a reconnect."""

    sent: "list[tuple[str, str, str]]" = field(default_factory=list["tuple[str, str, str]"])  # chat, id, text
    random_ids: dict[int, str] = field(default_factory=dict[int, str])
    read: dict[str, str] = field(default_factory=dict[str, str])
    heard: dict[str, int] = field(default_factory=dict[str, int])
    last_id: int = 100
    coming: "asyncio.Queue[UserMessage]" = field(default_factory=asyncio.Queue)

    def next_id(self) -> str:
        self.last_id += 1
        return str(self.last_id)

    def write(self, person: Person, text: str) -> None:
        """Somebody writes to the owner."""
        self.coming.put_nowait(UserMessage(chat_id=person.id, message_id=self.next_id(), person=person.name, text=text))


class MockTelegramUser:
    """An in-memory account; people write, wait for answers, and write again."""

    def __init__(self, clock: Clock, world: World, people: Sequence[Person] = TELEGRAM_PEOPLE) -> None:
        self._clock = clock
        self._world = world
        self._people = {person.id: person for person in people}
        self._phone = ""
        self._told: Told | None = None
        self._plays: set[asyncio.Task[None]] = set()

    async def open(self, api_id: int, api_hash: str, kept: Kept, told: Told) -> str | None:
        self._told = told
        # Without credentials it is the demo, which is signed in; with them, signing in can be tried out.
        return ACCOUNT if kept.session == SESSION or not api_id else None

    async def request_code(self, phone: str) -> None:
        if len(phone) < 6:
            raise WrongCode("Telegram does not know this phone number.", hint="Write it with the country code.")
        self._phone = phone

    async def sign_in(self, phone: str, code: str) -> str:
        if code != CODE:
            raise WrongCode("This code is not right.", hint=f"The mock's code is {CODE}.")
        if phone.endswith(TWO_STEP_ENDING):
            raise PasswordNeeded
        return ACCOUNT

    async def give_password(self, password: str) -> str:
        if password != PASSWORD:
            raise WrongCode("This password is not right.", hint=f"The mock's password is “{PASSWORD}”.")
        return ACCOUNT

    def session(self) -> str:
        return SESSION

    async def follow(self) -> None:
        assert self._told
        for person in self._people.values():
            self._play(person)
        while True:
            await self._told.message(await self._world.coming.get())

    async def send(self, chat_id: str, text: str, *, reply_to: str | None, random_id: int) -> str:
        known = self._world.random_ids.get(random_id)
        if known:
            return known
        message_id = self._world.next_id()
        self._world.random_ids[random_id] = message_id
        self._world.sent.append((chat_id, message_id, text))
        if chat_id in self._people:
            self._play(self._people[chat_id])
        return message_id

    async def sent_since(self, chat_id: str, text: str, *, since: str | None) -> str | None:
        return next((i for chat, i, said in reversed(self._world.sent) if (chat, said) == (chat_id, text)), None)

    async def mark_read(self, chat_id: str, message_id: str) -> None:
        self._world.read[chat_id] = message_id

    async def own_messages(self, limit: int) -> list[str]:
        return [*OWN_MESSAGES, *(text for _, _, text in self._world.sent)][-limit:]

    async def sign_out(self) -> None:
        self._phone = ""

    async def close(self) -> None:
        for play in self._plays:
            play.cancel()
        await asyncio.gather(*self._plays, return_exceptions=True)

    def _play(self, person: Person) -> None:
        """Their next line, after a while."""
        said = self._world.heard.get(person.id, 0)
        answered = sum(1 for chat, _, _ in self._world.sent if chat == person.id)
        if said < len(person.lines) and said <= answered:
            self._world.heard[person.id] = said + 1
            play = asyncio.create_task(self._write_later(person, person.lines[said]), name="prime-mock-telegram")
            self._plays.add(play)
            play.add_done_callback(self._plays.discard)

    async def _write_later(self, person: Person, text: str) -> None:
        await self._clock.sleep(person.after)
        self._world.write(person, text)
