"""What a search is held on."""
