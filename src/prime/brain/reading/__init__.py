"""Attachments become text: what is certain about a file and what it says, read in a process of its own."""
