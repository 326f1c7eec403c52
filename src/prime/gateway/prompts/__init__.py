"""Prompts: Markdown files that clients fill in, and the two that show a channel as a model would see it."""
