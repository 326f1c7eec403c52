"""The owner's personal Telegram account."""
