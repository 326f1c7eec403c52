"""What plain statements say that is worth keeping."""
