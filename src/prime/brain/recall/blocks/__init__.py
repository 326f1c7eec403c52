"""Where words are said, in blocks: one row for many words and messages."""
