"""The parts put together on their ground, from the bottom up; whatever must end is put on the stack as it begins."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

from prime.accounts.opening import House, Reception, open_reception
from prime.app.ground import Ground
from prime.brain.brain import Brain
from prime.brain.embeddings import Embeddings
from prime.brain.notes.fetching import GuardedFetcher
from prime.brain.reading.process import SandboxedReader
from prime.brain.tools import add_tools
from prime.connectors.agents import llm_generic
from prime.connectors.agents.claude_code import Builders
from prime.connectors.agents.llm_generic import LlmGeneric
from prime.connectors.agents.registry import agent_connectors
from prime.connectors.connectors import Connectors
from prime.connectors.house import open_connectors
from prime.connectors.publish.publications import Publications
from prime.connectors.publish.tool import add_publish
from prime.core.errors import NotFound
from prime.dialogs.talk import Beneath, Talk, open_talk
from prime.gateway.gateway import Gateway, Supplies
from prime.hub.gate.gate import Gate
from prime.hub.house import HubSetup, build_hub
from prime.hub.hub import Hub
from prime.hub.inbound import HubInbound
from prime.hub.outside import NetworkOutside
from prime.hub.pace import Pace, PaceSource
from prime.hub.thinker import MindThinker
from prime.mind.connection import ModelConnection
from prime.mind.protocol import Mind
from prime.network.network import Network, NetworkSetup
from prime.rooms.records import HUB, PRIME
from prime.rooms.rooms import Rooms
from prime.store.backup import Backups
from prime.store.backup_timer import Keeping, open_backups
from prime.store.tuning import Tuning
from prime.tools.runtimes.folder_runtime import FolderRuntime
from prime.tools.runtimes.places import runtime_cache, user_tools
from prime.tools.runtimes.registry import Registry
from prime.tools.workshop import Workshop
from prime.web.parts import Parts


async def assemble(ground: Ground, stack: AsyncExitStack) -> Parts:
    """Everything, running. Loops start last, when all that they may call is there."""
    model = _model(ground, stack)
    workshop = _workshop(ground, stack)
    network = await _network(ground, model.present, stack)
    hub = _hub(ground, model.present, network, workshop, stack)
    brain = _brain(ground, hub, stack)
    add_tools(workshop.builtins, ground.store, brain)
    talk = _talk(ground, workshop, hub, stack)
    reception = await _reception(ground, stack)
    keeping = await _keeping(ground, stack)
    gate, connectors = await _gate(ground, hub, stack)
    publications = Publications(ground.store, gate, connectors, ground.secrets.values)
    add_publish(workshop.builtins, publications)
    gateway = _gateway(ground, hub, talk, workshop, stack)
    await hub.resume()
    await connectors.start()
    await gate.replies.resume()
    # Without a pause: nothing runs before everything is there.
    workshop.start()
    brain.start()
    talk.answering.start()
    hub.start()
    model.start()
    return Parts(
        settings=ground.settings,
        clock=ground.clock,
        store=ground.store,
        rooms=ground.rooms,
        questions=ground.questions,
        hub=hub,
        brain=brain,
        dialogs=talk.dialogs,
        spend=ground.spend,
        model=model,
        accounts=reception.accounts,
        backups=keeping.backups,
        backup_timer=keeping.timer,
        secrets=ground.secrets,
        workshop=workshop,
        network=network,
        gateway=gateway,
        turns=talk.turns,
        answering=talk.answering,
        tuning=ground.tuning,
        push=reception.push,
        gate=gate,
        connectors=connectors,
        publications=publications,
        base_url=ground.base_url,
    )


def _model(ground: Ground, stack: AsyncExitStack) -> ModelConnection:
    model = ModelConnection(ground.settings, ground.store.live_settings, ground.secrets, ground.spend, ground.clock)
    stack.push_async_callback(model.stop)
    return model


def _workshop(ground: Ground, stack: AsyncExitStack) -> Workshop:
    """Every tool; those that are folders are the user's and the workspace's."""
    settings, secrets = ground.settings, ground.secrets
    registry = Registry(user_tools(), settings.workspace_folder)
    folders = FolderRuntime(registry, cache=runtime_cache(), secret=secrets.find)
    workshop = Workshop.build(
        settings, ground.store, ground.questions, ground.clock, secrets=secrets.values, folders=folders
    )
    stack.push_async_callback(workshop.stop)
    return workshop


async def _network(ground: Ground, mind: Mind, stack: AsyncExitStack) -> Network:
    async def credentials(agent_id: str) -> str | None:
        try:
            return await ground.secrets.use(f"agent:{agent_id}")
        except NotFound:
            return None

    setup = NetworkSetup(
        base_url=ground.base_url,
        policy=ground.policy,
        key=ground.box.derive("network"),
        credentials=credentials,
        remote_agents=ground.settings.remote_agents,
    )
    prime = LlmGeneric(await ground.rooms.actor(PRIME), mind)
    inbound = HubInbound(ground.store, ground.rooms.briefs.clamp, prime.reply)
    network = await Network.open(ground.store, ground.rooms, ground.clock, inbound, setup)
    stack.push_async_callback(network.close)
    return network


def _hub(ground: Ground, mind: Mind, network: Network, workshop: Workshop, stack: AsyncExitStack) -> Hub:
    folder = ground.settings.data_folder / "workspaces"
    builders = Builders(folder, workshop.pipeline.permit)
    hub = build_hub(
        HubSetup(
            store=ground.store,
            rooms=ground.rooms,
            questions=ground.questions,
            mind=mind,
            connectors=agent_connectors(network.correspondence, network.directory, builders),
            outside=NetworkOutside(network),
            spend=ground.spend,
            clock=ground.clock,
            pace=pace_of(ground.tuning),
        )
    )
    network.correspondence.on_silence.append(hub.swarm.fail)
    stack.push_async_callback(hub.stop)
    return hub


def _brain(ground: Ground, hub: Hub, stack: AsyncExitStack) -> Brain:
    fetcher = GuardedFetcher(ground.policy, ground.clock)
    folder = ground.settings.embeddings
    embeddings = Embeddings(folder) if folder else None
    brain = Brain(ground.store, ground.clock, MindThinker(mind_of(hub)), SandboxedReader(), fetcher, embeddings)
    stack.push_async_callback(brain.stop)
    hub.swarm.on_quiet.append(settling(ground.rooms, brain))
    return brain


def _talk(ground: Ground, workshop: Workshop, hub: Hub, stack: AsyncExitStack) -> Talk:
    beneath = Beneath(
        store=ground.store, rooms=ground.rooms, questions=ground.questions, workshop=workshop, clock=ground.clock
    )
    talk = open_talk(ground.settings, beneath, mind_of(hub))
    stack.push_async_callback(talk.answering.stop)
    # Whoever speaks with the hub's mind has the tools of the house.
    hub.connectors.add(llm_generic.NAME, lambda actor: LlmGeneric(actor, hub.mind, talk.turns))
    return talk


async def _reception(ground: Ground, stack: AsyncExitStack) -> Reception:
    """Who may come in, and how they are called when something waits."""
    house = House(
        settings=ground.settings,
        store=ground.store,
        rooms=ground.rooms,
        questions=ground.questions,
        secrets=ground.secrets,
        tuning=ground.tuning,
        clock=ground.clock,
    )
    key = ground.box.derive("accounts")
    opened = open_reception(house, base_url=ground.base_url, key=key, policy=ground.policy)
    return await stack.enter_async_context(opened)


async def _keeping(ground: Ground, stack: AsyncExitStack) -> Keeping:
    backups = Backups(ground.folder, ground.clock, ground.settings.backup_keep, ground.database_url)
    passphrase = ground.settings.backup_passphrase
    opened = open_backups(
        ground.store,
        backups,
        ground.tuning,
        ground.clock,
        ground.policy,
        passphrase.get_secret_value() if passphrase else None,
    )
    return await stack.enter_async_context(opened)


async def _gate(ground: Ground, hub: Hub, stack: AsyncExitStack) -> tuple[Gate, Connectors]:
    """What leaves in the owner's name, and the ways out."""
    secrets, clock = ground.secrets, ground.clock
    gate = await Gate.open(
        ground.settings, ground.store, ground.rooms, clock, mind=mind_of(hub), secrets=secrets.values
    )
    stack.push_async_callback(gate.close)
    connectors = open_connectors(
        ground.settings, ground.store, secrets, clock, gate, base_url=ground.base_url, policy=ground.policy
    )
    stack.push_async_callback(connectors.close)
    return gate, connectors


