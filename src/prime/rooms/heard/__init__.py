"""What was said in each channel, and how far the owner has read."""
