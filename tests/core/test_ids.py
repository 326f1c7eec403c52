from itertools import count, product

from prime.core.ids import Moment, new_id, new_message_id

PREFIXES = ("act", "ch", "ch_net", "gst", "ses", "task", "q", "att", "mct")
HUNDREDTH_NS = 10_000_000


def test_ids_are_prefixed_and_differ() -> None:
    made = {new_id("msg") for _ in range(1000)} | {new_message_id() for _ in range(1000)}
    assert len(made) == 2000
    assert all(i.startswith("msg_") and len(i) == 24 for i in made)


def test_messages_of_one_moment_begin_alike_and_in_no_order() -> None:
    moment = Moment(lambda: 7)
    assert {len(moment.letters()) for _ in range(100)} == {4}
    assert len({moment.letters() for _ in range(100)}) == 1
    made = [new_message_id() for _ in range(50)]
    assert made != sorted(made)
    # `msg_`, the moment's four letters, and a few by chance.
    assert max(_common(a, b) for a, b in product(made, made) if a != b) < 16


def test_a_moment_is_one_of_the_clock_however_much_is_written_in_it() -> None:
    """The beginning says nothing of how many there were, and the next one nothing of the last."""
    ticks = count()
    moment = Moment(lambda: next(ticks) * HUNDREDTH_NS // 1000)
    seen = [moment.letters() for _ in range(50_000)]
    assert [len(set(seen[at : at + 1000])) for at in range(0, 50_000, 1000)] == [1] * 50
    firsts = seen[::1000]
    assert len(set(firsts)) > 45  # two may be the same by chance
    assert firsts != sorted(firsts)


def test_names_of_everything_else_share_nothing() -> None:
    """Whoever holds one of these may not be able to tell when another was made: they are shown without a time."""
    for prefix in PREFIXES:
        made = [new_id(prefix).removeprefix(f"{prefix}_") for _ in range(64)]
        assert len({name[:4] for name in made}) > 50


def test_a_split_process_begins_anew() -> None:
    moment = Moment(lambda: 7)
    before = moment.letters()
    moment.forget()
    assert moment.letters() != before


def _common(a: str, b: str) -> int:
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=True)) if x != y), len(a))
