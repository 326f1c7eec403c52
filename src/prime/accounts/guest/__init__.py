"""People whom the owner lets into some channels."""
