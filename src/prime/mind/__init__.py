"""What thinks.

The Protocol of a mind's jobs, the offline engine, language models, and the spend guard in front of them.
"""
