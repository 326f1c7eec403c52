"""Signing in to the personal account over MTProto: codes, the two-step password, refusals, and sessions that end."""

import pytest
from tests.connectors.profiles.conftest import CREDENTIALS, OpenOwner, Owner, Telegram
from tests.connectors.profiles.mtproto.account import CODE, PASSWORD, Refused


async def test_a_code_signs_in_and_the_session_is_kept(open_owner: OpenOwner, telegram: Telegram) -> None:
    owner = await open_owner()
    asked = await owner.connect("telegram", **CREDENTIALS)
    assert (asked["state"], "code" in str(asked["asks"])) == ("asking", True)
    wrong = await owner.answer(code="11111")
    assert (wrong["state"], "code" in str(wrong["detail"])) == ("asking", True)
    done = await owner.answer(code=CODE)
    assert (done["state"], done["facts"]) == ("connected", {"account": "Alex"})
    shown = (await owner.http.get("/api/connectors/telegram")).text
    kept = await owner.prime.parts.secrets.find("connector:telegram:session")
    assert kept
    assert kept not in shown
    again = await open_owner()
    status = (await again.http.get("/api/connectors/telegram")).json()["status"]
    assert (status["state"], telegram.account.codes, telegram.centre.exchanges) == ("connected", 1, 1)


async def test_an_expired_code_is_followed_by_another(owner: Owner, telegram: Telegram) -> None:
    await owner.connect("telegram", **CREDENTIALS)
    telegram.account.trouble["auth.SignIn"].append(Refused(400, "PHONE_CODE_EXPIRED"))
    late = await owner.answer(code=CODE)
    assert (late["state"], "another" in str(late["detail"]), telegram.account.codes) == ("asking", True, 2)
    assert (await owner.answer(code=CODE))["state"] == "connected"


async def test_the_two_step_password(owner: Owner, telegram: Telegram) -> None:
    telegram.account.has_password = True
    await owner.connect("telegram", **CREDENTIALS)
    asked = await owner.answer(code=CODE)
    assert [a["name"] for a in asked["asks"]] == ["password"]
    wrong = await owner.answer(password="not it")
    assert (wrong["state"], "password" in str(wrong["detail"])) == ("asking", True)
    assert (await owner.answer(password=PASSWORD))["state"] == "connected"


@pytest.mark.parametrize(
    ("settings", "status", "word"),
    [({"api_hash": "bad"}, 400, "API id"), ({"phone": "+15550000"}, 400, "phone")],
)
async def test_what_telegram_does_not_take_is_said(
    owner: Owner, telegram: Telegram, settings: dict[str, str], status: int, word: str
) -> None:
    await owner.http.put("/api/connectors/telegram", json={"settings": {**CREDENTIALS, **settings}})
    answer = await owner.http.post("/api/connectors/telegram/connect")
    assert (answer.status_code, word in answer.text) == (status, True)
    assert telegram.account.codes == 0


async def test_too_many_codes_are_told_with_the_time_to_wait(owner: Owner, telegram: Telegram) -> None:
    telegram.account.trouble["auth.SendCode"].append(Refused(420, "FLOOD_WAIT_3600"))
    await owner.http.put("/api/connectors/telegram", json={"settings": CREDENTIALS})
    answer = await owner.http.post("/api/connectors/telegram/connect")
    assert (answer.status_code, "3600 s" in answer.text) == (429, True)


@pytest.mark.long
async def test_a_telegram_that_is_away_is_said(owner: Owner, telegram: Telegram) -> None:
    await telegram.centre.close()
    await owner.http.put("/api/connectors/telegram", json={"settings": CREDENTIALS})
    answer = await owner.http.post("/api/connectors/telegram/connect")
    assert (answer.status_code, "cannot be reached" in answer.text) == (503, True)
    await telegram.centre.open()


async def test_a_session_that_telegram_forgot_is_begun_anew(open_owner: OpenOwner, telegram: Telegram) -> None:
    await (await open_owner()).sign_in()
    telegram.centre.forget_keys()
    owner = await open_owner()
    status = (await owner.http.get("/api/connectors/telegram")).json()["status"]
    assert (status["state"], telegram.account.codes) == ("asking", 2)
    assert (await owner.answer(code=CODE))["state"] == "connected"


async def test_a_session_that_the_owner_ended_is_said(owner: Owner, telegram: Telegram) -> None:
    await owner.sign_in()
    await telegram.until(lambda: "updates.GetDifference" in telegram.account.asked)
    telegram.account.signed_in.clear()
    telegram.centre.cut()

    async def is_told() -> bool:
        status = (await owner.http.get("/api/connectors/telegram")).json()["status"]
        return status["state"] == "failed" and "ended this session" in status["detail"]

    await owner.until(is_told)


async def test_forgetting_signs_out_at_telegram(owner: Owner, telegram: Telegram) -> None:
    await owner.sign_in()
    assert len(telegram.account.signed_in) == 1
    answer = await owner.http.post("/api/connectors/telegram/disconnect", json={"forget": True})
    assert answer.status_code == 200, answer.text
    assert telegram.account.signed_in == set()
    assert await owner.prime.parts.secrets.find("connector:telegram:session") is None
