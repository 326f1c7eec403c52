"""The personal account over MTProto: what comes in, what goes out, and a connection that breaks."""

import pytest
from tests.connectors.profiles.conftest import OpenOwner, Owner, Telegram
from tests.connectors.profiles.mtproto.account import Refused
from tests.connectors.profiles.mtproto.telethons import types

ANA = 42


@pytest.fixture
async def signed_in(owner: Owner, telegram: Telegram) -> Owner:
    telegram.account.person(ANA, "Ana Reyes")
    await owner.sign_in()
    return owner


async def test_a_message_becomes_a_draft_that_is_edited_approved_and_sent_once(
    signed_in: Owner, telegram: Telegram
) -> None:
    number = telegram.account.write(ANA, "Could you send me the invoice for March?")
    [draft] = await signed_in.drafts(1)
    assert (draft["status"], draft["channelId"], telegram.account.sent) == ("pending", f"ch_pp_tg_{ANA}", [])
    done = await signed_in.approve(draft["id"], text="Here is the invoice for March.")
    again = await signed_in.approve(draft["id"])
    assert (done["status"], again["status"]) == ("sent", "sent")
    [sent] = telegram.account.sent
    assert (sent.peer, sent.text, sent.reply_to) == (ANA, "Here is the invoice for March.", number)
    await telegram.until(lambda: telegram.account.read == {ANA: number})
    assert [m["text"] for m in await signed_in.said(ANA)] == [
        "Could you send me the invoice for March?",
        "Here is the invoice for March.",
    ]


async def test_only_conversations_that_exist_are_heard(signed_in: Owner, telegram: Telegram) -> None:
    account = telegram.account
    account.write(account.person(50, "A stranger", talked=False), "Buy now!")
    account.write(account.person(51, "A robot", bot=True), "Beep")
    account.write(account.group(60, "The club"), "Hello all")
    account.write(1000, "A note to myself", out=True)
    account.write(account.person(52, "Bo", contact=True, talked=False), "Hi, it is Bo")
    account.write(ANA, "Hi, it is Ana")
    drafts = await signed_in.drafts(2)
    assert sorted(str(d["channelId"]) for d in drafts) == ["ch_pp_tg_42", "ch_pp_tg_52"]
    channels = (await signed_in.http.get("/api/channels")).json()["items"]
    assert {c["id"] for c in channels if c["id"].startswith("ch_pp_")} == {"ch_pp_tg_42", "ch_pp_tg_52"}


async def test_messages_keep_their_order_and_one_is_one(signed_in: Owner, telegram: Telegram) -> None:
    texts = [f"Part {n}" for n in range(12)]
    for text in texts:
        telegram.account.write(ANA, text, short=text.endswith("5"))
    await signed_in.drafts(len(texts))
    assert [m["text"] for m in await signed_in.said(ANA)] == texts


async def test_an_edit_replaces_the_draft_and_a_reaction_does_not(signed_in: Owner, telegram: Telegram) -> None:
    number = telegram.account.write(ANA, "When do you open?")
    [first] = await signed_in.drafts(1)
    telegram.account.messages[ANA][-1].edit_hide = True
    telegram.account.edit(ANA, number, "When do you open?")
    telegram.account.messages[ANA][-1].edit_hide = None
    telegram.account.edit(ANA, number, "When do you close?")
    both = await signed_in.drafts(2)
    assert {d["id"]: d["status"] for d in both}[first["id"]] == "rejected"
    assert both[0]["trigger"] == "When do you close?"
    assert [m["text"] for m in await signed_in.said(ANA) if m["kind"] == "edit"] == ["When do you close?"]


async def test_replies_name_what_they_answer(signed_in: Owner, telegram: Telegram) -> None:
    first = telegram.account.messages[ANA][0].id
    telegram.account.write(ANA, "Yes, that one", reply_to=first)
    await signed_in.drafts(1)
    [said] = await signed_in.said(ANA)
    assert said["body"]["inbound"]["replyTo"] == str(first)


