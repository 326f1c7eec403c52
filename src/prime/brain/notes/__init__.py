"""Notes: the written record that every attachment leaves beside it."""
