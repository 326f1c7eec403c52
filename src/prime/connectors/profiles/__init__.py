"""The owner's own messaging accounts: Prime reads them, and what it would answer waits at the gate."""
