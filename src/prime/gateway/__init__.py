"""The MCP gateway: every tool, resource and prompt through one door, in both directions."""
