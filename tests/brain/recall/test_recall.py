from typing import Protocol

import pytest

from prime.brain.recall import Found
from prime.core.clock import FakeClock
from prime.core.errors import InvalidInput
from prime.store.store import Store


class Talk(Protocol):
    store: Store
    clock: FakeClock

    async def say(self, text: str, *, channel: str = "ch_a", actor: str = "act_ann", **fields: object) -> str: ...
    async def pause(self, hours: float = 24) -> None: ...
    async def person(self, actor_id: str, name: str) -> None: ...
    async def room(self, channel_id: str, name: str, *members: str) -> None: ...
    async def find(self, query: str, *, limit: int = 20, cursor: int | None = None) -> Found: ...
    async def find_from(self, channel_id: str, query: str, *, limit: int = 20, cursor: int | None = None) -> Found: ...
    async def texts(self, query: str, *, limit: int = 20) -> list[str]: ...


def marked(found: Found) -> list[list[str]]:
    return [[piece.text for piece in hit.snippet if piece.match] for hit in found.hits]


async def apart(talk: Talk, *texts: str, actor: str = "act_ann") -> None:
    """Say each with a pause before it, so that none is context of another."""
    for text in texts:
        await talk.pause()
        await talk.say(text, actor=actor)


async def test_words_are_found_in_any_form(talk: Talk) -> None:
    await apart(talk, "We bought the painting in Lisbon", "Nothing to see", "She paints every day")
    assert await talk.texts("paintings bought") == ["We bought the painting in Lisbon", "She paints every day"]
    assert await talk.texts("who buys a painting?") == ["We bought the painting in Lisbon", "She paints every day"]
    assert await talk.texts("submarine") == []


async def test_more_words_count_more_than_the_same_word_again(talk: Talk) -> None:
    await apart(
        talk, "budget budget budget", "the budget of the lighthouse", "lighthouse", "something else", "more words"
    )
    assert (await talk.texts("budget lighthouse"))[0] == "the budget of the lighthouse"


async def test_neighbours_are_context(talk: Talk) -> None:
    await talk.say("An unrelated opening")
    await talk.pause()
    for text in ("Which hotel did you take in Kyoto?", "The one by the river, it was quiet", "And dear?", "No, cheap"):
        await talk.say(text)
    found = await talk.texts("hotel in Kyoto")
    assert found[:2] == ["Which hotel did you take in Kyoto?", "The one by the river, it was quiet"]
    assert "An unrelated opening" not in found
    assert "No, cheap" not in found


async def test_the_file_is_found_by_its_note_and_by_what_was_said_about_it(talk: Talk) -> None:
    await talk.say("Here is the deck for Tuesday")
    note = await talk.say(
        "A presentation of 12 pages. Revenue grew to 4.2 million.", kind="note", body={"name": "q3.pdf"}
    )
    await apart(talk, "Lunch?", "Later", "The weather figure was wrong")
    found = await talk.find("the revenue figure in that deck")
    assert found.hits[0].message_id == note
    assert (await talk.find("q3.pdf")).hits[0].message_id == note
    assert [hit.message_id for hit in (await talk.find("kind:note")).hits] == [note]
    assert [hit.message_id for hit in (await talk.find("revenue kind:note")).hits] == [note]


async def test_a_file_called_by_its_kind_comes_first(talk: Talk) -> None:
    await apart(talk, "Here is the deck for the board")
    await talk.say("Noted.", actor="act_prime")
    note = await talk.say(
        "harbour.pdf: 3 pages. Figures: 8.4 %, 5.1 %. Names: Lena Fischer, Tomas Novak. It begins: Harbour Kiosk, autumn review.",
        kind="note",
        body={"name": "harbour.pdf", "content": "Harbour Kiosk, autumn review. Churn by month. " * 8},
    )
    await talk.pause(24 * 21)
    for text in ("The figure skating final is on Sunday", "The gym is shut", "A printer arrived on deck B", "Lunch?"):
        await talk.say(text)
    for query in ("the figure in that deck", "figure in the presentation", "figures in the slides"):
        assert (await talk.find(query)).hits[0].message_id == note, query
    picture = await talk.say("IMG_2041.jpg: 厨房 窗户 油漆", kind="note", body={"name": "IMG_2041.jpg"})
    await apart(talk, "厨房的窗户要刷油漆", "厨房 厨房")
    assert (await talk.find("厨房那张照片")).hits[0].message_id == picture


