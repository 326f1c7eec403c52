"""Behind the gateway: other people's MCP servers, opened once, kept, and called through the pipeline."""
