"""An echo agent on the official A2A SDK's server; the argument is the number of a listening socket."""

import logging
import sys

import uvicorn
from a2a.helpers.proto_helpers import new_text_message
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import a2a_pb2 as pb
from starlette.applications import Starlette


class Echo(AgentExecutor):
    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        await event_queue.enqueue_event(new_text_message(context.get_user_input(), role=pb.ROLE_AGENT))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        raise NotImplementedError


def main() -> None:
    logging.disable(logging.CRITICAL)
    here = pb.AgentInterface(url="http://127.0.0.1/a2a", protocol_binding="JSONRPC", protocol_version="1.0")
    card = pb.AgentCard(
        name="Echo",
        description="echo",
        version="1",
        supported_interfaces=[here],
        capabilities=pb.AgentCapabilities(),
    )
    handler = DefaultRequestHandler(agent_executor=Echo(), task_store=InMemoryTaskStore(), agent_card=card)
    app = Starlette(routes=create_jsonrpc_routes(handler, "/a2a"))
    uvicorn.run(app, fd=int(sys.argv[1]), lifespan="off", log_config=None, access_log=False, loop="uvloop")


if __name__ == "__main__":
    main()