async def test_a_question_without_its_mark_stands_behind_what_answers_it(talk: Talk) -> None:
    await apart(talk, "咖啡机的价格是多少", "咖啡机的价格是三千", "咖啡机的价格是什么呢")
    assert (await talk.texts("咖啡机的价格"))[0] == "咖啡机的价格是三千"


async def test_a_summary_stands_behind_what_it_repeats(talk: Talk) -> None:
    await apart(talk, "We agreed on 45 EUR for the lantern")
    for _ in range(3):
        await talk.pause()
        await talk.say("Lantern: 45 EUR", kind="state", audience="hub")
    await apart(talk, "Lunch?", "Later")
    found = await talk.find("lantern EUR")
    assert [hit.kind for hit in found.hits] == ["text", "state", "state", "state"]
    assert [hit.kind for hit in (await talk.find("kind:state lantern")).hits] == ["state"] * 3


async def test_feed_items_are_found(talk: Talk) -> None:
    body = {"title": "Payment terms", "outcome": "surfaced"}
    item = await talk.say("They accept 60 days", kind="decision", audience="hub", body=body)
    silent = await talk.say("Not worth a word", kind="decision", audience="hub", body={"outcome": "silent"})
    hit = (await talk.find("payment terms")).hits[0]
    assert (hit.message_id, hit.feed_item_id, hit.kind) == (item, item, "decision")
    assert {h.message_id: h.feed_item_id for h in (await talk.find("kind:feed")).hits} == {silent: None, item: item}


async def test_phrases_hold_word_by_word(talk: Talk) -> None:
    await apart(talk, "the price of the launch", "launch the price war", "to be or not to be", "price")
    assert await talk.texts('"price of the launch"') == ["the price of the launch"]
    assert set(await talk.texts('"The PRICE" war')) == {"the price of the launch", "launch the price war"}
    assert set(await talk.texts('"the price"')) == {"the price of the launch", "launch the price war"}
    assert await talk.texts('"to be or not to be"') == ["to be or not to be"]
    assert await talk.texts('"price launch"') == []
    assert await talk.texts('price -"the price"') == ["price"]
    for quoted in (
        "“price of the launch”",
        "„price of the launch“",
        "«price of the launch»",
        "「price of the launch」",
    ):
        assert await talk.texts(quoted) == ["the price of the launch"]


async def test_a_title_in_a_question_is_not_required(talk: Talk) -> None:
    await talk.say("I watched Little Women last night")
    await talk.say("It is about sisters who grow up")
    assert len(await talk.texts('What is "Little Women" about?')) == 2
    assert await talk.texts('"Little Women"') == ["I watched Little Women last night"]


async def test_negation(talk: Talk) -> None:
    await apart(talk, "red apple", "green apple", "apples of any colour")
    assert set(await talk.texts("apple -green")) == {"red apple", "apples of any colour"}
    assert set(await talk.texts("-apples")) == set()
    assert await talk.texts("apple -red -colours") == ["green apple"]


async def test_filters(talk: Talk) -> None:
    await talk.person("act_ann", "Ann Lee")
    await talk.person("act_bob", "Bob")
    await talk.room("ch_a", "Sales team")
    await talk.room("ch_b", "Kitchen")
    await talk.say("the invoice is open", actor="act_ann", channel="ch_a")  # 2026-01-01
    await talk.pause(24 * 31)
    await talk.say("the invoice is paid", actor="act_bob", channel="ch_b")  # 2026-02-01
    assert await talk.texts("invoice from:ann") == ["the invoice is open"]
    assert await talk.texts('invoice from:"Ann Lee"') == ["the invoice is open"]
    assert await talk.texts("invoice -from:act_ann") == ["the invoice is paid"]
    assert await talk.texts("from:bob") == ["the invoice is paid"]
    assert await talk.texts("from:nobody invoice") == []
    assert await talk.texts("invoice in:sales") == ["the invoice is open"]
    assert await talk.texts("in:ch_b") == ["the invoice is paid"]
    assert await talk.texts("in:b") == ["the invoice is paid"]
    assert await talk.texts("invoice -in:kitchen") == ["the invoice is open"]
    assert await talk.texts("invoice before:2026-02") == ["the invoice is open"]
    assert await talk.texts("invoice after:2026-01-15") == ["the invoice is paid"]
    assert await talk.texts("after:2026-01-15 before:2026-03-01") == ["the invoice is paid"]
    assert await talk.texts("invoice kind:note") == []
    assert len(await talk.texts("invoice kind:text")) == 2
    assert await talk.texts("invoice from:@ann in:#sales") == ["the invoice is open"]
    assert await talk.texts("invoice after:2026-01-15T10:30:00.000+02:00") == ["the invoice is paid"]


