"""Actors, channels, membership, tiers, views, the clamp, questions and approvals."""
