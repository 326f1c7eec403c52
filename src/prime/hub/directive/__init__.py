"""The directive engine: decides what of the traffic reaches the owner, and grows quieter with every rule it learns."""
