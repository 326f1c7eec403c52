"""What was sent out and is awaited."""
