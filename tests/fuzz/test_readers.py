"""Whatever reads text from outside takes anything. `scripts/fuzz` does it for longer, led by what the code reaches."""

import json
import random
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.fuzz.checking import CRASHES, check, kept
from tests.fuzz.damage import damaged
from tests.fuzz.doors import DOORS, house
from tests.fuzz.grammars import ALIKE, GRAMMARS, grown
from tests.fuzz.readers import READERS, REFUSALS, Reader

ROUNDS = 250
AT_A_DOOR = 30
ALL = READERS | DOORS
OTHERS = [example for reader in ALL.values() for example in reader.examples]


@pytest.fixture(scope="module")
def doors() -> Iterator[None]:
    yield
    if house.cache_info().currsize:
        house().close()
        house.cache_clear()


def feed(name: str, rounds: int) -> None:
    chance = random.Random(name)
    for example in ALL[name].examples:
        check(name, example, ALL)
        for _ in range(rounds // len(ALL[name].examples)):
            check(name, damaged(example, OTHERS, chance), ALL)
    for _ in range(rounds):
        check(name, grown(name, chance), ALL)


@pytest.mark.parametrize("name", READERS)
def test_a_reader_takes_anything(name: str) -> None:
    feed(name, ROUNDS)


@pytest.mark.usefixtures("doors")
@pytest.mark.parametrize("name", DOORS)
def test_a_door_takes_anything(name: str) -> None:
    feed(name, AT_A_DOOR)


@pytest.mark.usefixtures("doors")
@pytest.mark.parametrize(("name", "path"), kept(), ids=lambda value: value.name if isinstance(value, Path) else value)
def test_what_once_broke_a_reader_does_not(name: str, path: Path) -> None:
    check(name, path.read_bytes(), ALL)


def test_what_is_kept_belongs_to_a_reader() -> None:
    assert {path.name for path in CRASHES.iterdir()} <= ALL.keys()


def test_the_examples_are_taken() -> None:
    """An example that is refused would let damage be tried on a refusal only."""
    for reader in READERS.values():
        for example in reader.examples:
            reader.read(example)


def test_every_reader_has_a_grammar_of_which_it_takes_something() -> None:
    assert GRAMMARS.keys() == READERS.keys()
    assert ALIKE.keys() == DOORS.keys()
    for name, reader in READERS.items():
        chance = random.Random(name)
        assert any(is_taken(reader, grown(name, chance)) for _ in range(400)), name


def is_taken(reader: Reader, data: bytes) -> bool:
    try:
        reader.read(data)
    except REFUSALS:
        return False
    return True


def test_the_harness_has_teeth() -> None:
    def fragile(data: bytes) -> None:
        json.loads(data)

    with pytest.raises(AssertionError, match="fragile broke"):
        check("fragile", b"{", {"fragile": Reader.of(fragile, "{}")})


def test_what_is_slow_once_is_slow_and_setting_up_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.checking.SLOW_SECONDS", 0.1)

    @cache
    def remembers(data: bytes) -> None:
        work(0.15 if data == b"slow" else 0)

    @cache
    def set_up() -> None:
        work(0.15)

    def loads(_: bytes) -> None:
        set_up()

    readers = {"remembers": Reader.of(remembers, "quick"), "loads": Reader.of(loads, "any")}
    check("remembers", b"quick", readers)
    with pytest.raises(AssertionError, match=r"remembers took 0\."):
        check("remembers", b"slow", readers)
    check("loads", b"any", readers)


def work(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
