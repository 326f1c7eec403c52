"""X played in memory (`PRIME_X_MOCK=1`): mentions come by and by, and replies to what was sent."""

from collections.abc import Sequence

from prime.connectors.profiles.story import OWN_MESSAGES, X_PEOPLE, Person
from prime.connectors.profiles.x.client import Account, Post
from prime.core.clock import Clock

ME = Account("1", "@you (mock)")


class MockX:
    """People mention the owner, and write again after an answer."""

    def __init__(self, clock: Clock, people: Sequence[Person] = X_PEOPLE) -> None:
        self._clock = clock
        self._people = people
        self._began = clock.monotonic()
        self._posts: list[Post] = []
        self._said = dict.fromkeys((person.id for person in people), 0)
        self._due = {person.id: person.after for person in people}
        self._last = 1000

    async def me(self) -> Account:
        return ME

    async def mentions(self, me: Account, since: str | None) -> list[Post]:
        for person in self._people:
            due = self._due.get(person.id)
            if due is not None and self._clock.monotonic() - self._began >= due:
                self._write(person)
        return [post for post in self._posts if not post.own and int(post.id) > int(since or 0)]

    async def messages(self, me: Account) -> list[Post]:
        return []

    async def own_posts(self, me: Account) -> list[Post]:
        earlier = [self._post(ME.id, ME.name, text, own=True) for text in OWN_MESSAGES]
        return [*earlier, *(post for post in self._posts if post.own)]

    async def reply(self, post_id: str, text: str) -> str:
        answered = next((post for post in self._posts if post.id == post_id), None)
        sent = self._post(ME.id, ME.name, text, own=True)
        self._posts.append(sent)
        for person in self._people:
            if answered and person.id == answered.author_id and self._said[person.id] < len(person.lines):
                self._due[person.id] = self._clock.monotonic() - self._began + person.after
        return sent.id

    async def message(self, thread: str, text: str) -> str:
        return await self.reply("", text)

    def _write(self, person: Person) -> None:
        self._posts.append(self._post(person.id, person.name, person.lines[self._said[person.id]]))
        self._said[person.id] += 1
        self._due.pop(person.id)

    def _post(self, author_id: str, author: str, text: str, *, own: bool = False) -> Post:
        self._last += 1
        number = str(self._last)
        return Post(id=number, where="post", thread=number, author_id=author_id, author=author, text=text, own=own)
