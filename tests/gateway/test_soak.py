"""An hour of work: 100,000 calls by sixteen clients, after which the gateway is as it was."""

import asyncio
import importlib.util
import os
import sys
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "gateway.py"
# Fewer for who has no time; the number that counts is the one above.
CALLS = int(os.environ.get("PRIME_SOAK_CALLS", "100000"))
# With fewer the caches still fill in the second half.
ENOUGH = 50_000
CLIENTS = 16
ROUNDS = 8
# What the writer's and the projector's connections keep of the database's files (store/engines/sqlite.py: 2 and 2 + 4 MiB),
# and as much for an allocator's gaps and for what sixteen clients at once need. It fills once; then the number of calls
# makes no difference. How many threads ever wait for the processor at the same moment is the machine's affair, so they share
# one heap here: each heap more has gaps of its own.
CACHES_MB = 20.0
ONE_HEAP = {"MALLOC_ARENA_MAX": "1"}
# A leak of one small object in a call is more than this.
FLAT_KB = 0.3


def benchmark() -> Any:
    """Its processes and its light client are what is needed here."""
    spec = importlib.util.spec_from_file_location("prime_bench_gateway", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


async def after_the_end(bench: Any, gateway: Any) -> int:
    """What a session that was ended answers, as all sessions here were."""
    session = bench.Client(gateway.url)
    await session.open()
    await session.call("prime", {"agentId": "late", "sessionId": "s"})
    assert "late" in await session.call("one__echo", {"text": "late"})
    await session.close()
    with pytest.raises(sys.modules["gateways"].Refused) as refused:
        await session.call("one__echo", {"text": "late"})
    await session.close()
    return refused.value.status


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_memory_stays_flat_and_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = benchmark()
    for name, value in ONE_HEAP.items():
        monkeypatch.setenv(name, value)
    gateway = bench.ours(tmp_path, ["one", "two"])
    try:
        asyncio.run(bench.load(gateway, ["one", "two"], CLIENTS, 400))
        children, files = gateway.children(), gateway.files()
        assert len(children) == 2
        memory = [gateway.memory_mb()]
        for _ in range(ROUNDS):
            asyncio.run(bench.load(gateway, ["one", "two"], CLIENTS, CALLS // ROUNDS))
            memory.append(gateway.memory_mb())
        half = ROUNDS // 2
        per_call = (memory[-1] - memory[half]) * 1024 / (CALLS * half / ROUNDS)
        print(f"memory in MB: {[round(one) for one in memory]}; KB per call in the second half: {per_call:.2f}")
        assert memory[-1] - memory[0] < CACHES_MB, memory
        if CALLS >= ENOUGH:
            assert per_call < FLAT_KB, memory
        assert gateway.children() == children
        assert gateway.files() <= files + 2
        assert asyncio.run(after_the_end(bench, gateway)) == HTTPStatus.NOT_FOUND
    finally:
        gateway.end()
    assert not [pid for pid in children if Path(f"/proc/{pid}").exists()]
