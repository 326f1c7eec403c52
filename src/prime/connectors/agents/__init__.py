"""Connectors that wrap a counterpart Prime talks to."""
