"""Sums, days and places, as people write them."""
