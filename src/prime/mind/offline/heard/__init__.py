"""What a message of the owner's wants, and where a conversation stands."""
