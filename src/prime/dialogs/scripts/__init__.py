"""Startup scripts: Markdown histories that a dialog begins with."""
