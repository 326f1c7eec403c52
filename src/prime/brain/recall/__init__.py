"""Recall: full-text search over every message, scoped to what the asker may see and ranked by nothing else."""

from prime.brain.recall.ask import recall, recall_from
from prime.brain.recall.records import Found, Hit, Piece

__all__ = ["Found", "Hit", "Piece", "recall", "recall_from"]
