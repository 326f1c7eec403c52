"""Facts with a history: what was said to be so, from when to when, and since when that is known."""
