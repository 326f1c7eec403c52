"""What of the talk reaches the owner, and what standing rules settle."""
