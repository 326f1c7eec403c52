"""What was asked of the owner."""
