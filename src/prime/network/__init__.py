"""Prime Message, A2A and the directory: how agents find and reach each other."""
