"""What a wish is about, in the owner's own words."""
