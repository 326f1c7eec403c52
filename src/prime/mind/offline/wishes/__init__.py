"""A message of the owner's becomes a plan, or words."""
