"""Where words are said, in blocks: the same for every cut of the log, and read as it was said, on either engine."""

from array import array
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, insert, select, update

from prime.brain.recall import tables
from prime.brain.recall.analysis import pack
from prime.brain.recall.blocks.block import PART, Parts, is_part, part_in, posting, rows_of, word_in, words_in
from prime.brain.recall.blocks.gathering import gather, nowhere
from prime.brain.recall.blocks.layout import FRESH, SIZES, Stretch, fresh_from, layout, stretch_of, windows
from prime.brain.recall.blocks.queries import Heard, keep
from prime.brain.recall.index.queries import RECALL, RecallProjection
from prime.brain.recall.places import EVERYWHERE, Range, place_of, stream_range
from prime.brain.recall.scoring import Postings
from prime.brain.recall.words.queries import Words
from prime.rooms.queries import RoomsProjection
from prime.rooms.tables import ROOMS_MIGRATIONS
from prime.store.store import Store
from prime.store.tables import cursor

heads = st.integers(0, 3 * SIZES[-1])
STREAMS = 5
TERMS = 900


# --- the layout ---


@given(head=heads)
def test_stretches_follow_one_another_from_the_beginning_and_leave_less_than_one_of_them(head: int) -> None:
    stretches = layout(head)
    ends = [0, *(stretch.end for stretch in stretches)]
    assert [stretch.start for stretch in stretches] == ends[:-1]
    assert ends[-1] == fresh_from(head)
    assert head - ends[-1] < SIZES[0]
    assert len(stretches) <= 3 * (len(SIZES) - 1) + head // SIZES[-1]


@given(head=heads, seq=st.integers(1, 3 * SIZES[-1]))
def test_a_message_stands_in_the_stretch_that_begins_before_it(head: int, seq: int) -> None:
    stretches = layout(head)
    number = stretch_of(stretches, seq)
    if number == FRESH:
        assert seq > fresh_from(head)
    else:
        assert stretches[number].start < seq <= stretches[number].end


@given(before=heads, more=st.integers(0, SIZES[-1]))
def test_a_way_is_cut_where_the_longest_that_is_made_at_once_ends(before: int, more: int) -> None:
    steps = windows(before, before + more)
    assert [*(low for low, _ in steps), before + more] == [before, *(high for _, high in steps)]
    assert all(low // SIZES[3] == (high - 1) // SIZES[3] for low, high in steps)


def test_rows_of_different_stretches_never_have_one_number() -> None:
    stretches = [Stretch(0, level) for level in range(len(SIZES))] + [Stretch(SIZES[0], 0)]
    spans = sorted((stretch.first_row, stretch.beyond) for stretch in stretches)
    assert all(beyond <= first for (_, beyond), (first, _) in pairwise(spans))
    assert spans[0][0] >= 0


# --- rows ---


@given(
    said=st.dictionaries(st.integers(1, 5000), st.integers(1, 4 * PART + 1), min_size=1, max_size=20),
    level=st.integers(0, len(SIZES) - 1),
)
def test_rows_say_what_they_were_made_of(said: dict[int, int], level: int) -> None:
    stretch = Stretch(0, level)
    postings = {term: [posting(place, term % 100) for place in range(count)] for term, count in said.items()}
    rows = list(rows_of(stretch, postings))
    assert [row for row, _ in rows] == sorted({row for row, _ in rows})
    again = nowhere()
    gather(again, rows)
    assert {term: list(found) for term, found in again.items()} == postings
    by_row = dict(rows)
    for term, wanted in postings.items():
        found = word_in(by_row[stretch.row_of(term)], term)
        if isinstance(found, Parts):
            parts = [part_in(by_row[stretch.row_of(term) + found.first + at]) for at in range(len(found.firsts))]
            assert found.often == len(wanted)
            assert [part[0] for part in parts] == list(found.firsts)
            assert [one for part in parts for one in part] == wanted
        else:
            assert found is not None
            assert list(found) == wanted
    assert word_in(by_row[stretch.row_of(min(said))], 5001 * stretch.width) is None
    assert all(dict(words_in(data)) for row, data in rows if not is_part(row))


# --- on a database ---


def heard_until(head: int, every: int, chance: Random) -> list[Heard]:
    """Messages at hand, of which most of a long log say nothing; a few words are in every other one."""
    positions = [3] * STREAMS
    made: list[Heard] = []
    for seq in range(1, head + 1, every):
        stream = chance.randrange(STREAMS)
        positions[stream] += chance.choice((1, 1, 1, 3))
        words = [chance.randint(1, TERMS) if chance.random() < 0.6 else chance.randint(1, 3) for _ in range(4)]
        made.append(Heard(place_of(stream + 1, positions[stream]), seq, chance.randint(1, 40), words))
    return made


def said_by(heard: Sequence[Heard]) -> dict[int, list[tuple[int, int]]]:
    said: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for one in heard:
        for word in set(one.words):
            said[word].append((one.place, pack(one.words.count(word), one.length)))
    return {word: sorted(places) for word, places in said.items()}


def begin(connection: Connection) -> None:
    for table in tables.DERIVED:
        connection.execute(delete(table))
    connection.execute(insert(tables.term), [{"text": f"w{term:03}", "id": term} for term in range(1, TERMS + 1)])


def fold(connection: Connection, heard: Sequence[Heard], bounds: Sequence[int]) -> None:
    for low, high in pairwise(bounds):
        keep(connection, low, high, [one for one in heard if low < one.seq <= high])
    connection.execute(insert(tables.document), [{"place": h.place, "seq": h.seq, "length": h.length} for h in heard])
    connection.execute(update(cursor).where(cursor.c.projection == RECALL).values(seq=bounds[-1]))


def kept(connection: Connection) -> list[list[tuple[object, ...]]]:
    chosen = (tables.block, tables.fresh)
    return [[tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))] for table in chosen]


