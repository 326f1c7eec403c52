"""What counterparts, and Prime among them, say."""