async def test_a_name_finds_what_was_said_to_and_by_its_owner(talk: Talk) -> None:
    await talk.person("act_ann", "Caroline")
    await talk.person("act_bob", "Mel")
    await apart(talk, "I adopted a cat", actor="act_ann")
    await apart(talk, "Good morning Caroline", "I adopted a dog", actor="act_bob")
    assert (await talk.texts("What did Caroline adopt?"))[0] == "I adopted a cat"
    assert (await talk.texts("What did Mel adopt?"))[0] == "I adopted a dog"
    assert await talk.texts("caroline") == ["Good morning Caroline", "I adopted a cat"]
    await talk.person("act_ann", "Carla")
    assert (await talk.texts("What did Carla adopt?"))[0] == "I adopted a cat"


async def test_a_date_in_the_question_counts(talk: Talk) -> None:
    for day in range(10):
        await talk.say(f"We met the retailer, round {day}")
        await talk.pause(24 * 7)
    assert (await talk.texts("What did the retailer say in February 2026?"))[0][-1] in "5678"
    assert (await talk.texts("the retailer on 15 January"))[0] == "We met the retailer, round 2"
    assert (await talk.texts("retailer 2026-01-22"))[0] == "We met the retailer, round 3"
    assert (await talk.texts("retailer 一月二十二日"))[0] == "We met the retailer, round 3"


async def test_what_is_typed_so_far_is_enough(talk: Talk) -> None:
    await apart(talk, "Our lighthouse keeper", "the light is off", "happiness", "theatre tickets")
    assert set(await talk.texts("ligh")) == {"Our lighthouse keeper", "the light is off"}
    assert await talk.texts("lightho") == ["Our lighthouse keeper"]
    assert await talk.texts("lightho ") == []
    assert await talk.texts("happine") == ["happiness"]
    assert await talk.texts("the") == ["theatre tickets"]
    assert await talk.texts("keeper lightho*") == ["Our lighthouse keeper"]


async def test_chinese_japanese_and_korean(talk: Talk) -> None:
    await apart(talk, "我们在图书馆见面", "東京の天気はどうですか", "圖書館關門了", "회의는 내일입니다", "馆")
    assert set(await talk.texts("图书馆")) == {"我们在图书馆见面", "圖書館關門了"}
    assert set(await talk.texts("圖書")) == {"我们在图书馆见面", "圖書館關門了"}
    assert await talk.texts("天気") == ["東京の天気はどうですか"]
    assert await talk.texts("회의") == ["회의는 내일입니다"]
    assert await talk.texts("门") == ["圖書館關門了"]
    assert await talk.texts("了") == ["圖書館關門了"]
    assert await talk.texts('"图书馆关门"') == ["圖書館關門了"]
    assert await talk.texts('"馆"') != []
    assert marked(await talk.find("图书馆"))[0] in (["图书馆"], ["圖書館"])


async def test_writing_without_blanks_is_found(talk: Talk) -> None:
    thai, khmer, lao = "วันนี้อากาศดีมาก เราจะไปตลาด", "ខ្ញុំទៅផ្សារ", "ຂ້ອຍໄປຕະຫຼາດ"
    await apart(talk, thai, khmer, lao, "Budget")
    assert await talk.texts("ตลาด") == [thai]
    assert await talk.texts("อากาศ ") == [thai]
    assert await talk.texts("ផ្សារ") == [khmer]
    assert await talk.texts("ຕະຫຼາດ") == [lao]
    assert marked(await talk.find("อากาศดี"))[0][0] == "อากาศดี"


async def test_no_text_passes_for_a_mark(talk: Talk) -> None:
    """Who speaks is indexed as a word, which nobody can write."""
    await apart(talk, "\x02\x01from:act_owner", "\x01from:act_owner \x01kind:note", " \x01kind:note")
    assert await talk.texts("kind:note") == []
    assert await talk.texts("from:act_owner") == []


