"""A server made with the SDK that has everything beside tools: prompts, resources, templates, completion.

It speaks over standard input and output; with `--serve` over HTTP, `/mcp` and `/sse`, and prints its address.
"""

import socket
import sys
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import Completion


def make() -> "MCPServer[Any]":
    server: MCPServer[Any] = MCPServer("full")

    @server.tool()
    def double(number: int) -> int:
        """Twice the number."""
        return 2 * number

    @server.tool()
    async def more(context: Context[Any, Any]) -> str:
        """From now on there is one prompt and one resource more."""
        server.prompt(name="late")(lambda: "I am new.")
        server.resource("memo://late", name="late")(lambda: "new")
        await context.session.send_prompt_list_changed()
        await context.session.send_resource_list_changed()
        return "more"

    @server.prompt(title="Greeting")
    def greet(name: str, tone: str = "kind") -> str:
        """Greets somebody."""
        return f"Say a {tone} hello to {name}."

    @server.resource("memo://today", name="today", mime_type="text/markdown")
    def today() -> str:
        return "# Today"

    @server.resource("memo://day/{day}", name="day")
    def day(day: str) -> str:
        return f"# {day}"

    @server.completion()
    async def complete(ref: Any, argument: Any, context: Any) -> Completion:
        days = ["monday", "tuesday"] if argument.name == "day" else ["kind", "keen"]
        return Completion(values=[one for one in days if one.startswith(argument.value)])

    _ = (double, more, greet, today, day, complete)
    return server


def serve(server: "MCPServer[Any]") -> None:
    app = server.streamable_http_app()
    app.router.routes += server.sse_app().routes
    door = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{door.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_config=None)).run([door])


if "--serve" in sys.argv:
    serve(make())
else:
    make().run()
