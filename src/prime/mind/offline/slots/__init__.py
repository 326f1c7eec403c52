"""What else a wish says: how many, for how much, what must be."""
