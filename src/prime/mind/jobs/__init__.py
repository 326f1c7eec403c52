"""The jobs of a mind: what each is asked with, and what it answers."""
