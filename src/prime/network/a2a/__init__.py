"""A2A, generations 0.3 and 1.0, over the same desk as Prime Message."""