async def test_files_become_attachments_and_others_a_note(signed_in: Owner, telegram: Telegram) -> None:
    account = telegram.account
    content = bytes(range(256)) * 600  # more than one request's worth
    account.write(ANA, "The plan", media=account.file(content, "plan.bin", "application/x-plan"))
    account.write(ANA, "", media=account.file(b"", "film.mp4", "video/mp4", size=3_000_000_000))
    account.write(ANA, "", media=types.MessageMediaGeo(types.GeoPoint(1.0, 2.0, 0)))
    await signed_in.drafts(3)
    plan, film, place = await signed_in.said(ANA)
    [attachment] = plan["body"]["attachmentIds"]
    assert (await signed_in.http.get(f"/api/attachments/{attachment}")).content == content
    assert ("film.mp4" in str(film["text"]), "too large" in str(film["text"])) == (True, True)
    assert "geo" in str(place["text"])


async def test_a_file_that_cannot_be_fetched_does_not_lose_the_message(signed_in: Owner, telegram: Telegram) -> None:
    account = telegram.account
    account.trouble["upload.GetFile"] += [Refused(400, "FILE_REFERENCE_EXPIRED")] * 3
    account.write(ANA, "The plan", media=account.file(b"x", "plan.txt", "text/plain"))
    await signed_in.drafts(1)
    [said] = await signed_in.said(ANA)
    assert said["text"] == "The plan\n[plan.txt: could not be fetched]"


async def test_what_the_owner_read_or_answered_elsewhere(signed_in: Owner, telegram: Telegram) -> None:
    telegram.account.write(ANA, "Are you there?")
    [draft] = await signed_in.drafts(1)

    async def unread() -> int:
        return (await signed_in.http.get(f"/api/channels/ch_pp_tg_{ANA}")).json()["unread"]

    async def is_read() -> bool:
        return await unread() == 0

    assert await unread() > 0
    own = telegram.account.write(ANA, "Yes, I am", out=True)
    telegram.account.read_elsewhere(ANA, own)
    [rejected] = await signed_in.drafts(1, "rejected")
    assert (rejected["id"], rejected["reason"]) == (draft["id"], "You answered it yourself.")
    await signed_in.until(is_read)
    assert telegram.account.sent == []


async def test_a_cut_connection_comes_again_and_misses_nothing(signed_in: Owner, telegram: Telegram) -> None:
    await telegram.until(lambda: "updates.GetDifference" in telegram.account.asked)
    telegram.account.write(ANA, "While the line was dead", quietly=True)
    telegram.centre.change_salt()
    telegram.centre.cut()
    [draft] = await signed_in.drafts(1)
    assert (await signed_in.approve(draft["id"], text="I am back."))["status"] == "sent"
    assert [s.text for s in telegram.account.sent] == ["I am back."]


async def test_what_came_while_it_was_off_is_there_at_the_next_start(signed_in: Owner, telegram: Telegram) -> None:
    await signed_in.http.post("/api/connectors/telegram/disconnect")
    telegram.account.write(ANA, "Nobody is there")
    assert (await signed_in.connect("telegram"))["state"] == "connected"
    [draft] = await signed_in.drafts(1)
    assert draft["trigger"] == "Nobody is there"


async def test_a_draft_of_an_earlier_start_goes_out(open_owner: OpenOwner, telegram: Telegram) -> None:
    """A new start knows nobody, and Telegram lets nobody be written to who was not shown first."""
    telegram.account.person(ANA, "Ana Reyes")
    first = await open_owner()
    await first.sign_in()
    telegram.account.write(ANA, "Before")
    [waiting] = await first.drafts(1)
    second = await open_owner()
    assert (await second.approve(waiting["id"], text="Yes."))["status"] == "sent"
    telegram.account.write(ANA, "After")
    assert len(await second.drafts(2)) == 2
    assert [m["text"] for m in await second.said(ANA)] == ["Before", "Yes.", "After"]


