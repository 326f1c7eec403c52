"""Who ends whom: statements in, facts out."""

import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prime.brain.facts.history import across, history
from prime.brain.facts.keys import object_key, parse_span, predicate_key, subject_key
from prime.brain.facts.records import Fact, Statement
from prime.core.errors import InvalidInput


def ms(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)


class Said:
    """Statements in the order in which they are said."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []

    def say(
        self,
        what: str,
        day: str,
        *,
        by: str = "act_ann",
        since: str | None = None,
        until: str | None = None,
        channel: str = "ch_a",
        many: bool = False,
        subject: str = "price",
    ) -> None:
        number = len(self.statements) + 1
        self.statements.append(
            Statement(
                id=f"fact_{number}", channel_id=channel, subject=subject, predicate="is", object=what,
                subject_key=subject_key(subject), predicate_key="is", object_key=object_key(what), many=many,
                source_id=f"msg_{number}", source_seq=number, actor_id=by, said_at=ms(day),
                valid_from=ms(since or day), valid_to=ms(until) if until else None, dated=since is not None,
            )
        )  # fmt: skip

    def windows(self) -> list[tuple[str, str, str | None]]:
        return [
            (f.object, _day(f.valid_from), _day(f.valid_to) if f.valid_to is not None else None) for f in self.facts()
        ]

    def facts(self) -> list[Fact]:
        return history(self.statements)


def _day(moment: int) -> str:
    return datetime.fromtimestamp(moment / 1000, UTC).date().isoformat()


@pytest.fixture
def said() -> Said:
    return Said()


@pytest.mark.holds("D-BRAIN-6")
def test_a_newer_fact_ends_an_older_one_and_deletes_nothing(said: Said) -> None:
    said.say("40", "2026-02-01")
    said.say("45", "2026-04-01", by="act_bob")
    assert said.windows() == [("40", "2026-02-01", "2026-04-01"), ("45", "2026-04-01", None)]
    first, second = said.facts()
    assert first.superseded_by == second.id


@pytest.mark.holds("D-BRAIN-6")
def test_an_older_fact_that_arrives_late_takes_its_place(said: Said) -> None:
    said.say("45", "2026-04-01")
    said.say("40", "2026-05-01", since="2026-02-01", by="act_bob")
    said.say("38", "2026-06-01", since="2026-01-01", until="2026-01-15")
    assert said.windows() == [
        ("38", "2026-01-01", "2026-01-15"),
        ("40", "2026-02-01", "2026-04-01"),
        ("45", "2026-04-01", None),
    ]
    assert [f.known_since for f in said.facts()] == [ms("2026-06-01"), ms("2026-05-01"), ms("2026-04-01")]


@pytest.mark.holds("D-BRAIN-6")
def test_what_was_ended_in_a_time_told_of_later_does_not_go_on(said: Said) -> None:
    said.say("10", "2026-01-05", by="act_owner")
    said.say("12", "2026-02-10", by="act_owner")
    said.say("11", "2026-04-09", since="2026-02-01", until="2026-03-01", by="act_owner")
    assert said.windows() == [
        ("10", "2026-01-05", "2026-02-01"),
        ("11", "2026-02-01", "2026-03-01"),
        ("12", "2026-02-10", "2026-02-10"),
        ("12", "2026-03-01", None),
    ]


@pytest.mark.holds("D-BRAIN-6")
def test_many_values_stand_side_by_side(said: Said) -> None:
    for name, day in (("Ann", "2026-01-01"), ("Bob", "2026-02-01"), ("ann", "2026-03-01")):
        said.say(name, day, many=True, subject="team")
    assert said.windows() == [("ann", "2026-01-01", None), ("Bob", "2026-02-01", None)]
    assert said.facts()[0].sources == ("msg_1", "msg_3")


@pytest.mark.holds("D-BRAIN-6")
def test_two_who_say_different_things_contradict_each_other(said: Said) -> None:
    said.say("40", "2026-02-01T10:00")
    said.say("45", "2026-02-01T11:00", by="act_bob")
    one, other = said.facts()
    assert (one.valid_to, other.valid_to) == (None, None)
    assert (one.contradicts, other.contradicts) == ((other.id,), (one.id,))
    said.say("45", "2026-02-01T12:00")  # Ann agrees after all
    one, other = said.facts()
    assert one.valid_to == ms("2026-02-01T12:00")
    assert (other.valid_to, other.said_by) == (None, ("act_bob", "act_ann"))


def test_the_same_date_said_twice_is_a_contradiction_or_a_correction(said: Said) -> None:
    said.say("40", "2026-02-01", since="2026-03-01")
    said.say("45", "2026-02-09", since="2026-03-01", by="act_bob")
    assert [bool(f.contradicts) for f in said.facts()] == [True, True]
    said.say("42", "2026-02-10", since="2026-03-01", by="act_owner")
    held = [f for f in said.facts() if f.valid_to is None]
    assert [f.object for f in held] == ["42"]


@pytest.mark.holds("D-BRAIN-6")
def test_the_owner_and_who_said_it_correct(said: Said) -> None:
    said.say("40", "2026-02-01T10:00")
    said.say("41", "2026-02-01T10:05")
    said.say("42", "2026-02-01T10:06", by="act_owner")
    assert [f.object for f in said.facts() if f.valid_to is None] == ["42"]
    assert not any(f.contradicts for f in said.facts())


@pytest.mark.holds("D-BRAIN-7")
def test_channels_do_not_end_each_others_facts(said: Said) -> None:
    said.say("40", "2026-02-01", channel="ch_a")
    said.say("45", "2026-03-01", channel="ch_b")
    assert {f.valid_to for f in said.facts()} == {None}


def test_what_is_said_again_is_one_fact_with_two_sources(said: Said) -> None:
    said.say("40 EUR", "2026-02-01")
    said.say("40 eur.", "2026-03-01", by="act_bob")
    [fact] = said.facts()
    assert (fact.sources, fact.said_by, fact.known_since) == (
        ("msg_1", "msg_2"),
        ("act_ann", "act_bob"),
        ms("2026-02-01"),
    )


@pytest.mark.holds("D-BRAIN-6")
def test_what_is_told_of_a_time_that_is_over_leaves_the_present_alone(said: Said) -> None:
    said.say("40", "2026-01-10")
    said.say("38", "2026-06-01", since="2026-03-01", until="2026-04-01", by="act_bob")
    assert said.windows() == [
        ("40", "2026-01-10", "2026-03-01"),
        ("38", "2026-03-01", "2026-04-01"),
        ("40", "2026-04-01", None),
    ]
    before, _, after = said.facts()
    assert before.id != after.id
    assert (after.sources, after.known_since, after.superseded_by) == (before.sources, before.known_since, None)
    said.say("45", "2026-03-20")  # what was said meanwhile counts more than what was said before
    assert said.windows()[-1] == ("45", "2026-03-20", None)


@pytest.mark.holds("D-BRAIN-6")
@pytest.mark.parametrize("by", ["act_owner", "act_ann"])
def test_a_time_that_is_over_is_corrected_by_the_owner_and_by_who_spoke_of_it(said: Said, by: str) -> None:
    said.say("40", "2026-03-15")
    said.say("41", "2026-06-01", since="2026-03-01", until="2026-04-01", by=by)
    assert said.windows() == [
        ("41", "2026-03-01", "2026-04-01"),
        ("40", "2026-03-15", "2026-03-15"),
        ("40", "2026-04-01", None),
    ]
    assert said.facts()[1].superseded_by == said.facts()[0].id


def test_somebody_else_corrects_nobody(said: Said) -> None:
    said.say("40", "2026-03-15")
    said.say("41", "2026-06-01", since="2026-03-01", until="2026-04-01", by="act_bob")
    assert said.windows() == [("41", "2026-03-01", "2026-03-15"), ("40", "2026-03-15", None)]


def test_the_same_told_of_a_time_that_is_over_ends_nothing(said: Said) -> None:
    said.say("40", "2026-03-15")
    said.say("40", "2026-06-01", since="2026-03-01", until="2026-04-01")
    assert said.windows() == [("40", "2026-03-01", None)]


def test_who_left_may_come_back(said: Said) -> None:
    said.say("Ann", "2024-01-01", since="2024-01-01", until="2025-01-01", many=True, subject="team")
    said.say("Ann", "2026-02-01", since="2026-01-01", many=True, subject="team")
    assert said.windows() == [("Ann", "2024-01-01", "2025-01-01"), ("Ann", "2026-01-01", None)]


Drawn = tuple[str, int, str, int | None, int | None, str]
drawn_statements: st.SearchStrategy[list[Drawn]] = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.integers(1, 9),
        st.sampled_from(["act_x", "act_y", "act_owner"]),
        st.one_of(st.none(), st.integers(1, 5)),
        st.one_of(st.none(), st.integers(6, 9)),
        st.sampled_from(["ch_a", "ch_b"]),
    ),
    max_size=12,
)


@given(drawn=drawn_statements, chance=st.randoms())
def test_facts_do_not_depend_on_the_order_in_which_statements_are_read(
    drawn: list[Drawn], chance: random.Random
) -> None:
    said = Said()
    for what, day, by, since, until, channel in drawn:
        end = f"2026-01-0{until}" if until and until > (since or day) else None
        said.say(
            what, f"2026-01-0{day}", by=by, since=f"2026-01-0{since}" if since else None, until=end, channel=channel
        )
    told = said.facts()
    # Every statement is the source of some fact, and no window is turned around.
    assert {s for f in told for s in f.sources} == {s.source_id for s in said.statements}
    assert all(f.valid_to is None or f.valid_to >= f.valid_from for f in told)
    assert len({f.id for f in told}) == len(told)
    chance.shuffle(said.statements)
    assert said.facts() == told


def test_subjects_are_compared_without_case_articles_and_endings() -> None:
    assert subject_key("The Price") == subject_key("price") == subject_key("a  PRICES")
    assert subject_key("the price of the pump") == subject_key("Price of pump")
    assert subject_key("der Preis") == subject_key("Preis")
    assert subject_key("图书馆") == subject_key("圖書館")
    assert subject_key("The Who") != ""
    assert predicate_key("was") == predicate_key("is") == predicate_key("are")
    assert predicate_key("costs") != predicate_key("is")


def test_times_that_can_be_asked_for() -> None:
    assert parse_span("2026-03", "at").begin == ms("2026-03-01")
    assert parse_span("2026-03", "at").end == ms("2026-04-01") - 1
    assert parse_span("2026", "at").end == ms("2027-01-01") - 1
    assert parse_span("2026-03-15", "at").begin == ms("2026-03-16") - 1
    assert parse_span("2026-03-15T12:30", "at").begin == ms("2026-03-15T12:30")
    assert parse_span("2026-03-15T12:30:05.250Z", "at").begin == ms("2026-03-15T12:30:05") + 250
    assert parse_span("2026-03-15T12:30+02:00", "at").begin == ms("2026-03-15T10:30")
    assert parse_span("2026-03-15T12:30:00-0530", "at").begin == ms("2026-03-15T18:00")
    for last in ("9999", "9999-12", "9999-12-31"):
        assert parse_span(last, "at").end == ms("9999-12-31T23:59:59") + 999
    for wrong in ("March", "2026-13", "2026-02-30", "", "9999999", "2026+02:00", "2026-03-01T12:30+99:99"):
        with pytest.raises(InvalidInput):
            parse_span(wrong, "at")


def test_what_is_so_no_more_ends_itself_alone(said: Said) -> None:
    said.say("our CEO", "2026-02-01", subject="Tom")
    said.say("Berlin", "2026-02-01", subject="home")
    said.say("our CEO", "2026-04-01", subject="Tom", until="2026-04-01")
    said.say("Porto", "2026-04-01", subject="home")
    said.say("Berlin", "2026-04-01", subject="home", until="2026-04-01")
    assert said.windows() == [
        ("our CEO", "2026-02-01", "2026-04-01"),
        ("Berlin", "2026-02-01", "2026-04-01"),
        ("Porto", "2026-04-01", None),
    ]
    said.say("our investor", "2026-05-01", subject="Tom")
    said.say("our CEO", "2026-06-01", subject="Tom", until="2026-06-01")
    assert ("our investor", "2026-05-01", None) in said.windows()


@pytest.mark.parametrize("mine", ["My price", "我的价格"])
def test_what_each_calls_their_own_is_no_contradiction(mine: str) -> None:
    said = Said()
    said.say("40", "2026-03-01", by="act_owner", subject=mine)
    said.say("52", "2026-03-01", by="act_shop", subject=mine)
    said.say("50", "2026-03-03", by="act_shop", subject=mine)
    assert [(f.object, f.said_by, bool(f.superseded_by), f.contradicts) for f in across(said.facts())] == [
        ("40", ("act_owner",), False, ()),
        ("52", ("act_shop",), True, ()),
        ("50", ("act_shop",), False, ()),
    ]
