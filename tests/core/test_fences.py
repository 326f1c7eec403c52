import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.markdown import fences

from prime.core.bad_text import BadText
from prime.core.fences import fence_for, read_fence


@pytest.mark.parametrize(
    ("text", "info", "body"),
    [
        ("```\nx\n```", "", "x\n"),
        ("```json\nx\n```\n", "json", "x\n"),
        ("``` json  title=a \nx\n```\n", "json  title=a", "x\n"),
        ("~~~md `x`\n```\n~~~\n", "md `x`", "```\n"),
        ("``````markdown\n```\ny\n```\n``````\n", "markdown", "```\ny\n```\n"),
        ("```\nx\n`````   \n", "", "x\n"),
        ("```\n```\n", "", ""),
        ("```\n\n```\n", "", "\n"),
        ("  ```\n    a\n  b\n c\n   ```\n", "", "  a\nb\nc\n"),
        ("```\n    ```\n~~~\n```x\n```\n", "", "    ```\n~~~\n```x\n"),
        ("```\r\nx\r\n```\r\n", "", "x\r\n"),
    ],
)
def test_a_block(text: str, info: str, body: str) -> None:
    block = read_fence(text)
    assert block is not None
    assert (block.info, block.body, block.end) == (info, body, len(text))


@pytest.mark.parametrize("text", ["``\nx\n``\n", "    ```\nx\n```\n", "```a`b\nx\n```\n", "\t```\n```\n", "text", ""])
def test_what_opens_no_fence(text: str) -> None:
    assert read_fence(text) is None


@pytest.mark.parametrize(
    "text", ["x\n\n ````\ny\n```\n", "x\n\n ````\ny\n~~~~\n", "x\n\n ````", "x\n\n ````\n    ````\n"]
)
def test_a_fence_that_is_never_closed_names_its_line(text: str) -> None:
    with pytest.raises(BadText, match="never closed") as caught:
        list(fences(text, path="a.md"))
    assert (caught.value.line, caught.value.column, caught.value.path) == (3, 2, "a.md")


def test_all_blocks_of_a_text() -> None:
    text = "# a\n```sh\nls\n```\ntext ``` not one\n~~~\n```\n~~~\n"
    assert [(block.info, block.body) for block in fences(text)] == [("sh", "ls\n"), ("", "```\n")]


@given(st.text("`~ a\n", max_size=40), st.sampled_from("`~"), st.integers(3, 6))
def test_a_made_fence_holds_any_text(body: str, char: str, at_least: int) -> None:
    fence = fence_for(body, char=char, at_least=at_least)
    block = read_fence(f"{fence}x\n{body}\n{fence}\n")
    assert block is not None
    assert block.body == body + "\n"
