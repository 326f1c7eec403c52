"""The swarm: channels advance turn by turn, each driven by one process at a time, until somebody has nothing to add."""
