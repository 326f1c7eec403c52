"""The owner's own X account."""
