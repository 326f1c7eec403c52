"""Connectors by name, Prime's own and those of other packages."""

import sys
from pathlib import Path

import pytest

from prime.connectors.agents.registry import GROUP, third_party
from prime.connectors.connectors import third_parties
from prime.core.errors import InvalidInput
from prime.hub.connector import Absent, Answer, Connector, Connectors, Context, Identity
from prime.rooms.records import Actor

PACKAGE = """
from prime.hub.connector import Answer, Identity

class Parrot:
    def __init__(self, actor):
        self.actor = actor
    def identity(self):
        return Identity(name=self.actor.name, kind="agent", connector="parrot")
    async def reply(self, context):
        return Answer(text=context.last.text if context.last else "")
"""


def test_a_package_brings_one_by_an_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "parrot_pkg.py").write_text(PACKAGE)
    info = tmp_path / "parrot_pkg-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: parrot-pkg\nVersion: 1.0\n")
    (tmp_path / "quits_pkg.py").write_text("import sys\nsys.exit(3)\n")
    points = "parrot = parrot_pkg:Parrot\nbroken = nowhere_at_all:X\nquits = quits_pkg:X\n"
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{points}")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    found = third_party()
    assert list(found) == ["parrot"], "one that cannot be loaded is left out"
    assert third_parties() == [], "an agent's connector is no account of the owner's"
    assert [r.getMessage().split(" of ")[0] for r in caplog.records if "parrot " in r.getMessage()] == []
    actor = Actor(id="act_p", name="Polly", kind="agent", connector="parrot")
    assert Connectors(found).of(actor).identity() == Identity(name="Polly", kind="agent", connector="parrot")
    sys.modules.pop("parrot_pkg", None)


def test_an_unknown_one_says_what_there_is() -> None:
    class Mute:
        def identity(self) -> Identity:
            return Identity(name="", kind="agent", connector="mute")

        async def reply(self, context: Context) -> Answer:
            return Answer()

    known = Connectors({"mute": lambda _actor: Mute()})
    with pytest.raises(Absent, match="choose one of mute"):
        known.of(Actor(id="a", name="Zoe", kind="agent", connector="smoke_signals"))


@pytest.mark.parametrize("wrong", [ValueError("no port"), SystemExit(3)])
def test_one_that_cannot_be_opened_says_so_and_ends_nothing(wrong: BaseException) -> None:
    def opener(_actor: Actor) -> Connector:
        raise wrong

    with pytest.raises(InvalidInput, match=f"could not be opened: {type(wrong).__name__}") as refused:
        Connectors({"odd": opener}).of(Actor(id="act_o", name="Odd", kind="agent", connector="odd"))
    assert refused.value.error_code == "connector_failed"
