"""Which rooms a wish opens, and who sits in them."""
