"""What the gate keeps of the log."""