@pytest.mark.long
async def test_a_telegram_that_is_long_away_comes_again_and_gets_nothing_late(
    signed_in: Owner, telegram: Telegram
) -> None:
    """For so long that the client gives up: what it was to send meanwhile must not follow when nobody expects it."""
    telegram.account.write(ANA, "Before")
    [before] = await signed_in.drafts(1)
    await telegram.centre.close()
    assert (await signed_in.approve(before["id"]))["status"] == "uncertain"

    async def is_failed() -> bool:
        return (await signed_in.http.get("/api/connectors/telegram")).json()["status"]["state"] == "failed"

    await signed_in.until(is_failed)
    telegram.account.write(ANA, "Anybody?")
    await telegram.centre.open()
    after, _ = await signed_in.drafts(2)
    assert (await signed_in.approve(after["id"], text="Yes."))["status"] == "sent"
    assert [sent.text for sent in telegram.account.sent] == ["Yes."]


async def test_a_long_flood_wait_is_told_and_nothing_is_sent(signed_in: Owner, telegram: Telegram) -> None:
    telegram.account.write(ANA, "When do you open?")
    [draft] = await signed_in.drafts(1)
    telegram.account.trouble["messages.SendMessage"] = [Refused(420, "FLOOD_WAIT_3600")]
    back = await signed_in.approve(draft["id"])
    assert (back["status"], "3600 s" in str(back["reason"]), telegram.account.sent) == ("pending", True, [])


async def test_an_answer_that_is_lost_sends_once(signed_in: Owner, telegram: Telegram) -> None:
    """The connection breaks after Telegram has taken it: the client asks again with the same number."""
    telegram.account.write(ANA, "When do you open?")
    [draft] = await signed_in.drafts(1)
    telegram.account.lost["messages.SendMessage"] = 1
    done = await signed_in.approve(draft["id"], text="At nine.")
    assert (done["status"], [s.text for s in telegram.account.sent]) == ("sent", ["At nine."])
    assert telegram.account.asked.count("messages.SendMessage") > 1


@pytest.mark.parametrize(("newer", "status"), [(3, "pending"), (40, "uncertain")])
async def test_what_cannot_be_told_stays_open(signed_in: Owner, telegram: Telegram, newer: int, status: str) -> None:
    """Telegram fails, and the conversation says that nothing arrived, or has gone on for too long to say so."""
    telegram.account.write(ANA, "When do you open?")
    [draft] = await signed_in.drafts(1)
    for number in range(newer):
        telegram.account.write(ANA, f"Also {number}", quietly=True)
    telegram.account.trouble["messages.SendMessage"] = [Refused(400, "INPUT_METHOD_INVALID")]
    assert (await signed_in.approve(draft["id"]))["status"] == status
    assert telegram.account.sent == []


async def test_whom_telegram_refuses_is_pending_again(signed_in: Owner, telegram: Telegram) -> None:
    telegram.account.write(ANA, "When do you open?")
    [draft] = await signed_in.drafts(1)
    telegram.account.trouble["messages.SendMessage"] = [Refused(400, "USER_IS_BLOCKED")]
    assert (await signed_in.approve(draft["id"]))["status"] == "pending"


async def test_the_style_is_learned_beside_it(owner: Owner, telegram: Telegram) -> None:
    account = telegram.account
    account.person(ANA, "Ana Reyes")
    for n in range(6):
        account.write(ANA, f"Hey, number {n} is done. Cheers, Al", out=True, quietly=True)
    account.trouble["messages.GetDialogs"].append(Refused(420, "FLOOD_WAIT_900"))
    await owner.sign_in()
    account.write(ANA, "Hi?")
    assert len(await owner.drafts(1)) == 1
    assert (await owner.connect("telegram"))["state"] == "connected"

    async def is_learned() -> bool:
        return "cheers" in (await owner.prime.parts.gate.style.get("telegram")).text()

    await owner.until(is_learned)
