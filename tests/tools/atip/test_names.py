"""The table between tool names and command paths."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prime.tools.atip.names import NameTable

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


@pytest.mark.holds("D-ATIP-6")
def test_usual_names() -> None:
    table = NameTable([("gh", "pr", "create"), ("curl",), ("setup-git",), ("7z",), ("g++",)])
    assert list(table) == ["gh_pr_create", "curl", "setup-git", "_7z", "g__"]
    assert table["gh_pr_create"] == ("gh", "pr", "create")


@pytest.mark.holds("D-ATIP-6")
def test_collisions_and_long_names_get_a_hash() -> None:
    clash = [("a_b", "c"), ("a", "b_c")]
    long = ("tool", "x" * 40, "y" * 40)
    table = NameTable([*clash, long])
    assert len(set(table)) == 3
    assert all(re.fullmatch(r"a_b_c_[0-9a-f]{8}", table.name_of(path)) for path in clash)
    assert len(table.name_of(long)) == 64
    assert NameTable([long, clash[1], clash[0]]).name_of(long) == table.name_of(long)


def test_a_name_that_looks_like_a_hashed_one_keeps_it() -> None:
    forged = NameTable([("a_b",), ("a", "b")]).name_of(("a", "b"))
    table = NameTable([("a_b",), ("a", "b"), (forged,)])
    assert table[forged] == (forged,)
    assert len(set(table)) == 3


@given(st.sets(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=4).map(tuple), max_size=20))
def test_every_path_has_one_name_and_back(paths: set[tuple[str, ...]]) -> None:
    paths = {path for path in paths if "\x00".join(path).encode("utf-8", "ignore").decode() == "\x00".join(path)}
    table = NameTable(paths)
    assert len(table) == len(paths)
    for path in paths:
        assert table[table.name_of(path)] == path
        assert NAME.fullmatch(table.name_of(path))
    assert dict(NameTable(sorted(paths))) == dict(table)
