"""What the server says is Chinese in the Chinese page: every code, every sentence that somebody there can meet."""

import json
import re
from pathlib import Path

import pytest
from playwright.async_api import expect
from tests.page.conftest import Opener
from tests.page.said import codes, every_text, sentences

WEB = Path(__file__).parents[2] / "web"
CATALOGUE = json.loads((WEB / "src" / "words" / "zh" / "said.json").read_text())
CHINESE = re.compile("[\u4e00-\u9fff]")
# Nothing to translate: the name of a format, and sentences that only put others together.
SAME = {"JSON Lines.", "{}: {} {}.", "{} {}.", "{}: {}, {} bytes."}

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_every_code_has_chinese() -> None:
    lacking = codes() - set(CATALOGUE["codes"])
    assert not lacking, f"Add to web/src/words/zh/said.json, under codes: {sorted(lacking)}"


async def test_every_sentence_that_the_page_can_show_has_chinese() -> None:
    lacking = {text: where for text, where in sentences().items() if text not in CATALOGUE["sentences"]}
    for same in SAME:
        lacking.pop(same, None)
    assert not lacking, f"Add to web/src/words/zh/said.json, under sentences: {lacking}"


async def test_nothing_is_translated_that_nobody_says() -> None:
    spoken = re.sub(r"\{[a-z_]+\}", "{}", every_text())
    for text in CATALOGUE["sentences"]:
        assert all(part in spoken for part in text.split("{}")), text


def _places(text: str) -> list[str]:
    return re.findall(r"\{\d?\}", text)


@pytest.mark.parametrize("table", ["codes", "sentences"])
async def test_what_is_filled_in_is_filled_in_once(table: str) -> None:
    for english, chinese in CATALOGUE[table].items():
        numbered = [int(place[1]) for place in _places(chinese) if len(place) > 2]
        wanted = len(_places(english)) if table == "sentences" else 0
        assert len(_places(chinese)) == wanted, english
        assert not numbered or sorted(numbered) == list(range(wanted)), english


async def test_every_sentence_is_found_again_with_what_is_filled_in(open_page: Opener) -> None:
    """Among nine hundred templates each takes its own, and loses nothing of what was in it."""
    page = await open_page("/settings", locale="zh-CN")
    templates = [text for text in sentences() if text not in SAME]
    filled = [
        "".join(f"{p}Qx{i}z" for i, p in enumerate(text.split("{}")[:-1])) + text.split("{}")[-1] for text in templates
    ]
    chunk = next((WEB / "dist" / "assets" / "chunks").glob("zh-*.js")).name
    said: list[str | None] = await page.evaluate(
        """async ([chunk, filled]) => {
             const { say } = await (await import(`/assets/chunks/${chunk}`)).loadSayings();
             return filled.map(say);
           }""",
        [chunk, filled],
    )
    for text, chinese in zip(templates, said, strict=True):
        if len(re.findall("[a-z]", text, re.IGNORECASE)) < 6:
            continue  # "It {}." counts only with what is known
        assert chinese, text
        assert CHINESE.search(chinese), text
        lost = [f"Qx{i}z" for i in range(text.count("{}")) if f"Qx{i}z" not in chinese]
        assert not lost, (text, chinese)


async def test_an_error_is_told_in_chinese(open_page: Opener) -> None:
    page = await open_page("/tools/t/no-such-tool", locale="zh-CN")
    await expect(page.locator(".trouble")).to_contain_text("没有名为 “no-such-tool” 的工具。")
    await expect(page.locator(".trouble")).not_to_contain_text("There is")
    await page.goto(f"{open_page.address}/tools/t/git_statu")
    await expect(page.locator(".trouble")).to_contain_text("是不是想找 git_status")
    await expect(page.locator(".trouble")).not_to_contain_text("Did you")
    open_page.forgive("404")


async def test_why_a_tool_asks_is_told_in_chinese(open_worked: Opener) -> None:
    page = await open_worked("/tools/t/mkdir", locale="zh-CN")
    await page.get_by_label("folders *").fill("made-here")
    await expect(page.locator(".would")).to_contain_text("它会更改内容。")
    await expect(page.locator(".would")).not_to_contain_text("It ")
