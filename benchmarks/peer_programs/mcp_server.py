"""An echo tool on the MCP SDK's own server over streamable HTTP; the argument is the port."""

import sys
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.lowlevel.server import Server

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(name="echo", description="Says it again.", input_schema=SCHEMA)])


async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    words = str((params.arguments or {}).get("text", ""))
    return types.CallToolResult(content=[types.TextContent(type="text", text=words)])


def main() -> None:
    server = Server("echo", on_list_tools=list_tools, on_call_tool=call_tool)
    uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=int(sys.argv[1]), log_level="error", loop="uvloop")


if __name__ == "__main__":
    main()
