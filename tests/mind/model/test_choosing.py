"""Which mind is used, and why."""

import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from prime.core.errors import InvalidInput
from prime.core.settings import Settings
from prime.mind.model.choosing import choose_mind, try_model
from prime.mind.model.clients import connect
from prime.mind.model.mind import ModelMind
from prime.mind.model.spec import ModelProvider, ModelSpec, parse_spec

Provider = Callable[[str], Awaitable[Any]]
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def _no_owner_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def fails(fake: Any, status: int) -> Any:
    return sys.modules[type(fake).__module__].Fails(status)


async def chosen(ledger: Any, environment: dict[str, str], **addresses: str) -> Any:
    found = await choose_mind(
        Settings.load(environment),
        spending=ledger,
        addresses={"ollama": NOWHERE, **addresses},  # pyright: ignore[reportArgumentType]
    )
    if isinstance(found.mind, ModelMind):
        await found.mind.close()
    return found


@pytest.mark.holds("D-HUB-18")
async def test_gemini_comes_before_anthropic_before_openai_before_ollama(provider: Provider, ledger: Any) -> None:
    gemini, anthropic, openai, ollama = [await provider(wire) for wire in ("gemini", "anthropic", "openai", "openai")]
    addresses = {"gemini": gemini.url, "anthropic": anthropic.url, "openai": f"{openai.url}/v1", "ollama": ollama.url}
    keys = {"GEMINI_API_KEY": "g", "ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "GEMINI_MODEL": "gemini-2.5-flash"}
    names: list[str] = []
    for gone in ("", "GEMINI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        keys.pop(gone, None)
        names.append((await chosen(ledger, keys, **addresses)).mind.name)
    assert names == [
        "gemini:gemini-2.5-flash", "anthropic:claude-sonnet-4-6", "openai:local-model", "ollama:qwen3:8b",
    ]  # fmt: skip
    assert ledger.calls == 4


@pytest.mark.holds("D-HUB-18")
async def test_prime_model_wins_over_every_key(provider: Provider, ledger: Any) -> None:
    gemini, anthropic = await provider("gemini"), await provider("anthropic")
    environment = {"GEMINI_API_KEY": "g", "ANTHROPIC_API_KEY": "a", "PRIME_MODEL": "anthropic:claude-haiku-4-5"}
    found = await chosen(ledger, environment, gemini=gemini.url, anthropic=anthropic.url)
    assert found.mind.name == "anthropic:claude-haiku-4-5"
    assert not gemini.received
    offline = await chosen(ledger, environment | {"PRIME_MODEL": "offline"}, gemini=gemini.url)
    assert offline.mind.name == "offline"
    assert not offline.tried


async def test_a_key_that_is_refused_gives_way_to_the_next_and_is_told(provider: Provider, ledger: Any) -> None:
    gemini, anthropic = await provider("gemini"), await provider("anthropic")
    gemini.will(fails(gemini, 401))
    found = await chosen(
        ledger, {"GEMINI_API_KEY": "secret-g", "ANTHROPIC_API_KEY": "a"}, gemini=gemini.url, anthropic=anthropic.url
    )
    assert found.mind.name == "anthropic:claude-sonnet-4-6"
    assert [(each.name.split(":")[0], each.ok) for each in found.tried] == [("gemini", False), ("anthropic", True)]
    assert "the key was refused" in found.reason
    assert "secret-g" not in repr(found)


@pytest.mark.parametrize("body", [b"null", b"[]", b"5"])
async def test_what_answers_with_nothing_that_can_be_read_gives_way_to_the_next(
    body: bytes, provider: Provider, ledger: Any
) -> None:
    gemini, anthropic = await provider("gemini"), await provider("anthropic")
    gemini.will(sys.modules[type(gemini).__module__].Raw(body))
    found = await chosen(
        ledger, {"GEMINI_API_KEY": "g", "ANTHROPIC_API_KEY": "a"}, gemini=gemini.url, anthropic=anthropic.url
    )
    assert found.mind.name.startswith("anthropic:")
    assert "gemini:gemini-3.5-flash answered with something that cannot be read" in found.reason


async def test_a_model_that_says_nothing_when_it_is_tried_is_not_used(provider: Provider, ledger: Any) -> None:
    gemini = await provider("gemini")
    gemini.will(sys.modules[type(gemini).__module__].Answers(""))
    found = await chosen(ledger, {"GEMINI_API_KEY": "g"}, gemini=gemini.url)
    assert found.mind.name == "offline"
    assert "answered with nothing" in found.reason


@pytest.mark.parametrize("address", ["http://[bad", "localhost:8000/v1", "ftp://x"])
async def test_an_address_that_is_none_is_told_and_the_next_one_is_used(
    address: str, provider: Provider, ledger: Any
) -> None:
    ollama = await provider("openai")
    found = await chosen(ledger, {"OPENAI_API_KEY": "o", "OPENAI_BASE_URL": address}, ollama=ollama.url)
    assert found.mind.name == "ollama:qwen3:8b"
    assert f"{address!r} is no address." in found.reason
    named = await chosen(ledger, {"PRIME_MODEL": "openai:m", "OPENAI_BASE_URL": address}, ollama=ollama.url)
    assert named.mind.name == "offline"
    assert "is no address" in named.reason


@pytest.mark.parametrize(
    ("environment", "reason"),
    [
        ({}, "no key is set"),
        ({"PRIME_MODEL": "nobody:x"}, "names no model"),
        ({"PRIME_MODEL": "gemini:m", "GEMINI_API_KEY": "g"}, "cannot be reached"),
    ],
)
async def test_nothing_that_answers_is_the_offline_engine_with_a_reason(
    ledger: Any, environment: dict[str, str], reason: str
) -> None:
    found = await chosen(ledger, environment, gemini=NOWHERE)
    assert found.mind.name == "offline"
    assert reason in found.reason


async def test_a_cap_that_is_reached_leaves_the_mind_as_it_was_and_is_told(provider: Provider, ledger: Any) -> None:
    """Else a restart would let the offline engine go on in rooms that a cap has stopped."""
    gemini, anthropic = await provider("gemini"), await provider("anthropic")
    ledger.most = 0
    found = await chosen(
        ledger, {"GEMINI_API_KEY": "g", "ANTHROPIC_API_KEY": "a"}, gemini=gemini.url, anthropic=anthropic.url
    )
    assert found.mind.name.startswith("gemini:")
    assert found.reason.endswith("was not asked. The cap is reached.")
    assert not found.may_be_better_later
    assert not gemini.received
    assert not anthropic.received


async def test_what_the_owner_connected_is_used(provider: Provider, ledger: Any) -> None:
    fake = await provider("openai")
    saved = ModelSpec("openai", "m", "k", f"{fake.url}/v1")
    found = await choose_mind(Settings.load({}), spending=ledger, saved=saved)
    assert isinstance(found.mind, ModelMind)
    await found.mind.close()
    assert found.mind.name == "openai:m"
    assert "price is not known" in found.reason
    assert not found.priced


@pytest.mark.parametrize("variable", ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"])
@pytest.mark.parametrize("named", [True, False])
async def test_an_address_in_the_environment_is_where_the_key_goes(
    variable: str, named: bool, provider: Provider, ledger: Any
) -> None:
    wire = variable.partition("_")[0].casefold()
    fake = await provider(wire)
    model = {"PRIME_MODEL": f"{wire}:m"} if named else {}
    found = await chosen(ledger, {f"{wire.upper()}_API_KEY": "k", variable: f"{fake.url}/", **model})
    assert found.mind.spec.base_url == fake.url
    assert fake.received[-1].headers["authorization"] == "Bearer k"


@pytest.mark.parametrize("provider", ["anthropic", "gemini", "openai"])
async def test_no_package_takes_an_address_from_the_environment_by_itself(
    provider: ModelProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    client = connect(ModelSpec(provider, "m", "k"))
    assert "127.0.0.1" not in str(client.model.base_url)
    await client.close()


async def test_a_model_is_tried_live_before_it_is_saved(provider: Provider) -> None:
    fake = await provider("openai")
    good = await try_model("openai:any", "k", f"{fake.url}/v1")
    assert (good.ok, good.text, good.usage.requests) == (True, "ready", 1)
    assert fake.received[0].headers["authorization"] == "Bearer k"
    fake.will(fails(fake, 401))
    bad = await try_model("openai:any", "k-bad", f"{fake.url}/v1")
    assert not bad.ok
    assert "key was refused" in bad.text
    assert "k-bad" not in bad.text
    assert not (await try_model("nonsense")).ok
    assert not (await try_model("openai:m", "k", "ftp://x")).ok


def test_names_of_models() -> None:
    assert parse_spec("ollama:qwen3:8b").model == "qwen3:8b"
    assert parse_spec("Google:gemini-x").provider == "gemini"
    assert "k" not in repr(parse_spec("openai:m", "kkkk")).replace("key", "")
    for bad in ("", "openai", "openai:", "x:y", ":m"):
        with pytest.raises(InvalidInput, match="names no model"):
            parse_spec(bad)


# What is imported on the main thread while a model is tried keeps everybody waiting who asks for a page.
WATCHED = """
import asyncio, sys, threading
from prime.mind.model.choosing import try_model

class Watch:
    seen = []
    def find_spec(self, name, path=None, target=None):
        if threading.current_thread() is threading.main_thread():
            self.seen.append(name.partition(".")[0])

async def main():
    sys.meta_path.insert(0, Watch())
    for spec in ("anthropic:a", "gemini:g", "openai:o"):
        tried = await try_model(spec, "key-1234", "http://127.0.0.1:9")
        assert "cannot be reached" in tried.text, tried
    print(*sorted(set(Watch.seen)))

asyncio.run(main())
"""


def test_what_talks_to_a_provider_is_loaded_beside_everything_else() -> None:
    done = subprocess.run([sys.executable, "-c", WATCHED], capture_output=True, text=True, check=True)
    assert not {"pydantic_ai", "anthropic", "openai"} & set(done.stdout.split()), done.stdout
