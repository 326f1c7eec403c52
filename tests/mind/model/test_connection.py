"""A model that is slow to come up: Prime works offline meanwhile, says what it waits for, and takes the model when it answers."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from prime.app import MIGRATIONS, PROJECTIONS
from prime.core.clock import FakeClock
from prime.core.secret_box import SecretBox
from prime.core.settings import Settings
from prime.mind.connection import WAITS, ModelConnection
from prime.mind.model.spec import parse_spec
from prime.mind.spend import Caps, SpendGuard
from prime.store.folder import DataFolder
from prime.store.secrets import Secrets
from prime.store.store import Store

Provider = Callable[[str], Awaitable[Any]]
Connect = Callable[[Any], ModelConnection]


class Waits(FakeClock):
    """Waits for nothing, and remembers what was shown while it was waited."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []
        self.connection: ModelConnection | None = None

    async def sleep(self, seconds: float) -> None:
        assert self.connection
        self.shown.append(f"{self.connection.present.name} {self.connection.present.reason}")


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
async def connection_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, waits: Waits) -> AsyncIterator[Connect]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    store = await Store.open(
        DataFolder(tmp_path / "data"), None, FakeClock(), projections=PROJECTIONS, migrations=MIGRATIONS
    )
    secrets = Secrets(store.database, SecretBox.from_file(tmp_path / "a.key"), FakeClock())

    def connect(fake: Any) -> ModelConnection:
        settings = Settings.load({"PRIME_MODEL": "openai:slow", "OPENAI_BASE_URL": f"{fake.url}/v1"})
        spend = SpendGuard(store.database, Caps(400, 14))
        waits.connection = ModelConnection(settings, store.live_settings, secrets, spend, waits)
        return waits.connection

    yield connect
    await store.close()


async def test_a_model_that_is_still_loading_is_taken_as_soon_as_it_answers(
    provider: Provider, connection_to: Connect, waits: Waits, fails: Any
) -> None:
    fake = await provider("openai")
    fake.will(fails(503), fails(503))
    connection = connection_to(fake)
    connection.start()
    await connection.settle()
    assert len(waits.shown) == 2
    assert all(each.startswith("offline Offline: openai:slow") for each in waits.shown)
    assert all(each.endswith("It is tried again by itself.") for each in waits.shown)
    assert connection.present.name == "openai:slow"
    assert connection.present.reason.startswith("openai:slow answered.")


async def test_what_is_waited_for_is_said_while_it_is_tried(provider: Provider, connection_to: Connect) -> None:
    fake = await provider("openai")
    connection = connection_to(fake)
    said: list[str] = []
    fake.heard = lambda: said.append(connection.present.reason)
    connection.start()
    await connection.settle()
    assert said == ["Offline for now: waiting for openai:slow to answer. A model of your own may take minutes to load."]


async def test_the_try_is_short_enough_for_a_model_that_reads_a_few_words_in_a_second(
    provider: Provider, connection_to: Connect
) -> None:
    fake = await provider("openai")
    connection = connection_to(fake)
    connection.start()
    await connection.settle()
    [tried] = [each for each in fake.received if each.body]
    assert [message["role"] for message in tried.body["messages"]] == ["user"]
    assert len(str(tried.body["messages"])) < 120


async def test_a_key_that_is_refused_is_not_tried_again(
    provider: Provider, connection_to: Connect, waits: Waits, fails: Any
) -> None:
    fake = await provider("openai")
    fake.will(fails(401))
    connection = connection_to(fake)
    connection.start()
    await connection.settle()
    assert connection.present.reason.startswith("Offline: openai:slow")
    assert "tried again" not in connection.present.reason
    assert waits.shown == []


async def test_one_that_never_comes_is_given_up_at_last(
    provider: Provider, connection_to: Connect, waits: Waits, fails: Any
) -> None:
    fake = await provider("openai")
    fake.will(*[fails(503)] * 50)
    connection = connection_to(fake)
    connection.start()
    await connection.settle()
    assert len(waits.shown) == len(WAITS)
    assert connection.present.name == "offline"


@pytest.mark.parametrize(
    ("spec", "base", "near"),
    [
        ("ollama:qwen3:8b", None, True),
        ("openai:x", "http://localhost:8080/v1", True),
        ("openai:x", "http://192.168.1.7:8000/v1", True),
        ("openai:x", "https://api.example.com/v1", False),
        ("gemini:gemini-3.5-flash", None, False),
    ],
)
def test_only_a_model_of_ones_own_is_waited_for_longer(spec: str, base: str | None, near: bool) -> None:
    assert parse_spec(spec, None, base).is_near == near
