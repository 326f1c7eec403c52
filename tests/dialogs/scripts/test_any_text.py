"""Whatever is in a file, it is a script or an error that says where: nothing else is raised."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prime.core.bad_text import BadText
from prime.core.errors import TooLarge
from prime.dialogs.scripts.exporter import export_script
from prime.dialogs.scripts.fields import SHAPES
from prime.dialogs.scripts.parser import parse_script
from prime.dialogs.scripts.script import Script

_LINES = [
    *(
        "---",
        "--- ",
        "```",
        "```markdown",
        "``````markdown",
        "``````",
        "~~~md",
        "~~~",
        "```json",
        "# a",
        "## b",
        "### user",
        "",
    ),
    *(
        " ",
        "\t",
        "text",
        "genseq: 1",
        "genseq: -1",
        "genseq: [1]",
        "id: a",
        "name: b",
        "msgId: c",
        "grammar: markdown",
        "id: 5",
    ),
    *(
        "phase: done",
        "action: search",
        "action: {type: search}",
        "mentionList: [a]",
        "mentionList:",
        "  - a",
        "kind: x",
        "a: *b",
    ),
    *(
        "title: t",
        "version: 3",
        "sourceDialog: {}",
        '{"genseq": 1, "id": "a", "name": "b", "arguments": {}}',
        "{",
        "}",
        "\r",
        "\x00",
    ),
    *(
        "q: ? x",
        "? a",
        ": b",
        "!!x y",
        "%YAML 1.1",
        "...",
        '"',
        "'",
        "|",
        "a: |",
        "\u2028",
        "\x85",
        "<<: {}",
        "status: completed",
    ),
    *(f"### record {name}" for name in SHAPES),
]
_ends = st.sampled_from(["\n", "\n", "\n", "\r\n", ""])
_texts = st.lists(st.tuples(st.sampled_from(_LINES), _ends).map("".join), max_size=25).map("".join)


@st.composite
def _nearly_scripts(draw: st.DrawFn) -> str:
    """A block of the right form with lines drawn into it and one cut or doubled."""
    name = draw(st.sampled_from(list(SHAPES)))
    inside = draw(st.lists(st.sampled_from(_LINES), max_size=6))
    info = "json" if name == "func_call_record" and draw(st.booleans()) else "markdown"
    lines = [f"### record {name}", "", f"``````{info}", "---", "genseq: 1", *inside, "---", "", "text", "``````", ""]
    cut = draw(st.integers(0, len(lines) - 1))
    lines[cut : cut + 1] = draw(st.sampled_from([[], [lines[cut]], [lines[cut]] * 2]))
    return "\n".join(lines)


def _read(text: str) -> Script | BadText:
    try:
        return parse_script(text)
    except BadText as error:
        return error


@settings(max_examples=400, deadline=None)
@given(_texts | _nearly_scripts())
def test_any_text_is_a_script_or_an_error(text: str) -> None:
    found = _read(text)
    if isinstance(found, BadText):
        assert 1 <= found.line <= text.count("\n") + 1
        assert found.column >= 1
    else:
        assert parse_script(export_script(found)) == found


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=60) | _texts.map(str.encode))
def test_any_bytes_are_a_script_or_an_error(data: bytes) -> None:
    try:
        parse_script(data)
    except (BadText, TooLarge):
        return


@pytest.mark.parametrize(
    "text", ["### record", "### record ", "---", "---\n---", "```", "\ufeff", "\r", "\r\n", "\x00"]
)
def test_scraps(text: str) -> None:
    with pytest.raises(BadText):
        parse_script(text)
