"""Recall's index as this process has it at hand, so that most searches ask no database."""