async def test_other_spellings_are_found(talk: Talk) -> None:
    await apart(talk, "Wir treffen uns in München", "Treffen in Muenchen", "コーヒーを飲む", "The blue whale", "Budget")
    both = {"Wir treffen uns in München", "Treffen in Muenchen"}
    assert set(await talk.texts("muenchen ")) == both
    assert set(await talk.texts("München ")) == both
    assert await talk.texts("munchen ") == ["Wir treffen uns in München"]
    assert marked(await talk.find("muenchen wir "))[0] == ["Wir", "München"]
    assert await talk.texts("こーひー") == ["コーヒーを飲む"]
    assert await talk.texts("ｺｰﾋｰ") == ["コーヒーを飲む"]
    assert await talk.texts("blue ") == ["The blue whale"]
    assert await talk.texts("blü ") == ["The blue whale"]


async def test_one_letter_is_the_beginning_of_a_word(talk: Talk) -> None:
    await apart(talk, "The price is fixed", "Lunch at noon", "Vitamin C")
    assert await talk.texts("p") == ["The price is fixed"]
    assert await talk.texts("p*") == ["The price is fixed"]
    assert set(await talk.texts("noon p*")) == {"Lunch at noon", "The price is fixed"}
    assert await talk.texts("vitamin p") == ["Vitamin C"]  # a word of its own
    assert await talk.texts("vitamin c") == ["Vitamin C"]
    assert await talk.texts("q*") == []


async def test_a_word_of_a_question_that_nobody_said_stands_for_its_beginning(talk: Talk) -> None:
    await apart(talk, "He likes music", "Photos of the lake", "Her reaction was odd")
    assert await talk.texts("is he a musician?") == ["He likes music"]
    assert await talk.texts("what was her reaction?") == ["Her reaction was odd"]
    assert await talk.texts("who does photography?") == ["Photos of the lake"]
    assert await talk.texts("who was lakeside?") == []  # four letters are the beginning of too much
    assert await talk.texts("musician ") == []


async def test_who_is_named_first_is_asked_about(talk: Talk) -> None:
    await talk.person("act_ann", "Ann")
    await talk.person("act_bob", "Bob")
    await apart(talk, "I bought a kayak today", "something else")
    await apart(talk, "I bought a kayak today", actor="act_bob")

    async def first(question: str) -> str:
        return (await talk.find(question)).hits[0].actor_id

    assert await first("What kayak did Ann buy from Bob?") == "act_ann"
    assert await first("What kayak did Bob buy from Ann?") == "act_bob"
    found = await talk.find("What kayak did Ann and Bob buy?")
    assert found.hits[0].score == found.hits[1].score


async def test_only_common_words(talk: Talk) -> None:
    await apart(talk, "who is it", "it is what it is", "nothing here")
    assert await talk.texts("what is it?") == ["it is what it is"]
    assert set(await talk.texts("is it ")) == {"who is it", "it is what it is"}


async def test_pictures_alone(talk: Talk) -> None:
    await apart(talk, "Party 🎉 tonight 🚀", "a rocket 🚀", "nothing")
    assert await talk.texts("🚀 🎉") == ["Party 🎉 tonight 🚀"]
    assert len(await talk.texts("from:act_ann 🚀")) == 2
    [hit] = (await talk.find("🎉")).hits
    assert [piece.text for piece in hit.snippet if piece.match] == ["🎉"]


async def test_snippets_show_where(talk: Talk) -> None:
    await talk.say("word " * 200 + "the <b>Kyoto</b> hotels " + "more " * 200)
    [hit] = (await talk.find("hotel kyoto")).hits
    text = "".join(piece.text for piece in hit.snippet)
    assert [piece.text for piece in hit.snippet if piece.match] == ["Kyoto", "hotels"]
    assert text.startswith("…")
    assert text.endswith("…")
    assert len(text) < 300


@pytest.mark.holds("D-BRAIN-3")
async def test_pages_are_stable_while_the_log_grows(talk: Talk) -> None:
    for number in range(40):
        await talk.say(f"apple {number} " + "and more " * (number % 7), channel=f"ch_{number % 3}")
        if number % 5 == 0:
            await talk.pause()
    whole = [hit.message_id for hit in (await talk.find("apple pie", limit=100)).hits]
    assert len(whole) == 40
    paged: list[str] = []
    cursor = None
    while True:
        page = await talk.find("apple pie", limit=7, cursor=cursor)
        paged += [hit.message_id for hit in page.hits]
        cursor = page.next_cursor
        if cursor is None:
            break
        await talk.say("apple pie pie apple", channel=f"ch_{len(paged) % 4}")
    assert paged == whole


async def test_all_pages_together_are_all_that_was_said_far_apart(talk: Talk) -> None:
    await apart(talk, *("launch w3" if number % 2 else "launch" for number in range(120)))
    paged: list[str] = []
    cursor = None
    while len(paged) < 200:
        page = await talk.find("launch w3", limit=20, cursor=cursor)
        paged += [hit.message_id for hit in page.hits]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(set(paged)) == len(paged) == 120


