"""Startup scripts, the context window and turns: a dialog is a channel with an agent in it."""
