"""The directory in memory: a hundred thousand cards are searched in milliseconds, and heartbeats cost no write each.

Text is searched in blocks: one string of many cards is scanned by the string search of C, and only the cards of a block
with a hit are looked at one by one.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from dataclasses import replace

from prime.core.errors import InvalidInput
from prime.network.directory.entry import Entry
from prime.network.names import folded

BLOCK = 256
MAX_QUERY = 100
# Between cards and between fields; names cannot hold it, so no query matches across two of them.
_BETWEEN = "\n"


class Index:
    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._by_endpoint: dict[str, str] = {}
        self._by_token: dict[str, str] = {}
        self._by_host: dict[str, set[str]] = {}
        self._by_capability: dict[str, dict[int, str]] = {}
        self._by_number: dict[int, str] = {}
        self._numbers: list[int] = []
        self._texts: dict[int, str] = {}
        self._blocks: dict[int, str] = {}
        self._seen: dict[str, int] = {}
        self._answered: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def put(self, entry: Entry) -> None:
        """Add a card, or what has become of it."""
        self.remove(entry.id)
        if entry.removed_at is not None:
            return
        self._entries[entry.id] = entry
        self._by_endpoint[entry.endpoint] = entry.id
        self._by_token[entry.token_hash] = entry.id
        for host in entry.hosts:
            self._by_host.setdefault(host, set()).add(entry.id)
        self._by_number[entry.number] = entry.id
        insort(self._numbers, entry.number)
        for name in entry.capabilities:
            self._by_capability.setdefault(folded(name), {})[entry.number] = entry.id
        self._texts[entry.number] = folded(_BETWEEN.join((entry.name, entry.owner, *entry.capabilities)))
        self._blocks.pop(entry.number // BLOCK, None)
        self.saw(entry.id, entry.seen_at, entry.answered_at)

    def remove(self, agent_id: str) -> None:
        entry = self._entries.pop(agent_id, None)
        if entry is None:
            return
        self._by_endpoint.pop(entry.endpoint, None)
        self._by_token.pop(entry.token_hash, None)
        for host in entry.hosts:
            self._by_host[host].discard(agent_id)
            if not self._by_host[host]:
                del self._by_host[host]
        self._by_number.pop(entry.number, None)
        del self._numbers[bisect_left(self._numbers, entry.number)]
        for name in entry.capabilities:
            holders = self._by_capability[folded(name)]
            holders.pop(entry.number, None)
            if not holders:
                del self._by_capability[folded(name)]
        self._texts.pop(entry.number, None)
        self._blocks.pop(entry.number // BLOCK, None)

    def saw(self, agent_id: str, seen_at: int | None = None, answered_at: int | None = None) -> None:
        """A sign of life; the newest one counts, whichever process heard it."""
        if seen_at is not None:
            self._seen[agent_id] = max(seen_at, self._seen.get(agent_id, 0))
        if answered_at is not None:
            self._answered[agent_id] = max(answered_at, self._answered.get(agent_id, 0))

    def get(self, agent_id: str) -> Entry | None:
        entry = self._entries.get(agent_id)
        return self._fresh(entry) if entry else None

    def at(self, endpoint: str) -> Entry | None:
        return self.get(self._by_endpoint.get(endpoint, ""))

    def with_token(self, digest: str) -> str | None:
        """The agent with that token's hash. Hashes tell nothing about tokens, so that a table look-up will do."""
        return self._by_token.get(digest)

    def on_host(self, host: str) -> list[Entry]:
        """By name, or by name and port."""
        ids = self._by_host.get(host.strip().lower(), ())
        return sorted((self._fresh(self._entries[i]) for i in ids), key=lambda entry: entry.number)

    def page(self, *, after: int = 0, limit: int = 100) -> list[Entry]:
        """In the order of registration."""
        start = bisect_right(self._numbers, after)
        return [self._of(number) for number in self._numbers[start : start + limit]]

    def search(self, *, capability: str = "", q: str = "", after: int = 0, limit: int = 100) -> list[Entry]:
        """Cards with exactly that capability, and with that text in name, owner or capabilities; case does not count."""
        if len(q) > MAX_QUERY or len(capability) > MAX_QUERY:
            raise InvalidInput(f"A search may have {MAX_QUERY} characters.", field="q")
        text = folded(" ".join(q.split()))
        if not capability.strip():
            return self._take(self._with_text(text, after), limit) if text else self.page(after=after, limit=limit)
        holders = self._by_capability.get(folded(" ".join(capability.split())), {})
        numbers = (n for n in sorted(holders) if n > after and text in self._texts[n])
        return self._take(numbers, limit)

    def _with_text(self, text: str, after: int) -> Iterator[int]:
        last = self._numbers[-1] if self._numbers else 0
        for block in range((after + 1) // BLOCK, last // BLOCK + 1):
            if text not in self._block(block):
                continue
            for number in range(block * BLOCK, (block + 1) * BLOCK):
                if number > after and text in self._texts.get(number, ""):
                    yield number

    def _block(self, block: int) -> str:
        joined = self._blocks.get(block)
        if joined is None:
            numbers = range(block * BLOCK, (block + 1) * BLOCK)
            joined = self._blocks[block] = _BETWEEN.join(self._texts[n] for n in numbers if n in self._texts)
        return joined

    def _take(self, numbers: Iterable[int], limit: int) -> list[Entry]:
        found: list[Entry] = []
        for number in numbers:
            found.append(self._of(number))
            if len(found) == limit:
                break
        return found

    def _of(self, number: int) -> Entry:
        return self._fresh(self._entries[self._by_number[number]])

    def _fresh(self, entry: Entry) -> Entry:
        seen, answered = self._seen.get(entry.id), self._answered.get(entry.id)
        if seen == entry.seen_at and answered == entry.answered_at:
            return entry
        return replace(entry, seen_at=seen, answered_at=answered)