async def test_scores_of_a_later_page_are_those_of_the_first(talk: Talk) -> None:
    for number in range(12):
        await talk.say(f"apple number {number}", channel=f"ch_{number % 2}")
    first = await talk.find("apple number", limit=5)
    whole = await talk.find("apple number", limit=12)
    await talk.say("apple number apple number", channel="ch_0")
    await talk.say("apple number apple number", channel="ch_new")
    second = await talk.find("apple number", limit=7, cursor=first.next_cursor)
    assert (*first.hits, *second.hits) == whole.hits


async def test_what_is_erased_is_gone(talk: Talk) -> None:
    secret = await talk.say("the password is swordfish")
    await talk.say("ordinary words")
    assert await talk.texts("swordfish") != []
    await talk.store.log.erase([secret], by="act_owner")
    assert await talk.texts("swordfish") == []
    assert await talk.texts("password") == []
    assert (await talk.find("swordf")).hits == ()


ODD = ["", "   ", '"', '""', "-", "--", '-"', "from:", "in:", "before:", "before:yesterday", "after:2026-99-99", "kind:x",
    'from:"', "*", "***", "a*", "\x00", "\ud800", "\U0010ffff", "'; DROP TABLE recall_term; --", "%", "_", "(", "AND OR NOT",
    "x" * 5000, "word " * 2000, '"' + "the " * 500 + '"', "before:0000", "after:9999-12-31", "31 February", "2026-13",
    "99 June 9999", "-from:x -in:y -kind:z -before:2026", "13月", "0年0月0日", "🙂", "\u0301", "ﷺ",
    "in:\x01", "\x01from:act_ann"]  # fmt: skip


@pytest.mark.holds("D-BRAIN-3")
async def test_nothing_that_can_be_typed_breaks(talk: Talk) -> None:
    await talk.say("some words the others know, and 🙂")
    await talk.room("ch_a", "A")
    for query in ODD:
        await talk.find(query)
        await talk.find_from("ch_a", query)


async def test_pages_of_a_channel_are_of_the_same_moment_too(talk: Talk) -> None:
    await talk.room("ch_a", "Sales")
    for number in range(30):
        await talk.say(f"elsewhere {number}", channel="ch_b")
    for number in range(12):
        await talk.say(f"apple number {number}", channel="ch_a")
    first = await talk.find_from("ch_a", "apple", limit=7)
    await talk.say("apple apple apple", channel="ch_a")
    second = await talk.find_from("ch_a", "apple", limit=7, cursor=first.next_cursor)
    assert len({hit.message_id for hit in (*first.hits, *second.hits)}) == 12
    assert second.next_cursor is None
    assert first.next_cursor is not None
    assert first.next_cursor < 20 * 1000  # a position of this conversation: nothing of how much is said elsewhere
    assert len((await talk.find_from("ch_a", "apple", cursor=10**30)).hits) <= 13


async def test_limits_and_cursors_are_checked(talk: Talk) -> None:
    for limit in (0, -1, 101):
        with pytest.raises(InvalidInput):
            await talk.find("x", limit=limit)
    with pytest.raises(InvalidInput):
        await talk.find("x", cursor=-5)
    assert (await talk.find("x", cursor=10**17)).hits == ()


async def test_a_participant_finds_the_channel_and_nothing_else(talk: Talk) -> None:
    await talk.person("act_ann", "Ann")
    await talk.room("ch_a", "A", "act_ann")
    await talk.room("ch_b", "B", "act_ann")
    here = await talk.say("the margin is fine", channel="ch_a")
    await talk.say("the margin is 40 percent", channel="ch_b")
    await talk.say("they must not learn the margin", channel="ch_a", audience="hub")
    await talk.say("thinking of the margin", channel="ch_a", kind="thought")
    await talk.say("the margin of all", channel="ch_hub")
    for query in (
        "margin",
        "marg",
        '"the margin"',
        "from:ann",
        "margin in:B",
        "in:A margin",
        "-x",
        "kind:thought",
        "the",
    ):
        assert {hit.message_id for hit in (await talk.find_from("ch_a", query)).hits} <= {here}, query
    assert [hit.message_id for hit in (await talk.find_from("ch_a", "margin")).hits] == [here]
    assert len((await talk.find_from("ch_hub", "margin")).hits) == 5
