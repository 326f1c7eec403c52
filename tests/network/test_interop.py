"""Prime and the official A2A SDK, each as client and as server, in both generations."""

import socket
from typing import Any

import pytest

pytest.importorskip("a2a.server")

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.client.card_resolver import parse_agent_card
from a2a.helpers.proto_helpers import new_text_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import a2a_pb2 as pb
from starlette.applications import Starlette

pytestmark = [pytest.mark.holds("D-HUB-11"), pytest.mark.filterwarnings("ignore::DeprecationWarning:google.*")]


@pytest.mark.parametrize("generation", ["1.0", "0.3"])
async def test_the_official_client_talks_to_prime(open_served: Any, generation: str) -> None:
    served = await open_served()
    async with httpx.AsyncClient() as http:
        card_json = (await http.get(f"{served.url}/.well-known/agent-card.json")).json()
        if generation == "0.3":
            del card_json["supportedInterfaces"]  # as a client sees it that knows nothing newer
        card = parse_agent_card(card_json)
        client = ClientFactory(ClientConfig(streaming=False, httpx_client=http)).create(card)
        request = pb.SendMessageRequest(message=new_text_message("Hello", role=pb.ROLE_USER))
        [answer] = [response async for response in client.send_message(request)]
        task = answer.task
        assert task.status.state == pb.TASK_STATE_INPUT_REQUIRED
        assert "Noted" in task.status.message.parts[0].text
        got = await client.get_task(pb.GetTaskRequest(id=task.id))
        assert [m.role for m in got.history] == [pb.ROLE_USER, pb.ROLE_AGENT]
        canceled = await client.cancel_task(pb.CancelTaskRequest(id=task.id))
        assert canceled.status.state == pb.TASK_STATE_CANCELED
        if generation == "1.0":
            listed = await client.list_tasks(pb.ListTasksRequest(context_id=task.context_id))
            assert [t.id for t in listed.tasks] == [task.id]


class Parrot(AgentExecutor):
    async def execute(self, context: Any, event_queue: Any) -> None:
        await event_queue.enqueue_event(
            new_text_message(f"Parrot: {context.get_user_input()}", role=pb.ROLE_AGENT, context_id=context.context_id)
        )

    async def cancel(self, context: Any, event_queue: Any) -> None:
        """A parrot has answered before anyone can cancel."""


class Asker(AgentExecutor):
    """Asks back once in each task, and counts the tasks of a conversation."""

    def __init__(self) -> None:
        self._tasks: dict[str, list[str]] = {}

    async def execute(self, context: Any, event_queue: Any) -> None:
        begun = self._tasks.setdefault(context.context_id, [])
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        if context.current_task is None:
            begun.append(context.task_id)
            task = pb.Task(
                id=context.task_id,
                context_id=context.context_id,
                status=pb.TaskStatus(state=pb.TASK_STATE_SUBMITTED),
                history=[context.message],
            )
            await event_queue.enqueue_event(task)
            question = new_text_message(f"Which of {context.get_user_input()}?", role=pb.ROLE_AGENT)
            await updater.update_status(pb.TASK_STATE_INPUT_REQUIRED, message=question)
        else:
            done = new_text_message(f"{context.get_user_input()}, number {len(begun)}.", role=pb.ROLE_AGENT)
            await updater.complete(message=done)

    async def cancel(self, context: Any, event_queue: Any) -> None:
        """Nobody cancels here."""


def app_of(executor: AgentExecutor, url: str, generation: str) -> Starlette:
    card = pb.AgentCard(
        name="Parrot",
        description="Says it again.",
        version="1",
        supported_interfaces=[pb.AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version=generation)],
        capabilities=pb.AgentCapabilities(),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[pb.AgentSkill(id="parrot", name="parrot", description="parrots", tags=["parrot"])],
    )
    handler = DefaultRequestHandler(agent_executor=executor, task_store=InMemoryTaskStore(), agent_card=card)
    routes = create_agent_card_routes(card) + create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=True)
    return Starlette(routes=routes)


@pytest.mark.parametrize("generation", ["1.0", "0.3"])
async def test_prime_talks_to_an_agent_on_the_official_sdk(
    open_served: Any, serve: Any, texts_of: Any, generation: str
) -> None:
    door = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{door.getsockname()[1]}"
    await serve(app_of(Parrot(), f"{url}/rpc", generation), door)
    served = await open_served()
    connected = (await served.instance.owner.post("/api/directory/connect", json={"url": url})).json()
    network = served.instance.prime.parts.network
    await network.correspondence.say(connected["channelId"], "Polly?")
    assert await texts_of(served.instance, connected["channelId"], 2) == ["Polly?", "Parrot: Polly?"]


@pytest.mark.parametrize("generation", ["1.0", "0.3"])
async def test_a_conversation_with_an_agent_on_the_official_sdk_goes_on(
    open_served: Any, serve: Any, texts_of: Any, generation: str
) -> None:
    door = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{door.getsockname()[1]}"
    await serve(app_of(Asker(), f"{url}/rpc", generation), door)
    served = await open_served()
    channel = (await served.instance.owner.post("/api/directory/connect", json={"url": url})).json()["channelId"]
    said: list[str] = []
    for words, answer in [
        ("Tea or milk", "Which of Tea or milk?"),
        ("Tea", "Tea, number 1."),  # the question's own task goes on
        ("Red or blue", "Which of Red or blue?"),  # another task, in the same conversation
        ("Blue", "Blue, number 2."),
    ]:
        await served.instance.prime.parts.network.correspondence.say(channel, words)
        said += [words, answer]
        assert await texts_of(served.instance, channel, len(said)) == said


async def test_a_task_that_is_gone_over_there_does_not_end_the_conversation(
    open_served: Any, serve: Any, texts_of: Any
) -> None:
    asker, door = Asker(), socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{door.getsockname()[1]}"
    app = app_of(asker, f"{url}/rpc", "1.0")
    restarted = app_of(asker, f"{url}/rpc", "1.0")  # with a store that knows nothing
    state = {"app": app}

    async def either(scope: Any, receive: Any, send: Any) -> None:
        await state["app"](scope, receive, send)

    await serve(either, door)
    served = await open_served()
    channel = (await served.instance.owner.post("/api/directory/connect", json={"url": url})).json()["channelId"]
    say = served.instance.prime.parts.network.correspondence.say
    await say(channel, "Tea or milk")
    await texts_of(served.instance, channel, 2)
    state["app"] = restarted
    await say(channel, "Tea")
    assert (await texts_of(served.instance, channel, 4))[3] == "Which of Tea?"
