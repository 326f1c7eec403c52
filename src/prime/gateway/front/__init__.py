"""In front of the gateway: MCP clients, over stdio, streamable HTTP, server-sent events and WebSocket."""
