"""What recall has at hand in one process, and when it may be used: never for another log than that of the moment.

Only on SQLite, whose one process appends everything itself and so knows the log's head without asking. The index is
loaded when somebody searches, follows the log from search to search, and is dropped when a message is erased or a
projection made anew. It is read and changed in the event loop alone; a search on it takes less of that than handing
work to a thread does.
"""

import asyncio
import logging

from prime.brain.recall.index.queries import RECALL
from prime.brain.recall.memory.index import Index
from prime.brain.recall.memory.messages import Messages
from prime.brain.recall.memory.queries import load, news, told
from prime.brain.recall.memory.reading import Missing
from prime.brain.recall.names import People
from prime.core.errors import Unavailable
from prime.core.tasks import end
from prime.rooms.queries import OF_ACTORS, ROOMS, read_names
from prime.store.projector import Projector

log = logging.getLogger(__name__)

# Words of a log whose index is kept: of one that is larger the tables alone are read. Measured at 38 bytes a word.
MOST_WORDS = 1_500_000
_AT_ONCE = 64  # messages added in one step; they are taken apart by a thread


class Memory:
    """Of one projector."""

    def __init__(self, projector: Projector, most_words: int = MOST_WORDS) -> None:
        self._projector = projector
        self._most_words = most_words
        self._index: Index | None = None
        self._messages = Messages()
        self._people = People(())
        self._people_until = -1  # the head of the log as it was when they were read
        self._loading: asyncio.Task[None] | None = None
        self._too_large = False

    @classmethod
    def of(cls, projector: Projector) -> "Memory":
        return projector.companion(RECALL, lambda: cls(projector))

    # --- for a search ---

    async def index(self) -> Index | None:
        """The index at the head of the log as it is now; None when it is not to be had at once."""
        head = self._projector.head
        if self._index is not None and 0 < head - self._index.seq <= _AT_ONCE:
            await self._follow()
        if self._index is None or self._index.seq < head:
            self._begin_loading()
            return None
        return self._index

    async def people(self) -> People:
        """Everybody there is, as of now."""
        head = self._projector.head
        if head != self._people_until:  # nobody was named anew as long as nothing was said
            messages = self._messages
            names = await self._projector.read_kept("recall names", read_names, ROOMS, kinds=OF_ACTORS)
            if names is not self._people.actors:
                self._people = People(names)
            if messages is self._messages:  # else all was forgotten meanwhile
                self._people_until = head
        return self._people

    @property
    def messages(self) -> Messages:
        return self._messages

    def is_of(self, index: Index) -> bool:
        """Whether this index still holds."""
        return self._index is index

    async def fetch(self, missing: Missing) -> bool:
        """Have these messages at hand; False when that cannot be."""
        messages = self._messages
        read = await self._projector.read(lambda connection: told(connection, missing.places))
        # One without words has been erased since: what it said may still stand in the index.
        return len(read) == len(missing.places) and all(one.text and messages.keep(one) for one in read)

    # --- keeping up ---

    async def ready(self) -> bool:
        """Wait until what is being loaded is there; whether the index is."""
        if self._index is None or self._index.seq < self._projector.head:
            self._begin_loading()
        if self._loading:
            await asyncio.wait([self._loading])
        return self._index is not None

    def forget(self) -> None:
        """Drop everything: it was erased, or made anew."""
        self._index = None
        self._messages = Messages()
        self._people_until = -1
        self._too_large = False

    async def stop(self) -> None:
        self.forget()
        await end(self._loading)

    def _begin_loading(self) -> None:
        may_be = self._projector.sees_every_append and not self._too_large
        if may_be and (self._loading is None or self._loading.done()):
            self._loading = asyncio.create_task(self._load(), name="prime-recall-memory")

    async def _load(self) -> None:
        """Load it unless it is there, and bring it to the head, in steps between which others have their turn."""
        try:
            if self._index is None:
                messages = self._messages
                loaded = await self._projector.read(lambda connection: load(connection, self._most_words), RECALL)
                self._too_large = loaded is None
                if loaded is not None and messages is self._messages:  # else it was forgotten meanwhile
                    self._index, self._messages = loaded
            while self._index is not None and self._index.seq < self._projector.head:
                await self._follow()
        except Unavailable:
            log.info("recall's index could not be loaded; searches read its tables")

    async def _follow(self) -> None:
        """Add what was appended since, up to so many messages."""
        index = self._index
        if index is None:
            return
        seq = index.seq
        new = await self._projector.read(lambda connection: news(connection, seq, _AT_ONCE))
        if self._index is not index or index.seq != seq:
            return  # another search was quicker
        if new.seq <= seq or new.erased or index.words > self._most_words or not index.has_room(_AT_ONCE):
            self.forget()
        else:
            index.fold(new)
            self._messages.follow(new.seq, [(heard.message.seq, heard.packed) for heard in new.heard])
