"""Files that are made to hurt: each is refused with a sentence, in a process of its own, and the server goes on."""

import asyncio
import gzip
import io
import json
import random
import sys
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import openpyxl
import pytest

from prime.brain.reading.document import html_text
from prime.brain.reading.mail import read_mail
from prime.brain.reading.process import LIMITS, SandboxedReader
from prime.brain.reading.reading import Refused
from prime.brain.reading.table import read_separated, read_workbook
from prime.core.private_folders import kept_private
from prime.core.process import Limits

Make = Callable[..., bytes]


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[SandboxedReader]:
    with kept_private(tmp_path):
        yield SandboxedReader()


def bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for number in range(4):
            archive.writestr(f"{number}.txt", bytes(50_000_000))
    return out.getvalue()


def lying_bomb() -> bytes:
    """A document whose one part says that it is small."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", bytes(110_000_000))
    return out.getvalue().replace((110_000_000).to_bytes(4, "little"), (1000).to_bytes(4, "little"))


def huge_png() -> bytes:
    """A hundred thousand pixels square, in a few bytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    side = (100_000).to_bytes(4, "big")
    head = chunk(b"IHDR", side + side + bytes([8, 2, 0, 0, 0]))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")


def laughs(make_zip: Make) -> bytes:
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    return make_zip(**{"word/document.xml": f'<!DOCTYPE x [<!ENTITY a0 "ha">{entities}]><x>&a9;</x>'.encode()})


@pytest.mark.holds("D-BRAIN-4")
async def test_bombs_are_refused_with_a_sentence(
    reader: SandboxedReader, make_endless_pdf: Make, make_zip: Make
) -> None:
    for name, content, why in (
        ("zip bomb", bomb(), "far more than its size"),
        ("a part that lies", lying_bomb(), "not read|damaged|too large|far more"),
        ("gzip bomb", gzip.compress(bytes(200_000_000)), "unpacks to more"),
        ("endless PDF", make_endless_pdf(100_000), "100,000 pages"),
        ("huge picture", huge_png(), "100,000 x 100,000 pixels"),
        ("entities", laughs(make_zip), "entities"),
    ):
        found = await reader.read(content)
        assert found.refused, name
        assert any(part in found.refused for part in why.split("|")), (name, found.refused)


