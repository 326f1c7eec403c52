"""State: a living summary of each channel and of the house, settled when things are quiet."""
