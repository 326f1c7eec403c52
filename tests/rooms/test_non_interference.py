"""NI-1: what a channel's participant can observe does not change when everything outside the channel's view is taken away.

f(C, log) == f(C, log restricted to V(C)) for every registered observer f, over random hubs. The restricted log keeps its
sequence numbers, with gaps where something was.
"""

import ast
import importlib
import pkgutil
import re
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert, select

import prime
from prime.app import MIGRATIONS, PROJECTIONS
from prime.core.clock import FakeClock
from prime.core.errors import NotFound
from prime.rooms.records import HUB, OWNER, PRIME
from prime.rooms.views import OBSERVED_BY, OBSERVERS, View, visible_from
from prime.store import tables
from prime.store.folder import DataFolder
from prime.store.message import Kind, Message, NewMessage
from prime.store.store import Store

for module in pkgutil.walk_packages(prime.__path__, "prime."):
    if module.name != "prime.__main__":
        importlib.import_module(module.name)  # observers register themselves

Observe = Callable[[View], Awaitable[object]]
CHANNELS = ("ch_a", "ch_b", "ch_c")
ACTORS = (OWNER, PRIME, "act_x", "act_y")

# --- random hubs ---


def _created(name: str, tier: str, members: list[str]) -> dict[str, object]:
    return {"op": "created", "kind": "group", "name": name, "tier": tier, "members": members}


def _introduced(actor: str, name: str) -> dict[str, object]:
    return {"op": "actor", "actor": {"id": actor, "name": name, "kind": "agent", "connector": "echo"}}


def _moved(op: str, actor: str) -> dict[str, object]:
    return {"op": op, "actorId": actor}


def _asked(number: int) -> dict[str, object]:
    return {"questionId": f"q_{number}", "kind": "decision", "context": "hidden"}


_members = st.lists(st.sampled_from(ACTORS), max_size=3)
_bodies: Mapping[str, st.SearchStrategy[Mapping[str, object]]] = {
    "channel": st.one_of(
        st.builds(_created, st.sampled_from(["A", "B"]), st.sampled_from(["external", "team"]), _members),
        st.builds(dict[str, object], name=st.sampled_from(["C", "D"]), op=st.just("renamed")),
        st.builds(dict[str, object], course=st.integers(1, 5), op=st.just("course")),
    ),
    "membership": st.one_of(
        st.builds(_introduced, st.sampled_from(ACTORS), st.sampled_from(["N", "M"])),
        st.builds(_moved, st.sampled_from(["joined", "left"]), st.sampled_from(ACTORS)),
    ),
    "question": st.builds(_asked, st.integers(1, 3)),
}


@st.composite
def messages(draw: st.DrawFn) -> NewMessage:
    kind = cast("Kind", draw(st.one_of(st.sampled_from(get_args(Kind)), st.sampled_from([*_bodies, "text"]))))
    return NewMessage(
        channel_id=draw(st.sampled_from([HUB, *CHANNELS])),
        actor_id=draw(st.sampled_from(ACTORS)),
        kind=kind,
        audience=draw(st.sampled_from(["room", "hub"])),
        text=draw(st.sampled_from(["", "the price is 5,000", "hello", "明天"])),
        body=draw(_bodies.get(kind, st.just({}))),
    )


hubs = st.lists(messages(), min_size=3, max_size=40)
FOUNDATION = [
    NewMessage(
        channel_id=channel, actor_id=OWNER, kind="channel", audience="hub", body=_created(channel, "external", [PRIME])
    )
    for channel in CHANNELS
]

# --- the two logs ---


@asynccontextmanager
async def a_store() -> AsyncGenerator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        store = await Store.open(
            DataFolder(Path(folder)), None, FakeClock(), projections=PROJECTIONS, migrations=MIGRATIONS
        )
        try:
            yield store
        finally:
            await store.close()


def belongs(channel_id: str, members: Sequence[str], message: Message) -> bool:
    """V(C), and what holds the channel up: its own making and membership, and its members' public cards."""
    if message.kind == "membership" and message.body.get("op") == "actor":
        return cast("Mapping[str, str]", message.body["actor"])["id"] in members
    if message.kind in {"channel", "membership"} and message.channel_id == channel_id:
        return True
    return visible_from(channel_id, message)


