import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prime.core.bad_text import BadText
from prime.core.errors import PrimeError, TooLarge
from prime.core.frontmatter import read_frontmatter, read_simple, split_frontmatter
from prime.core.json_text import Json
from prime.core.yaml_text import read_mapping
from prime.core.yaml_writer import yaml_lines


def test_data_body_and_places() -> None:
    found = read_frontmatter("---\ntitle: 环境\nlist:\n  - a\n---\n\nbody\n---\nmore")
    assert found.data == {"title": "环境", "list": ["a"]}
    assert found.places == {"title": (2, 1), "list": (3, 1)}
    assert (found.body, found.body_line) == ("\nbody\n---\nmore", 6)


@pytest.mark.parametrize(
    "text", ["no frontmatter", "", "----\na: 1\n---\n", " ---\na: 1\n---\n", "text\n---\na: 1\n---\n"]
)
def test_a_text_without_frontmatter_is_all_body(text: str) -> None:
    found = read_frontmatter(text)
    assert (found.data, found.body, found.body_line) == ({}, text, 1)


def test_byte_order_mark_and_windows_lines() -> None:
    found = read_frontmatter("\ufeff---\r\na: 1\r\n---\r\nx\r\ny")
    assert (found.data, found.body) == ({"a": 1}, "x\ny")


def test_empty_frontmatter_and_one_that_ends_the_text() -> None:
    assert read_frontmatter("---\n---\nx").body == "x"
    assert read_frontmatter("---\na: 1\n---").data == {"a": 1}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2026-01-31", "2026-01-31"),
        ("2026-01-31T09:12:00Z", "2026-01-31T09:12:00Z"),
        ("12:30", "12:30"),
        ("yes", "yes"),
        ("off", "off"),
        ("1_000", "1_000"),
        ("017", 17),
        ("0o17", 15),
        ("1e3", 1000.0),
        ("~", None),
        ("True", True),
        ("'1'", "1"),
        ("<<", "<<"),
    ],
)
def test_scalars_are_those_of_yaml_1_2(written: str, value: Json) -> None:
    found = read_mapping(f"a: {written}\n").data["a"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("a: 1\na: 2\n", 11, 1, "twice"),
        ("a: 1\nb: {c: 1, c: 2}\n", 11, 11, "twice"),
        ("a: &x 1\nb: *x\n", 10, 4, "aliases"),
        ("a: !!python/object/apply:os.system [ls]\n", 10, 4, "tags"),
        ("a: !!timestamp 2026-01-01\n", 10, 4, "tags"),
        ("1: a\n", 10, 1, "text"),
        ("? [a]\n: b\n", 10, 3, "text"),
        ("- a\n", 10, 1, "one value"),
        ("just words\n", 10, 1, "one value"),
        ("a: [1\n", 11, 1, "not YAML"),
        ("a: b: c\n", 10, 5, "not YAML"),
        ("a: 1\nb: \x07\n", 11, 4, "U+0007"),
        ("a: .nan\n", 10, 4, "number"),
        ("a: 1e999\n", 10, 4, "too large"),
        ("a: " + "1" * 5000 + "\n", 10, 4, "digits"),
        ("a: " + "[" * 5000 + "\n", 10, 103, "deeper"),
        ("a: 1\n...\n---\nb: 2\n", 12, 1, "more than one"),
    ],
)
def test_what_is_refused_says_where(text: str, line: int, column: int, says: str) -> None:
    with pytest.raises(BadText, match=r"^some\.md:") as caught:
        read_mapping(text, path="some.md", first_line=10)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert says in str(caught.value)


def test_a_bomb_of_aliases_is_refused_at_its_first_anchor() -> None:
    bomb = "a: &a [x,x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)},*{chr(97 + i)}]\n" for i in range(20)
    )
    with pytest.raises(BadText, match="aliases"):
        read_frontmatter(f"---\n{bomb}---\n")


def test_size_has_a_limit() -> None:
    with pytest.raises(TooLarge):
        read_frontmatter("---\na: " + "中" * 100 + "\n---\n", max_bytes=200)


def test_frontmatter_that_is_never_closed() -> None:
    with pytest.raises(BadText, match="never closed") as caught:
        split_frontmatter("---\na: 1\n", first_line=7)
    assert caught.value.line == 7


_texts = st.text(max_size=10) | st.lists(
    st.sampled_from(
        [
            *"`~:#-?&*!|>%@[]{},'\"\\ \t\r\n",
            "a",
            "é",
            "中",
            "\u2028",
            "\x85",
            "\ufeff",
            "\\u0041",
            "\\ud83d",
            "null",
            "1",
        ]
    ),
    max_size=8,
).map("".join)
_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        st.from_regex("[a-z_]{1,5}", fullmatch=True).filter(lambda key: key not in {"null", "true", "false"}), _values
    )
)
def test_what_is_written_is_read_by_yaml_and_by_the_quick_reader(values: dict[str, Json]) -> None:
    text = yaml_lines(values)
    assert read_mapping(text, max_bytes=10**7).data == values
    quick = read_simple(text)
    assert quick is None or (quick == values and repr(quick) == repr(read_mapping(text, max_bytes=10**7).data))


_FRAGMENTS = [
    *("a", "b", "genseq", "true", ": ", ":", " ", "\n", "1", "-1", "01", "-", "0", ".", "x y", "null", "\\", "\\/"),
    *(
        '"',
        '"x"',
        '"\\n"',
        "[",
        "]",
        "{",
        "}",
        ", ",
        "#",
        " #",
        "'",
        "|",
        "é",
        "中文",
        "\u2028",
        "\t",
        "\x85",
        "\ufeff",
    ),
    *('["a", 1]', '{"k": 1e5}', '{"k": 1, "k": 2}', "1E9", '"\\u0041"', '"\\ud83d\\ude00"', "---", "@", "/", "+", "_"),
    *("1.5", "~", "a: b\n", "k: 1\n", 'q: "z"\n'),
]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(_FRAGMENTS), max_size=12).map("".join))
def test_the_quick_reader_agrees_with_yaml_on_any_text(text: str) -> None:
    quick = read_simple(text)
    if quick is None:
        return
    try:
        slow = read_mapping(text).data
    except PrimeError as error:
        pytest.fail(f"YAML refuses {text!r}: {error}")
    assert repr(slow) == repr(quick)
