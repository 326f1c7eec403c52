"""The words of a message before anything is understood: its language, its clauses, its numbers, and turns of speech."""