async def copy_restricted(whole: Store, channel_id: str, members: Sequence[str], target: Store) -> None:
    kept = [m.seq for m in await whole.log.after(0, 10_000) if belongs(channel_id, members, m)]
    query = select(tables.message).where(tables.message.c.seq.in_(kept)).order_by(tables.message.c.seq)
    rows = [dict(row) for row in await whole.database.read(lambda c: c.execute(query).mappings().all())]
    if rows:
        await target.database.write(lambda c: c.execute(insert(tables.message), rows))
        target.heads.announce(kept[-1])


async def differences(log: Sequence[NewMessage], channel: str, observers: Mapping[str, Observe]) -> list[str]:
    """Observers that can tell the whole log from what the channel may see of it."""
    async with a_store() as whole, a_store() as restricted:
        await whole.log.append(*FOUNDATION, *log)
        view = await View.of(whole, channel)
        await copy_restricted(whole, channel, view.channel.members, restricted)
        narrow = await View.of(restricted, channel)
        return [name for name, observe in observers.items() if await observe(view) != await observe(narrow)]


async def the_place(view: View) -> object:
    """All that a view says of its channel."""
    return view.channel


async def the_cards(view: View) -> object:
    return await view.cards()


async def older_messages(view: View) -> object:
    newest = await view.messages(limit=2)
    return newest, await view.messages(before=newest[0].seq, limit=3) if newest else []


@given(log=hubs, channel=st.sampled_from(CHANNELS))
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
async def test_no_observer_can_tell_what_lies_outside_its_view(log: list[NewMessage], channel: str) -> None:
    own = {f.__name__: f for f in (the_place, the_cards, older_messages)}
    assert await differences(log, channel, {**OBSERVERS, **own}) == []


async def test_the_harness_notices_an_observer_that_looks_outside() -> None:
    async def counts_everything(view: View) -> object:
        return await view._store.log.head(), await view._store.log.page(HUB)  # pyright: ignore[reportPrivateUsage]

    async def reads_the_hubs_notes(view: View) -> object:
        return await view._store.log.page(view.channel.id)  # pyright: ignore[reportPrivateUsage]

    hidden = [
        NewMessage(channel_id="ch_a", actor_id=PRIME, kind="thought", audience="hub", text="they do not know"),
        NewMessage(channel_id=HUB, actor_id=OWNER, kind="text", text="secret"),
    ]
    leaks = {"counts": counts_everything, "notes": reads_the_hubs_notes}
    assert set(await differences(hidden, "ch_a", leaks)) == {"counts", "notes"}


def unregistered(source: str) -> list[str]:
    """Functions that take a `View` and are neither observers nor marked as parts of one."""
    found: list[str] = []
    if "View" not in source:
        return found  # most files; reading them all as Python takes seconds
    named = set(re.findall(r"^observer\((\w+)\)$", source, re.MULTILINE))
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        hints = [ast.unparse(arg.annotation) for arg in given if arg and arg.annotation]
        takes_one = any("View" in re.findall(r"\w+", hint) for hint in hints)
        marks = {ast.unparse(d).split("(")[0].split(".")[-1] for d in node.decorator_list}
        if takes_one and node.name not in named and marks.isdisjoint({"observer", "observed_by"}):
            found.append(node.name)
    return found


def test_every_function_that_takes_a_view_is_registered() -> None:
    root = Path(prime.__path__[0])
    missing = {
        str(p.relative_to(root)): names for p in root.rglob("*.py") if (names := unregistered(p.read_text("utf-8")))
    }
    assert missing == {}
    assert len(OBSERVERS) >= 5
    for part, name in OBSERVED_BY.items():
        assert name in OBSERVERS, f"{part} is said to be covered by {name}, which is no observer"


@pytest.mark.parametrize(
    "source",
    ["async def prompt(view: View): ...", "def f(x: int, *, v: 'views.View'): ...", "def f(v: View | None): ...",
     "class A:\n  def m(self, v: View): ..."],
)  # fmt: skip
def test_the_walk_notices_one_that_is_not(source: str) -> None:
    assert unregistered(source)


def test_the_walk_takes_what_is_registered() -> None:
    assert not unregistered("@observer\nasync def prompt(view: View): ...\ndef f(reviewed: Viewer): ...")


async def test_a_view_of_a_channel_that_is_not_there() -> None:
    async with a_store() as store:
        with pytest.raises(NotFound):
            await View.of(store, "ch_nowhere")