def check_reads(connection: Connection, heard: Sequence[Heard], chance: Random) -> None:
    """All that a search asks of words, beside what was said."""
    said = said_by(heard)
    ends = [max((h.place for h in heard if h.place >> 28 == stream + 1), default=0) for stream in range(STREAMS)]
    one = stream_range(2)
    cut = (one[0], one[0] + (ends[1] - one[0]) // 2)
    grounds: list[list[Range]] = [[EVERYWHERE], [one], [cut], [cut, stream_range(4)], [stream_range(STREAMS + 7)]]
    terms = [1, 2, *chance.sample(range(4, TERMS + 1), 20)]
    for ranges in grounds:
        words = Words(connection)
        found = words.find([*(f"w{term:03}" for term in terms), "nobody"])
        assert [term for _, term in found] == terms
        wanted = {t: [p for p in said.get(t, []) if any(low <= p[0] <= high for low, high in ranges)] for t in terms}
        for most in (5, 10_000_000):
            assert words.counts(terms, ranges, most) == {term: min(len(wanted[term]), most) for term in terms}
        assert told(words.between(terms, ranges)) == wanted
        newest = Words(connection)
        newest.find([f"w{term:03}" for term in terms])
        for each in (3, PART, PART + 1):
            for term in terms[:4]:
                last = newest.newest(term, ranges, each)
                of_range = [[p for p in said.get(term, []) if low <= p[0] <= high] for low, high in ranges]
                if EVERYWHERE not in ranges:  # it is asked of single streams
                    assert [[(p >> 8, p & 255) for p in part] for part in last] == [part[-each:] for part in of_range]
    places = sorted(h.place for h in chance.sample(list(heard), min(60, len(heard))))
    words = Words(connection)
    words.find([f"w{term:03}" for term in terms])
    at = told(words.at(terms, places))
    assert at == {term: [p for p in said.get(term, []) if p[0] in places] for term in terms}


def told(found: dict[int, Postings]) -> dict[int, list[tuple[int, int]]]:
    return {term: list(zip(places, weights, strict=True)) for term, (places, weights) in found.items()}


@pytest.fixture
async def store(open_store: Callable[..., Awaitable[Store]]) -> Store:
    return await open_store(projections=[RoomsProjection(), RecallProjection()], migrations=ROOMS_MIGRATIONS)


@pytest.mark.holds("D-BRAIN-2")
@pytest.mark.parametrize(("head", "every"), [(200, 1), (6500, 1), (SIZES[4] + 700, 8), (SIZES[5] + 20_000, 32)])
async def test_however_the_log_is_cut_the_blocks_are_the_same_and_say_what_was_said(
    store: Store, head: int, every: int
) -> None:
    chance = Random(head)
    heard = heard_until(head, every, chance)

    def at_once(connection: Connection) -> list[list[tuple[object, ...]]]:
        begin(connection)
        fold(connection, heard, [0, head])
        check_reads(connection, heard, chance)
        return kept(connection)

    def in_pieces(connection: Connection) -> list[list[tuple[object, ...]]]:
        begin(connection)
        size = max(head // 9, 60)
        cuts = sorted({chance.randrange(1, head) for _ in range(3)} | set(range(size, head, size)))
        fold(connection, heard, [0, *cuts, head])
        return kept(connection)

    assert await store.database.derive(in_pieces) == await store.database.derive(at_once)


async def test_message_by_message_the_blocks_are_the_same(store: Store) -> None:
    chance = Random(5)
    heard = heard_until(1300, 1, chance)

    def job(connection: Connection) -> None:
        begin(connection)
        fold(connection, heard, range(1301))
        apart = kept(connection)
        begin(connection)
        fold(connection, heard, [0, 1300])
        assert kept(connection) == apart
        check_reads(connection, heard, chance)

    await store.database.derive(job)


def test_numbers_are_as_wide_as_rows_say() -> None:
    assert (array("q").itemsize, array("I").itemsize) == (8, 4)
