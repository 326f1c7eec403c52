"""Agents, managed profiles and publishers, each a module behind one contract that the hub owns."""
