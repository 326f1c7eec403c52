"""The brain: what is derived from the log and remembered. All of it can be thrown away and rebuilt."""

# The projections that `prime rebuild brain` makes anew.
BRAIN: tuple[str, ...] = ("recall", "notes", "facts", "state")
