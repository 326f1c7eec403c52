"""The owner's projects: what each one wants, which rooms are its own, and which was spoken of last."""
