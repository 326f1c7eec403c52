"""What a turn is made of. `prime.dialogs.turn` puts it together."""