def _gateway(ground: Ground, hub: Hub, talk: Talk, workshop: Workshop, stack: AsyncExitStack) -> Gateway:
    gateway = Gateway(
        Supplies(
            settings=ground.settings,
            clock=ground.clock,
            store=ground.store,
            rooms=ground.rooms,
            questions=ground.questions,
            hub=hub,
            dialogs=talk.dialogs,
            workshop=workshop,
            secrets=ground.secrets,
            base_url=ground.base_url,
            key=ground.box.derive("mcp"),
        )
    )
    stack.push_async_callback(gateway.stop)
    return gateway


def pace_of(tuning: Tuning) -> PaceSource:
    """How fast the hub works, as the owner has it at the moment."""

    async def now() -> Pace:
        return Pace.of(await tuning.now())

    return now


def settling(rooms: Rooms, brain: Brain) -> Callable[[], Awaitable[None]]:
    """What a quiet moment is good for: every channel's summary is brought up to date, the owner's room last."""

    async def settle() -> None:
        channels = [channel.id for channel in await rooms.all_channels()]
        for channel_id in sorted(channels, key=lambda each: each == HUB):
            await brain.consolidate(channel_id)

    return settle


def mind_of(hub: Hub) -> Callable[[], Mind]:
    """The mind that the hub has at the moment it is asked for."""
    return lambda: hub.mind
