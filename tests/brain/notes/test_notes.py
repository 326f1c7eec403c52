"""A file becomes a note beside it, whoever brought it, and the note is found again."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

import httpx2
import pytest

from prime.brain.notes.notes import Notes, note_id
from prime.brain.notes.queries import NotesProjection
from prime.brain.reading.reading import Reading
from prime.brain.recall import recall
from prime.brain.recall.index.queries import RecallProjection
from prime.brain.thinking import File, Said, Stated
from prime.core.errors import NotFound, Unavailable
from prime.rooms.queries import RoomsProjection
from prime.rooms.rooms import Rooms
from prime.rooms.tables import ROOMS_MIGRATIONS
from prime.rooms.views import View
from prime.store.message import NewMessage
from prime.store.store import Store
from prime.web.parts import Parts


class House(Protocol):
    http: httpx2.AsyncClient

    @property
    def parts(self) -> Parts: ...
    async def upload(
        self, name: str, content: bytes, *, mime: str = "", channel: str | None = None
    ) -> dict[str, Any]: ...
    async def note(self, name: str, content: bytes, *, mime: str = "", channel: str = "ch_hub") -> dict[str, Any]: ...
    async def get(self, path: str, **query: str) -> dict[str, Any]: ...
    async def found(self, query: str) -> list[dict[str, Any]]: ...


class Reader:
    """A reader that counts what it reads."""

    def __init__(self, reading: Reading | None = None) -> None:
        self.read_files: list[bytes] = []
        self._reading = reading or Reading(family="document", facts=("text", "1 line"), text="the sesame figure")

    async def read(self, content: bytes) -> Reading:
        self.read_files.append(content)
        return self._reading


class Thinker:
    """Says a word about files, or is away."""

    free = True

    def __init__(self, words: str | None = "A list of seeds.") -> None:
        self.words = words
        self.asked: list[File] = []

    async def extract(self, lines: Sequence[Said], *, today: str) -> Sequence[Stated]:
        return []

    async def consolidate(self, lines: Sequence[Said], *, before: str) -> str:
        return before

    async def describe(self, file: File) -> str:
        self.asked.append(file)
        if self.words is None:
            raise Unavailable("The model is away.")
        return self.words


@pytest.fixture
async def store(open_store: Callable[..., Awaitable[Store]]) -> Store:
    parts = [RoomsProjection(), RecallProjection(), NotesProjection()]
    store = await open_store(projections=parts, migrations=ROOMS_MIGRATIONS)
    rooms = Rooms(store)
    await rooms.open()
    await rooms.add_actor("Rita", "agent", "prime_message", actor_id="act_rita")
    await rooms.create_channel("Vendor", tier="external", members=["act_rita"], channel_id="ch_vendor")
    return store


async def bring(store: Store, content: bytes = b"x", *, actor: str = "act_rita", **fields: object) -> str:
    attachment = await store.attachments.put("seeds.txt", "text/plain", content)
    message = NewMessage(
        channel_id="ch_vendor", actor_id=actor, kind="text", text="here", body={"attachmentIds": [attachment.id]}
    )
    for name, value in fields.items():
        object.__setattr__(message, name, value)
    await store.log.append(message)
    return attachment.id


@pytest.mark.holds("D-BRAIN-5")
@pytest.mark.parametrize("actor", ["act_owner", "act_prime", "act_rita"])
async def test_a_file_from_anyone_leaves_a_note_that_is_found(store: Store, actor: str) -> None:
    attachment_id = await bring(store, actor=actor)
    notes = Notes(store, Reader(), Thinker())
    assert await notes.catch_up() is None
    note = await store.log.get(note_id(attachment_id, "ch_vendor"))
    assert (note.kind, note.audience, note.channel_id) == ("note", "room", "ch_vendor")
    assert note.text == "seeds.txt: text/plain, 1 bytes.\nText. 1 line.\nA list of seeds."
    assert note.body["attachmentId"] == attachment_id
    assert await notes.note_of(attachment_id) == note.id
    # By what the file says, and by what it is called.
    for query in ("sesame figure", "seeds.txt"):
        assert note.id in [hit.message_id for hit in (await recall(store, query)).hits]


@pytest.mark.holds("D-BRAIN-5")
async def test_one_note_per_channel_however_often_and_whoever_runs(store: Store) -> None:
    attachment_id = await bring(store)
    again = NewMessage(
        channel_id="ch_vendor", actor_id="act_rita", kind="text", text="again", body={"attachmentIds": [attachment_id]}
    )
    await store.log.append(again)
    elsewhere = NewMessage(
        channel_id="ch_hub", actor_id="act_owner", kind="text", text="look", body={"attachmentIds": [attachment_id]}
    )
    await store.log.append(elsewhere)
    reader = Reader()
    await Notes(store, reader, Thinker()).catch_up()
    await Notes(store, reader, Thinker()).catch_up()
    assert len(reader.read_files) == 2
    written = [m for m in await store.log.after(0) if m.kind == "note"]
    assert {m.channel_id for m in written} == {"ch_vendor", "ch_hub"}
    assert len(written) == 2


async def test_whoever_brings_many_files_has_others_wait_for_one_of_them(store: Store) -> None:
    rooms = Rooms(store)
    await rooms.create_channel("Guests", tier="external", members=["act_rita"], channel_id="ch_guests")
    for number in range(5):
        await bring(store, b"vendor %d" % number)
    await bring(store, b"guest 0", channel_id="ch_guests")
    await bring(store, b"guest 1", channel_id="ch_guests")
    reader, arriving = Reader(), [b"owner 1"]

    class Arriving(Reader):
        """While the first is read, the owner brings another."""

        async def read(self, content: bytes) -> Reading:
            if arriving:
                await bring(store, arriving.pop(), actor="act_owner")
            return await reader.read(content)

    await Notes(store, Arriving(), Thinker()).catch_up()
    assert reader.read_files == [
        b"vendor 0", b"owner 1", b"guest 0", b"vendor 1", b"guest 1", b"vendor 2", b"vendor 3", b"vendor 4"
    ]  # fmt: skip


async def test_what_is_erased_while_it_is_read_leaves_nothing_of_it_behind(store: Store) -> None:
    class Erasing(Reader):
        async def read(self, content: bytes) -> Reading:
            [message] = [m for m in await store.log.after(0) if m.body.get("attachmentIds")]
            await store.log.erase([message.id], by="act_owner")
            return await super().read(content)

    attachment_id = await bring(store)
    notes = Notes(store, Erasing(), Thinker())
    assert await notes.catch_up() is None
    note = await store.log.get(note_id(attachment_id, "ch_vendor"))
    assert note.text == "The file was erased."
    assert note.body == {"attachmentId": attachment_id, "missing": True}
    assert not (await recall(store, "sesame figure")).hits


async def test_what_a_crash_left_is_done_at_the_next_start(store: Store) -> None:
    class Crash(Exception):
        pass

    class Crashing(Reader):
        async def read(self, content: bytes) -> Reading:
            raise Crash

    attachment_id = await bring(store)
    with pytest.raises(Crash):
        await Notes(store, Crashing(), Thinker()).catch_up()
    await Notes(store, Reader(), Thinker()).catch_up()
    assert (await store.log.get(note_id(attachment_id, "ch_vendor"))).text


async def test_the_facts_are_there_without_a_mind_and_when_the_file_is_refused(store: Store) -> None:
    first = await bring(store)
    await Notes(store, Reader(), Thinker(None)).catch_up()
    assert "1 line" in (await store.log.get(note_id(first, "ch_vendor"))).text
    second = await bring(store, b"PK\x03\x04 bomb")
    thinker = Thinker()
    await Notes(store, Reader(Reading(family="other", refused="It is a bomb.")), thinker).catch_up()
    note = await store.log.get(note_id(second, "ch_vendor"))
    assert "It is a bomb." in note.text
    assert note.body["refused"] == "It is a bomb."
    assert thinker.asked == []


async def test_a_note_of_what_only_the_hub_may_see_is_for_the_hub(store: Store) -> None:
    attachment_id = await bring(store, audience="hub")
    await Notes(store, Reader(), Thinker()).catch_up()
    note = await store.log.get(note_id(attachment_id, "ch_vendor"))
    assert note.audience == "hub"
    assert note.id not in [m.id for m in await (await View.of(store, "ch_vendor")).messages()]


async def test_a_file_that_is_gone_gets_a_note_that_says_so(store: Store) -> None:
    attachment_id = await bring(store)
    await store.attachments.remove(attachment_id)
    await Notes(store, Reader(), Thinker()).catch_up()
    assert "no attachment" in (await store.log.get(note_id(attachment_id, "ch_vendor"))).text


async def test_odd_messages_are_passed_over(store: Store) -> None:
    bodies: list[dict[str, object]] = [{"attachmentIds": "x"}, {"attachmentIds": [1, None, {}]}, {"attachmentId": 7}]
    for body in bodies:
        await store.log.append(NewMessage(channel_id="ch_hub", actor_id="act_rita", kind="text", text="x", body=body))
    await store.log.append(
        NewMessage(channel_id="ch_hub", actor_id="act_rita", kind="note", text="x", body={"attachmentId": 7})
    )
    reader = Reader()
    await Notes(store, reader, Thinker()).catch_up()
    assert reader.read_files == []


class Web:
    """Files by address; what is not there is refused."""

    def __init__(self, **files: bytes) -> None:
        self.files = files
        self.asked: list[tuple[str, bool]] = []

    async def fetch(self, url: str, *, trusted: bool) -> bytes:
        self.asked.append((url, trusted))
        name = url.rsplit("/", 1)[-1]
        if name not in self.files:
            raise Unavailable("The address cannot be reached.")
        return self.files[name]

    async def aclose(self) -> None:
        self.files = {}


@pytest.mark.holds("D-BRAIN-5")
async def test_a_file_that_a_remote_agent_names_is_fetched_and_noted(store: Store) -> None:
    references = [{"url": f"https://example.com/{name}", "name": f"{name}.txt", "mediaType": ""} for name in ("a", "b")]
    said = NewMessage(
        channel_id="ch_vendor", actor_id="act_rita", kind="text", text="two files", body={"references": references}
    )
    said_id = (await store.log.append(said))[0].id
    web = Web(a=b"the sesame report")
    await Notes(store, Reader(), Thinker(), web).catch_up()
    await Notes(store, Reader(), Thinker(), web).catch_up()
    assert sorted(web.asked) == [("https://example.com/a", False), ("https://example.com/b", False)]
    written = [m for m in await store.log.after(0) if m.kind == "note"]
    whole, missing = sorted(written, key=lambda m: "missing" in m.body)
    assert missing.text == "b.txt: The address cannot be reached."
    kept = await store.attachments.get(str(whole.body["attachmentId"]))
    assert await store.attachments.content(kept) == b"the sesame report"
    assert await Notes(store, Reader(), Thinker()).note_of(kept.id) == whole.id
    # Erased with the message that brought it.
    await store.erase([said_id], by="act_owner")
    with pytest.raises(NotFound):
        await store.attachments.get(kept.id)


@pytest.mark.parametrize(("text", "is_shown"), [("", True), (" \n", True), ("Invoice 7", False)])
async def test_a_scanned_pdf_is_shown_and_one_with_words_is_read(store: Store, text: str, is_shown: bool) -> None:
    content = b"%PDF-1.4 a scan"
    attachment = await store.attachments.put("scan.pdf", "application/pdf", content)
    await store.log.append(
        NewMessage(
            channel_id="ch_vendor",
            actor_id="act_rita",
            kind="text",
            text="here",
            body={"attachmentIds": [attachment.id]},
        )
    )
    thinker = Thinker("An invoice over 40 EUR.")
    await Notes(store, Reader(Reading(family="document", facts=("PDF", "1 page"), text=text)), thinker).catch_up()
    [file] = thinker.asked
    assert file.image == (content if is_shown else None)
    assert "An invoice over 40 EUR." in (await store.log.get(note_id(attachment.id, "ch_vendor"))).text


# --- over HTTP, with the real reader ---


async def test_the_figure_in_that_deck(house: House) -> None:
    table = b"quarter,revenue\nQ1 2026,120000\nQ2 2026,184500\n"
    note = await house.note("deck.csv", table, mime="image/png")
    assert note["kind"] == "note"
    assert "total 304,500" in note["text"]
    assert note["body"]["mimeType"] == "text/csv"
    hits = await house.found("the revenue figure in that deck")
    assert note["id"] in [hit["messageId"] for hit in hits]
    known = await house.http.get(
        f"/api/attachments/{note['body']['attachmentId']}", headers={"accept": "application/json"}
    )
    assert known.json()["noteMessageId"] == note["id"]


async def test_a_file_in_a_message_gets_its_note(house: House) -> None:
    uploaded = await house.upload("plan.md", b"# Plan\n\nShip the pump in May.")
    assert uploaded["noteMessageId"] is None
    assert set(uploaded) == {"id", "name", "mimeType", "size", "sha256", "noteMessageId"}
    said = await house.http.post("/api/chat", json={"text": "here it is", "attachmentIds": [uploaded["id"]]})
    assert said.status_code == 200
    await house.parts.brain.notes.catch_up()
    note = await house.parts.store.log.get(note_id(uploaded["id"], "ch_hub"))
    assert "headings: Plan" in note.text or "Headings: Plan" in note.text


async def test_thirteen_megabytes_are_too_many(house: House) -> None:
    for size in (13_000_000, 12 * 1024 * 1024 + 1):
        answer = await house.http.post("/api/attachments", files={"file": ("big.bin", bytes(size))})
        assert answer.status_code == 413
        assert answer.json()["error"]["message"].endswith(".")
    answer = await house.http.post("/api/attachments", files={"file": ("most.bin", bytes(12 * 1024 * 1024))})
    assert answer.status_code == 201


async def test_an_unknown_channel_keeps_nothing(house: House) -> None:
    answer = await house.http.post("/api/attachments", files={"file": ("a.txt", b"x")}, data={"channelId": "ch_no"})
    assert answer.status_code == 404


@pytest.mark.parametrize(
    "content", [b"<html><script>alert(1)</script>", b"<svg onload='alert(1)'/>", b"<?xml version='1.0'?><a/>"]
)
async def test_what_could_run_is_a_download(house: House, content: bytes) -> None:
    uploaded = await house.upload("pic.png", content, mime="image/png")
    answer = await house.http.get(f"/api/attachments/{uploaded['id']}")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.content == content


async def test_removing_is_said_in_the_log(house: House) -> None:
    note = await house.note("a.txt", b"some words")
    path = f"/api/attachments/{note['body']['attachmentId']}"
    assert (await house.http.delete(path)).status_code == 200
    assert (await house.http.get(path)).status_code == 404
    assert (await house.http.delete(path)).status_code == 404
    assert (await house.parts.store.log.after(0))[-1].text == "a.txt was removed."
    assert note["id"] in [hit["messageId"] for hit in await house.found("some words")]
