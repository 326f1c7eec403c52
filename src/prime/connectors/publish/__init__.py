"""Connectors that put work from the chat somewhere public, behind the same gate."""