@pytest.mark.holds("D-BRAIN-4")
async def test_damaged_files_are_refused_or_read_as_far_as_they_go(
    reader: SandboxedReader, make_picture: Make, make_pdf: Make
) -> None:
    chance = random.Random(8)
    whole = [make_picture("text"), make_picture("x", kind="GIF"), make_picture("x", kind="WEBP"), make_pdf("hello")]

    async def one(content: bytes) -> None:
        found = await reader.read(content)
        assert found.refused is None or found.refused.endswith(".")

    for content in whole:
        cut = content[: len(content) // 2]
        noisy = bytearray(content)
        for _ in range(30):
            noisy[chance.randrange(20, len(noisy))] = chance.randrange(256)
        await asyncio.gather(one(cut), one(bytes(noisy)))


@pytest.mark.holds("D-BRAIN-4")
async def test_what_steers_a_terminal_is_left_out(reader: SandboxedReader) -> None:
    found = await reader.read("\ufefftotal\x0c12\x1b[31m \u202egnp.exe\r\nnext\tline".encode())
    assert found.text.split() == ["total", "12", "[31m", "gnp.exe", "next", "line"]


def test_a_sheet_is_as_wide_as_what_stands_in_it() -> None:
    book = openpyxl.Workbook()
    for row in (["item", "price"], ["tea", 3], ["", None, None, "a remark"]):
        book.worksheets[0].append(row)
    out = io.BytesIO()
    book.save(out)
    facts = " ".join(read_workbook(out.getvalue()).facts)
    assert "2 rows; 3 columns: item (text: tea); price (number, 3 to 3, total 3); column 4 (text: a remark)" in facts


def test_a_table_that_is_wider_than_is_read_says_so() -> None:
    facts = read_separated(b";".join(b"c%d" % n for n in range(300)) + b"\n" + b";".join([b"1"] * 300)).facts
    assert "wider than the 200 columns that are read" in facts
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active["A1"], book.active["GS2"] = "a", 2
    out = io.BytesIO()
    book.save(out)
    assert "wider than the 200 columns" in " ".join(read_workbook(out.getvalue()).facts)
    assert "wider" not in " ".join(read_separated(b"a;b\n1;2\n").facts)


def test_mails_within_mails_are_refused_in_words() -> None:
    with pytest.raises(Refused, match="mails within mails"):
        read_mail(b"From: a@b.c\nSubject: deep\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n" * 1000)


@pytest.mark.long
def test_a_table_as_long_as_an_attachment_may_be_is_read() -> None:
    rows = b"".join(b"%d,%d\n" % (n, n % 7) for n in range(600_000))
    facts = " ".join(read_separated(b"n,rest\n" + rows).facts)
    assert "600,000 rows 2 columns: n (number, 0 to 599,999, total 179,999,700,000)" in facts


@pytest.mark.holds("D-BRAIN-4")
async def test_a_file_that_takes_too_long_is_stopped(make_pdf: Make) -> None:
    impatient = SandboxedReader(limits=Limits(wall_s=0.05, memory_bytes=LIMITS.memory_bytes))
    found = await impatient.read(make_pdf("hello"))
    assert found.refused == "It was not read: reading it took too long."


@pytest.mark.holds("D-BRAIN-4")
async def test_the_server_does_not_notice(reader: SandboxedReader) -> None:
    """While a bomb is being looked at, other work goes on at its usual pace."""
    longest = 0.0

    async def beat() -> None:
        nonlocal longest
        while True:
            begin = time.monotonic()
            await asyncio.sleep(0.01)
            longest = max(longest, time.monotonic() - begin)

    content = bomb()
    beating = asyncio.create_task(beat())
    await reader.read(content)
    beating.cancel()
    assert longest < 1.0


@pytest.mark.skipif(sys.platform != "linux", reason="needs the sandbox")
async def test_the_reader_sees_neither_prime_data_nor_its_environment(
    reader: SandboxedReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the process is given is asked of a command in the same sandbox."""
    from prime.core.process import Command, SandboxPolicy, allowed_environment, namespace_trouble, run

    if namespace_trouble():
        pytest.skip("no sandbox works here")
    (tmp_path / "prime.db").write_text("secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert "OPENAI_API_KEY" not in allowed_environment()
    policy = SandboxPolicy(network=False, read_only=True, empty_home=True, hidden=(str(tmp_path),))
    outcome = await run(Command(argv=("/bin/ls", str(tmp_path)), sandbox=policy))
    assert outcome.stdout == b""


async def test_a_reader_that_lies_is_not_believed() -> None:
    from prime.brain.reading.process import _reading  # pyright: ignore[reportPrivateUsage]
    from prime.core.process import Outcome

    def answer(value: object) -> Outcome:
        return Outcome(exit_code=0, stdout=json.dumps(value).encode(), stderr=b"", duration_s=0)

    assert _reading(answer([1])).refused
    assert _reading(answer({"family": "owner", "facts": [1, "a\x00b\nc"], "text": 7})).facts == ("ab c",)
    assert _reading(answer({"family": "owner"})).family == "other"


@pytest.mark.parametrize("begun", ["<a ", "<!--", "<![CDATA[", "<!x ", "</a ", "&#", '<a href="x '])
def test_a_page_of_tags_that_never_end_is_read_in_the_time_of_its_length(begun: str) -> None:
    began = time.perf_counter()
    _, words = html_text(f"<html><p>Hello &amp; welcome {begun * (600_000 // len(begun))}")
    assert words.startswith("Hello & welcome")
    assert time.perf_counter() - began < 5


def test_what_a_page_ends_with_is_read() -> None:
    for end, words in (
        ("a &amp", "a &"),
        ("a & b", "a & b"),
        ("1 < 2", "1 < 2"),
        ("a<br", "a"),
        ("a <", "a <"),
        ("a<!-- b", "a"),
    ):
        assert html_text(f"<html><p>{end}")[1].strip() == words
