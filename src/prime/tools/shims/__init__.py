"""Hand-written ATIP documents for everyday commands that do not answer `--agent` yet."""
