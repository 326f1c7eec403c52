"""Kinds of projects, their roles and trades, as data files say them."""
