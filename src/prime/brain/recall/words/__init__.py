"""Where the words of a search are said, read from recall's tables."""
