"""Figures over time: how quiet it has become, and what it costs."""
