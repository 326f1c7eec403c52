"""MCP in both directions: every tool, resource and prompt through one door, and other people's servers behind it."""
